import * as blocks from "@countersign/contract/manage/admin";
import * as contract from "@countersign/contract/manage/ips";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { keptSince } from "@countersign/domain/requests/log-days";
import { lockPlatformBlocks } from "@countersign/store/queries/admin/platform";
import { seenDevices } from "@countersign/store/queries/ips/seen-devices";
import {
  organizationNames,
  organizationsAt,
  organizationsSeeing,
  sightingsOf,
} from "@countersign/store/queries/ips/sightings";
import type { Database } from "@countersign/store/store";
import type { IpSightingRow } from "@countersign/store/tables/journal";

import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { type BoundRoute, bind, type Context } from "../../api/context.ts";
import { asPlatform } from "../audit-log/record.ts";
import { addBlock, changeBlock, listBlocks, removeBlock } from "../ip-blocks/blocks.ts";
import { blockedAmong } from "../ips/blocked.ts";
import { askedIp, ipPage, showSighting } from "../ips/list.ts";
import { DeviceIds } from "../requests/device-ids.ts";
import { platformSettings } from "../settings/platform-settings.ts";

const scope = { tier: "platform" } as const;
const onlyPlatform = { organizationId: null };

/** Organizations and IP addresses that are looked up together. */
const maxPairs = 1_000;

/** The IP addresses of all organizations. */
export const platformIpRoutes: readonly BoundRoute[] = [
  bind(contract.listPlatformIps, async (context, { query }) => {
    const { reads, listReads } = context.store;
    const { rows, next_cursor } = await ipPage(listReads, scope, query);
    const ips = rows.map(({ ip }) => ip);
    const blocked = await blockedAmong(reads, ips, onlyPlatform, context.nowMs);
    const devices = await devicesOf(context, await organizationsAt(reads, ips, maxPairs));
    const data = rows.map((row) => ({
      ...showSighting(row),
      blocked: blocked.has(row.ip),
      device_ids: devices.of({ ip: row.ip }),
    }));
    return { data, next_cursor };
  }),

  bind(contract.getPlatformIp, async (context, input) => {
    const { reads, listReads } = context.store;
    const address = askedIp(input.params.ip);
    const sightings = await sightingsOf(reads, scope, address.countedAs);
    const blocked = await blockedAmong(reads, [address.text], onlyPlatform, context.nowMs);
    const seenBy = await busiestOrganizations(listReads, address.countedAs);
    const names = await organizationNames(
      reads,
      seenBy.map(({ organizationId }) => organizationId),
    );
    const pairs = seenBy.flatMap(({ organizationId }) =>
      address.countedAs.map((ip) => ({ organizationId, ip })),
    );
    const devices = await devicesOf(context, pairs);
    return {
      ip: address.text,
      sightings: sightings.map(showSighting),
      blocked: blocked.has(address.text),
      device_ids: devices.of({}),
      organizations: seenBy.flatMap((seen) => {
        const name = names.get(seen.organizationId);
        if (name === undefined) return [];
        return {
          organization_id: seen.organizationId,
          name,
          first_seen_at: isoTime(seen.firstSeenMs),
          last_seen_at: isoTime(seen.lastSeenMs),
          hits: seen.hits,
          license_count: seen.licenseCount,
          device_ids: devices.of({ organizationId: seen.organizationId }),
        };
      }),
    };
  }),

  bind(blocks.listPlatformIpBlocks, async (context, { query }) =>
    listBlocks(context.store.reads, scope, query),
  ),

  bind(blocks.addPlatformIpBlock, async (context, { body }) =>
    context.transaction(async (db) => addBlock(db, asPlatform(context), await locked(db), body)),
  ),

  bind(blocks.updatePlatformIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      changeBlock(db, asPlatform(context), await locked(db), input.params.block_id, input.body),
    ),
  ),

  bind(blocks.removePlatformIpBlock, async (context, input) =>
    context.transaction(async (db) =>
      removeBlock(db, asPlatform(context), await locked(db), input.params.block_id),
    ),
  ),
];

async function devicesOf(
  { store, config, nowMs }: Context,
  seen: readonly { readonly organizationId: string; readonly ip: string }[],
): Promise<DeviceIds> {
  const { request_log_days: days } = await platformSettings(store.reads, config);
  const range = { fromMs: keptSince(days, nowMs), untilMs: Number.MAX_SAFE_INTEGER };
  return new DeviceIds(await seenDevices(store.listReads, { seen }, range));
}

const listed = 100;
const rowsAtOnce = 500;
/** An IP address that so many organizations see is that of a proxy or a large network. */
const maxRowsRead = 20_000;

interface OrganizationSighting {
  readonly organizationId: string;
  firstSeenMs: number;
  lastSeenMs: number;
  hits: number;
  licenseCount: number;
}

/**
 * The organizations of which an IP address used the most licenses. An IPv6 address may have been counted in two ways:
 * the same licenses may be in both counts, so the larger one is shown.
 */
async function busiestOrganizations(db: Database, ips: readonly string[]): Promise<OrganizationSighting[]> {
  const sightings = new Map<string, OrganizationSighting>();
  for (const ip of ips) {
    let after = "";
    for (let read = 0; read < maxRowsRead; read += rowsAtOnce) {
      const rows = await organizationsSeeing(db, ip, after, rowsAtOnce);
      for (const row of rows) add(sightings, row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsAtOnce) break;
      after = last.scope_id;
      await yieldToEventLoop();
    }
  }
  return [...sightings.values()]
    .sort((a, b) => b.licenseCount - a.licenseCount || (a.organizationId < b.organizationId ? -1 : 1))
    .slice(0, listed);
}

function add(sightings: Map<string, OrganizationSighting>, row: IpSightingRow): void {
  const { scope_id: organizationId, first_seen_at, last_seen_at, hits, license_count } = row;
  const sighting = sightings.get(organizationId);
  if (sighting === undefined) {
    sightings.set(organizationId, {
      organizationId,
      firstSeenMs: first_seen_at,
      lastSeenMs: last_seen_at,
      hits,
      licenseCount: license_count,
    });
    return;
  }
  sighting.firstSeenMs = Math.min(sighting.firstSeenMs, first_seen_at);
  sighting.lastSeenMs = Math.max(sighting.lastSeenMs, last_seen_at);
  sighting.hits += hits;
  sighting.licenseCount = Math.max(sighting.licenseCount, license_count);
}

async function locked(db: Database): Promise<typeof scope> {
  await lockPlatformBlocks(db);
  return scope;
}
