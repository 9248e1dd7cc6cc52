import * as contract from "@countersign/contract/manage/admin-ips";
import { organizationNames, sightingsOf } from "@countersign/store/queries/ips/sightings";
import { type BoundRoute, bind } from "../../http/manage/bind.ts";
import { iso } from "../../http/manage/page.ts";
import { blockedAmong } from "../ips/blocked.ts";
import { askedIn, ipPage, showSighting } from "../ips/list.ts";
import { busiestOrganizations } from "./organizations-of-ip.ts";

const scope = { tier: "platform" } as const;
const onlyPlatform = { organizationId: null };

/** The IP addresses of all organizations. */
export const platformIpRoutes: readonly BoundRoute[] = [
  bind(contract.listPlatformIps, async (context, { query }) => {
    const { reads, listReads } = context.store;
    const { rows, next_cursor } = await ipPage(listReads, scope, query);
    const ips = rows.map(({ ip }) => ip);
    const blocked = await blockedAmong(reads, ips, onlyPlatform, context.nowMs);
    return { data: rows.map((row) => ({ ...showSighting(row), blocked: blocked.has(row.ip) })), next_cursor };
  }),

  bind(contract.getPlatformIp, async (context, input) => {
    const { reads, listReads } = context.store;
    const asked = askedIn(input);
    const sightings = await sightingsOf(reads, scope, asked.countedAs);
    const blocked = await blockedAmong(reads, [asked.text], onlyPlatform, context.nowMs);
    const seenBy = await busiestOrganizations(listReads, asked.countedAs);
    const names = await organizationNames(
      reads,
      seenBy.map(({ organizationId }) => organizationId),
    );
    return {
      ip: asked.text,
      sightings: sightings.map(showSighting),
      blocked: blocked.has(asked.text),
      organizations: seenBy.flatMap((seen) => {
        const name = names.get(seen.organizationId);
        if (name === undefined) return [];
        return {
          organization_id: seen.organizationId,
          name,
          first_seen_at: iso(seen.firstSeenMs),
          last_seen_at: iso(seen.lastSeenMs),
          hits: seen.hits,
          license_count: seen.licenseCount,
        };
      }),
    };
  }),
];
