import * as contract from "@countersign/contract/manage/ips";
import { keptSince } from "@countersign/domain/requests/log-days";
import { seenDevices } from "@countersign/store/queries/ips/seen-devices";
import { organizationNames, organizationsAt, sightingsOf } from "@countersign/store/queries/ips/sightings";
import { type BoundRoute, bind } from "../../api/bind.ts";
import type { Context } from "../../api/context.ts";
import { iso } from "../../api/page.ts";
import { blockedAmong } from "../ips/blocked.ts";
import { askedIp, ipPage, showSighting } from "../ips/list.ts";
import { DeviceIds } from "../requests/device-ids.ts";
import { platformSettings } from "../settings/platform-settings.ts";
import { busiestOrganizations } from "./organizations-of-ip.ts";

const scope = { tier: "platform" } as const;
const onlyPlatform = { organizationId: null };

/** Organizations and IP addresses that are looked up together. */
const mostPairs = 1_000;

/** The IP addresses of all organizations. */
export const platformIpRoutes: readonly BoundRoute[] = [
  bind(contract.listPlatformIps, async (context, { query }) => {
    const { reads, listReads } = context.store;
    const { rows, next_cursor } = await ipPage(listReads, scope, query);
    const ips = rows.map(({ ip }) => ip);
    const blocked = await blockedAmong(reads, ips, onlyPlatform, context.nowMs);
    const devices = await devicesOf(context, await organizationsAt(reads, ips, mostPairs));
    const data = rows.map((row) => ({
      ...showSighting(row),
      blocked: blocked.has(row.ip),
      device_ids: devices.of({ ip: row.ip }),
    }));
    return { data, next_cursor };
  }),

  bind(contract.getPlatformIp, async (context, input) => {
    const { reads, listReads } = context.store;
    const asked = askedIp(input.params.ip);
    const sightings = await sightingsOf(reads, scope, asked.countedAs);
    const blocked = await blockedAmong(reads, [asked.text], onlyPlatform, context.nowMs);
    const seenBy = await busiestOrganizations(listReads, asked.countedAs);
    const names = await organizationNames(
      reads,
      seenBy.map(({ organizationId }) => organizationId),
    );
    const pairs = seenBy.flatMap(({ organizationId }) =>
      asked.countedAs.map((ip) => ({ organizationId, ip })),
    );
    const devices = await devicesOf(context, pairs);
    return {
      ip: asked.text,
      sightings: sightings.map(showSighting),
      blocked: blocked.has(asked.text),
      device_ids: devices.of({}),
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
          device_ids: devices.of({ organizationId: seen.organizationId }),
        };
      }),
    };
  }),
];

async function devicesOf(
  { store, config, nowMs }: Context,
  seen: readonly { readonly organizationId: string; readonly ip: string }[],
): Promise<DeviceIds> {
  const { request_log_days: days } = await platformSettings(store.reads, config);
  const range = { fromMs: keptSince(days, nowMs), untilMs: Number.MAX_SAFE_INTEGER };
  return new DeviceIds(await seenDevices(store.listReads, { seen }, range));
}
