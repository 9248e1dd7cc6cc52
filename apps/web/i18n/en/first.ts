import { byFeature } from "./by-feature.ts";

/** Texts that a first visit probably needs. */
export const words = byFeature(
  import.meta.glob(
    "./{everywhere,audit-log,customers,identity,ip-blocks,ips,licenses,overview,webhooks}.json",
    { eager: true, import: "default" },
  ),
);
