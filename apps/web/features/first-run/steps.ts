export const steps = ["account", "purpose", "organization", "product", "license", "try"] as const;
export type Step = (typeof steps)[number];
