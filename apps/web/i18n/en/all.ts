import { byFeature } from "../by-feature.ts";

export const all = byFeature(import.meta.glob("./*.json", { eager: true, import: "default" }));
