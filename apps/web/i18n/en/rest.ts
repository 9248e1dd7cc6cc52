import { byFeature } from "../by-feature.ts";

/** Everything else: loaded when the page stands, or when it is asked for. */
export const words = byFeature(
  import.meta.glob(
    "./{access-tokens,account,admin,license-files,members,organizations,problems,products,roles,versions}.json",
    { eager: true, import: "default" },
  ),
);
