import { impossibleTravel } from "@countersign/domain/analytics/sharing";
import { networkOf } from "@countersign/domain/ip/registered";
import { quotaDay } from "@countersign/domain/quota/day";
import type { Geo } from "./geo.ts";
import type { LicenseUse, RecentUse } from "./recent-use.ts";

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
const noteworthyIps = 3;
const noteworthyDevices = 3;
/** So many are told apart per license and day. */
export const maxValues = 50;
/** The most per product in one call. */
const maxLicenses = 100;
/** So many are remembered to recognize them. Others are written again, which changes nothing. */
const maxRemembered = 8;
const maxDevice = 256;

/** Which licenses were used from noteworthy places since `recent` was last told, and tells it. */
export function sharing(rows: readonly RolledRow[], geo: Geo | null, recent: RecentUse | null): LicenseDay[] {
  if (recent === null) return [];
  const notes: Notes = { geo, recent, networks: new Map(), noticed: new Map() };
  for (const row of rows) {
    const licenseId = row.license_id;
    if (licenseId === null || row.sandbox !== 0) continue;
    const use = recent.of(licenseId);
    // The usual case first: nothing has changed.
    if (
      use !== undefined &&
      use.lastIp === row.ip &&
      (row.device_id === null || use.devices.includes(row.device_id)) &&
      use.day === quotaDay(row.at)
    )
      use.lastAt = Math.max(use.lastAt, row.at);
    else notice(row, licenseId, use, notes);
  }
  return bounded([...notes.noticed.values()]);
}

interface Noticed extends LicenseDay {
  readonly ips: string[];
  readonly devices: string[];
  travel: Travel | null;
}

interface Notes {
  readonly geo: Geo | null;
  readonly recent: RecentUse;
  /** By IP address. */
  readonly networks: Map<string, string>;
  readonly noticed: Map<string, Noticed>;
}

function notice(row: RolledRow, licenseId: string, before: LicenseUse | undefined, notes: Notes): void {
  const { at, ip } = row;
  const day = quotaDay(at);
  const network = networkIn(notes.networks, ip);
  const device = row.device_id === null ? "" : row.device_id.slice(0, maxDevice);
  const use = before ?? { day, ips: [], devices: [], lastIp: "", lastAt: at, lastPlace: null };
  if (before === undefined) notes.recent.remember(licenseId, use);
  if (day > use.day) {
    use.day = day;
    use.ips = [];
    use.devices = [];
  }
  addValue(use.ips, network, maxRemembered);
  if (device !== "") addValue(use.devices, device, maxRemembered);
  const travel = notes.geo?.hasPlaces === true && use.lastIp !== ip ? moved(use, ip, at, notes.geo) : null;
  use.lastIp = ip;
  use.lastAt = Math.max(use.lastAt, at);
  if (use.ips.length < noteworthyIps && use.devices.length < noteworthyDevices && travel === null) return;
  const known = notedOf(notes.noticed, row, licenseId, use);
  addValue(known.ips, network, maxValues);
  if (device !== "") addValue(known.devices, device, maxValues);
  if (travel !== null && travel.speedKmh > (known.travel?.speedKmh ?? 0)) known.travel = travel;
}

function notedOf(noticed: Map<string, Noticed>, row: RolledRow, licenseId: string, use: LicenseUse): Noticed {
  const day = quotaDay(row.at);
  const key = `${licenseId} ${day}`;
  const known = noticed.get(key);
  if (known !== undefined) return known;
  const created: Noticed = {
    ...{ organizationId: row.organization_id, productId: row.product_id, licenseId, day, travel: null },
    // What is remembered is of another day if this row is late.
    ...(day === use.day ? { ips: [...use.ips], devices: [...use.devices] } : { ips: [], devices: [] }),
  };
  noticed.set(key, created);
  return created;
}

function networkIn(networks: Map<string, string>, ip: string): string {
  if (!ip.includes(":")) return ip;
  const known = networks.get(ip);
  if (known !== undefined) return known;
  const network = networkOf(ip) ?? ip;
  networks.set(ip, network);
  return network;
}

/** How fast the license moved to this IP address, if nobody can have been that fast. */
function moved(use: LicenseUse, ip: string, at: number, geo: Geo): Travel | null {
  const place = geo.placeOf(ip);
  if (place === null || place.coordinates === null) return null;
  const { coordinates, country } = place;
  const from = use.lastPlace;
  use.lastPlace = { coordinates, country, ip, at };
  if (from === null) return null;
  // The license may have been used from the earlier place since.
  const sinceMs = from.ip === use.lastIp ? use.lastAt : from.at;
  const travel = impossibleTravel(from.coordinates, coordinates, at - sinceMs);
  if (travel === null) return null;
  return {
    before: { ip: from.ip, at: sinceMs, country: from.country },
    after: { ip, at, country },
    ...travel,
  };
}

/** The most noteworthy of each product, in an order in which two nodes never deadlock. */
function bounded(noticed: readonly Noticed[]): LicenseDay[] {
  const weight = ({ ips, devices, travel }: Noticed) =>
    ips.length + devices.length + (travel === null ? 0 : maxValues);
  const perProduct = new Map<string, number>();
  return [...noticed]
    .sort((a, b) => weight(b) - weight(a))
    .filter(({ productId }) => {
      const count = (perProduct.get(productId) ?? 0) + 1;
      perProduct.set(productId, count);
      return count <= maxLicenses;
    })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf({ organizationId, day, licenseId }: LicenseDay): string {
  return `${organizationId} ${day} ${licenseId}`;
}

export function addValue(values: string[], value: string, most: number): void {
  if (values.length < most && !values.includes(value)) values.push(value);
}

/** What roll-ups need of a row of the request log. */
export interface RolledRow {
  readonly at: number;
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string | null;
  readonly endpoint: "validate" | "lookup";
  readonly status: string;
  readonly ip: string;
  readonly version: string | null;
  readonly device_id: string | null;
  readonly count: number;
  readonly sandbox: number;
}
