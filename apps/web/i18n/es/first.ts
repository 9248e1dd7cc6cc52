import { byFeature } from "../by-feature.ts";

/** What a first visit is likely to show. */
export const words = byFeature(
  import.meta.glob(
    "./{everywhere,audit-log,customers,identity,ip-blocks,ips,licenses,overview,permissions,webhooks}.json",
    { eager: true, import: "default" },
  ),
);
