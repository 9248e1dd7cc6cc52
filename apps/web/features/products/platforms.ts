export const platforms = ["curl", "node", "express", "nestjs", "python", "java"] as const;
export type Platform = (typeof platforms)[number];
