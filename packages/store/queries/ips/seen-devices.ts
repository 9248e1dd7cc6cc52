import { ipKey } from "../../request-log/keys.ts";
import { logOf } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { ofDay, padded, type Span, type SpanKey, type TimeRange } from "../requests/span.ts";
import { spans } from "../requests/spans.ts";

/** Whose requests are looked at: those with some licenses, or those to an organization from an IP address. */
export type DeviceSearch =
  | { readonly licenseIds: readonly string[] }
  | { readonly seen: readonly { readonly organizationId: string; readonly ip: string }[] };

/** A device ID that requests from an IP address had, with a license or with none that was found. */
export interface SeenDevice {
  readonly organizationId: string;
  readonly licenseId: string | null;
  readonly ip: string;
  readonly deviceId: string;
  /** The newest of these requests. */
  readonly lastAtMs: number;
}

/** When the search stops although there is more. */
interface DeviceBounds {
  /** Any clock, in milliseconds. */
  readonly clock: () => number;
  readonly timeoutMs: number;
  /** So many parts of the log are read in any case, each of which is small. */
  readonly fewestParts: number;
}

export const deviceBounds: DeviceBounds = {
  clock: () => performance.now(),
  timeoutMs: 50,
  fewestParts: 4,
};

/**
 * The device IDs of the newest requests, as far back as a bounded search comes; the newest first. The database adds up
 * each part of the log, so that an IP address with many requests does not hide the others.
 */
export async function seenDevices(
  db: Database,
  search: DeviceSearch,
  range: TimeRange,
  bounds: DeviceBounds = deviceBounds,
): Promise<SeenDevice[]> {
  const key = keyOf(search);
  if (key.keys.length === 0) return [];
  const devices = new Map<string, SeenDevice>();
  const deadlineMs = bounds.clock() + bounds.timeoutMs;
  let parts = 0;
  for await (const span of spans(db, key, range, "newest")) {
    for (const row of await devicesIn(db, span, search)) add(devices, row);
    parts += 1;
    if (parts >= bounds.fewestParts && bounds.clock() >= deadlineMs) break;
    // On SQLite, each query blocks its thread.
    await yieldToEventLoop();
  }
  return [...devices.values()].sort((one, other) => other.lastAtMs - one.lastAtMs);
}

function keyOf(search: DeviceSearch): SpanKey {
  return "licenseIds" in search
    ? { kind: "l", keys: search.licenseIds }
    : { kind: "i", keys: search.seen.map(({ organizationId, ip }) => ipKey(organizationId, ip)) };
}

interface DeviceRow {
  organization_id: string;
  license_id: string | null;
  ip: string;
  device_id: string;
  last_at: number;
}

/** Of each part of the log. */
const maxDevices = 2_000;
const timesTogether = 512;

async function devicesIn(db: Database, span: Span, search: DeviceSearch): Promise<DeviceRow[]> {
  const { day, fromMs, untilMs, times } = span;
  const all = db
    .selectFrom(logOf(day))
    .select((is) => ["organization_id", "license_id", "ip", "device_id", is.fn.max("at").as("last_at")])
    .where("device_id", "is not", null)
    .where("sandbox", "=", 0)
    .groupBy(["organization_id", "license_id", "ip", "device_id"])
    .orderBy("last_at", "desc")
    .limit(maxDevices)
    .$castTo<DeviceRow>();
  const meant =
    "licenseIds" in search
      ? all.where("license_id", "in", search.licenseIds)
      : all
          .where("organization_id", "in", distinct(search.seen.map(({ organizationId }) => organizationId)))
          .where("ip", "in", distinct(search.seen.map(({ ip }) => ip)));
  const rows: DeviceRow[] = [];
  if (times === null)
    rows.push(...(await ofDay(meant.where("at", ">=", fromMs).where("at", "<", untilMs).execute())));
  for (let start = 0; start < (times?.length ?? 0); start += timesTogether) {
    const batch = times?.slice(start, start + timesTogether) ?? [];
    rows.push(...(await ofDay(meant.where("at", "in", padded(batch)).execute())));
  }
  if ("licenseIds" in search) return rows;
  const searchedKeys = new Set(keyOf(search).keys);
  return rows.filter(({ organization_id: organizationId, ip }) =>
    searchedKeys.has(ipKey(organizationId, ip)),
  );
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function add(devices: Map<string, SeenDevice>, row: DeviceRow): void {
  const { organization_id: organizationId, license_id: licenseId, ip, device_id: deviceId } = row;
  const key = JSON.stringify([organizationId, licenseId, ip, deviceId]);
  const lastAtMs = Math.max(Number(row.last_at), devices.get(key)?.lastAtMs ?? 0);
  devices.set(key, { organizationId, licenseId, ip, deviceId, lastAtMs });
}
