import { impossibleTravel } from "@countersign/domain/analytics/travel";
import { networkOf } from "@countersign/domain/ip/registered";
import { quotaDay } from "@countersign/domain/quota/day";
import type { Geo, Place } from "./geo.ts";
import type { LicenseUse, RecentUse } from "./recent-use.ts";
import type { RolledRow } from "./rolled-row.ts";

/** A license that was used from several places on a day, or with several devices. */
export interface LicenseDay {
  readonly organizationId: string;
  readonly productId: string;
  readonly licenseId: string;
  readonly day: number;
  /** Single IPv6 addresses are represented by their /64. */
  readonly ips: readonly string[];
  readonly devices: readonly string[];
  readonly travel: Travel | null;
}

export interface Travel {
  readonly before: Visit;
  readonly after: Visit;
  readonly distanceKm: number;
  readonly speedKmh: number;
}

export interface Visit {
  readonly ip: string;
  readonly at: number;
  readonly country: string | null;
}

/** Fewer are normal: at home, at work and on the way. */
export const noteworthyIps = 3;
export const noteworthyDevices = 3;
/** So many are told apart per license and day. */
export const mostValues = 50;
/** The most per product in one call. */
const mostLicenses = 100;
/** So many are remembered to recognize them. Others are written again, which changes nothing. */
const mostRemembered = 8;
const longestDevice = 256;

/** Which licenses were used from noteworthy places since `recent` was last told, and tells it. */
export function sharing(rows: readonly RolledRow[], geo: Geo | null, recent: RecentUse | null): LicenseDay[] {
  if (recent === null) return [];
  const networks = new Map<string, string>();
  const noticed = new Map<string, Noticed>();
  for (const row of rows) {
    const licenseId = row.license_id;
    if (licenseId === null || row.sandbox !== 0) continue;
    const use = recent.of(licenseId);
    // The usual case first: nothing has changed.
    if (use !== undefined && use.lastIp === row.ip && use.day === quotaDay(row.at)) {
      use.lastAt = Math.max(use.lastAt, row.at);
      if (row.device_id === null || use.devices.includes(row.device_id)) continue;
    }
    let network = networks.get(row.ip);
    if (network === undefined) {
      network = networkOf(row.ip) ?? row.ip;
      networks.set(row.ip, network);
    }
    notice(row, licenseId, network, { geo, recent, noticed });
  }
  return bounded([...noticed.values()].filter(isNoteworthy));
}

interface Noticed extends LicenseDay {
  readonly ips: string[];
  readonly devices: string[];
  travel: Travel | null;
}

interface Notes {
  readonly geo: Geo | null;
  readonly recent: RecentUse;
  readonly noticed: Map<string, Noticed>;
}

function notice(row: RolledRow, licenseId: string, network: string, { geo, recent, noticed }: Notes): void {
  const { at, ip } = row;
  const day = quotaDay(at);
  const before = recent.of(licenseId);
  const place = geo?.hasPlaces === true && before?.lastIp !== ip ? geo.placeOf(ip) : null;
  const use = useOn(before, day, ip, at, place);
  if (before === undefined) recent.remember(licenseId, use);
  const key = `${licenseId} ${day}`;
  let known = noticed.get(key);
  if (known === undefined) {
    const { organization_id: organizationId, product_id: productId } = row;
    known = {
      ...{ organizationId, productId, licenseId, day, travel: null },
      ips: [...use.ips],
      devices: [...use.devices],
    };
    noticed.set(key, known);
  }
  addValue(use.ips, network, mostRemembered);
  addValue(known.ips, network, mostValues);
  if (row.device_id !== null && row.device_id !== "") {
    const device = row.device_id.slice(0, longestDevice);
    addValue(use.devices, device, mostRemembered);
    addValue(known.devices, device, mostValues);
  }
  if (place !== null) move(use, known, { ip, at }, place);
  use.lastIp = ip;
  use.lastAt = Math.max(use.lastAt, at);
}

/** The remembered use, for this day. */
function useOn(
  before: LicenseUse | undefined,
  day: number,
  ip: string,
  at: number,
  place: Place | null,
): LicenseUse {
  if (before !== undefined) {
    if (day > before.day) Object.assign(before, { day, ips: [], devices: [] });
    return before;
  }
  const coordinates = place?.coordinates ?? null;
  const lastPlace = coordinates === null ? null : { coordinates, country: place?.country ?? null };
  return { day, ips: [], devices: [], lastIp: ip, lastAt: at, lastPlace };
}

function move(use: LicenseUse, known: Noticed, { ip, at }: { ip: string; at: number }, place: Place): void {
  const { coordinates, country } = place;
  if (coordinates === null) return;
  const from = use.lastPlace;
  use.lastPlace = { coordinates, country };
  if (from === null) return;
  const travel = impossibleTravel(from.coordinates, coordinates, at - use.lastAt);
  if (travel === null || travel.speedKmh <= (known.travel?.speedKmh ?? 0)) return;
  known.travel = {
    before: { ip: use.lastIp, at: use.lastAt, country: from.country },
    after: { ip, at, country },
    ...travel,
  };
}

function isNoteworthy({ ips, devices, travel }: Noticed): boolean {
  return ips.length >= noteworthyIps || devices.length >= noteworthyDevices || travel !== null;
}

/** The most noteworthy of each product, in an order in which two nodes never deadlock. */
function bounded(found: readonly Noticed[]): LicenseDay[] {
  const weight = ({ ips, devices, travel }: Noticed) =>
    ips.length + devices.length + (travel === null ? 0 : mostValues);
  const perProduct = new Map<string, number>();
  return [...found]
    .sort((a, b) => weight(b) - weight(a))
    .filter(({ productId }) => {
      const count = (perProduct.get(productId) ?? 0) + 1;
      perProduct.set(productId, count);
      return count <= mostLicenses;
    })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf({ organizationId, day, licenseId }: LicenseDay): string {
  return `${organizationId} ${day} ${licenseId}`;
}

export function addValue(values: string[], value: string, most: number): void {
  if (values.length < most && !values.includes(value)) values.push(value);
}
