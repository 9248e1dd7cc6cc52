export const tabs = ["deliveries", "statistics", "settings", "verify"] as const;
export type Tab = (typeof tabs)[number];
