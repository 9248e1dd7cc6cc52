import { byFeature } from "./by-feature.ts";

/** Everything else: loaded after the first page, or on demand. */
export const words = byFeature(
  import.meta.glob(
    "./{access-tokens,account,admin,analytics,billing,branding,explain,license-files,members,organizations,permissions,problems,products,requests,roles,sandbox,shadow,transfers,usage,versions}.json",
    { eager: true, import: "default" },
  ),
);
