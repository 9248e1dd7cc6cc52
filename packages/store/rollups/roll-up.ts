import { UniqueCount } from "@countersign/domain/analytics/unique-count";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { Geo } from "./geo.ts";
import type { RecentUse } from "./recent-use.ts";
import { type LicenseDay, type RolledRow, sharing } from "./sharing.ts";

/** In place of a product ID: all products of the organization together. */
export const allProducts = "";

/** Different licenses, those with a successful validation, and IP addresses. */
export interface Uniques {
  readonly licenses: UniqueCount;
  readonly active: UniqueCount;
  readonly ips: UniqueCount;
}

export interface HourRollUp {
  readonly organizationId: string;
  readonly productId: string;
  /** Hours since 1970, UTC. */
  readonly hour: number;
  /** By endpoint and status, such as "validate active". */
  readonly counts: Counts;
  /** Validations by version. Empty for all products together, because their versions mean different things. */
  readonly versions: Counts;
  /** Requests by country. Empty without a GeoIP file. */
  readonly countries: Counts;
  readonly uniques: Uniques;
}

export interface DayRollUp {
  readonly organizationId: string;
  readonly productId: string;
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly uniques: Uniques;
  /** Refused validations by license and status: see `refusalKey`. */
  readonly refused: Counts;
}

/** What a number of requests adds to the roll-ups. */
export interface RollUps {
  /** Each list is sorted by its key, so that two nodes never write in different orders. */
  readonly hours: readonly HourRollUp[];
  readonly days: readonly DayRollUp[];
  readonly sharing: readonly LicenseDay[];
}

/** The rest of an hour's versions, and requests without one. No version has these names: others start with a "v". */
export const otherVersions = "*";
export const noVersion = "-";
/** Requests whose country is unknown. */
export const noCountry = "-";

/** The refusals of a day that are not told apart. */
export const otherRefusals = "*";

export const maxVersions = 50;
export const maxCountries = 300;
export const maxRefused = 200;
const maxVersion = 100;

/**
 * Sums up requests by hour and day, for each product and for all products of an organization. Sandbox requests are left
 * out. Adding up the results of parts gives the result of the whole, except for what is bounded: of more than 50 versions
 * in an hour, the most used of each part are told apart. `recent` is needed to find shared licenses.
 */
export function rollUp(
  rows: readonly RolledRow[],
  geo: Geo | null,
  recent: RecentUse | null = null,
): RollUps {
  const cells = new Map<string, Cell>();
  const places = new Map<string, string>();
  const countryOf = (ip: string) => {
    let country = places.get(ip);
    if (country === undefined) {
      country = geo?.placeOf(ip)?.country ?? noCountry;
      places.set(ip, country);
    }
    return country;
  };
  let known: Cell | undefined;
  for (const row of rows) {
    if (row.sandbox !== 0) continue;
    const hour = Math.floor(row.at / hourMs);
    if (known === undefined || known.hour !== hour || known.productId !== row.product_id) {
      const key = `${row.product_id} ${hour}`;
      known = cells.get(key);
      if (known === undefined) {
        known = newCell(row.organization_id, row.product_id, hour);
        cells.set(key, known);
      }
    }
    addRow(known, row);
    if (geo !== null) addTo(known.countries, countryOf(row.ip), row.count);
  }
  return { ...summedUp([...cells.values()]), sharing: sharing(rows, geo, recent) };
}

/** The requests of one product in one hour. Keys are put together once at the end, not for every row. */
interface Cell {
  readonly organizationId: string;
  readonly productId: string;
  readonly hour: number;
  readonly validations: Counts;
  readonly lookups: Counts;
  readonly versions: Map<string | null, number>;
  readonly countries: Counts;
  readonly refused: Counts;
  readonly licenses: Set<string>;
  readonly active: Set<string>;
  readonly ips: Set<string>;
}

function newCell(organizationId: string, productId: string, hour: number): Cell {
  return {
    ...{ organizationId, productId, hour },
    ...{ validations: new Map(), lookups: new Map(), versions: new Map(), countries: new Map() },
    ...{ refused: new Map(), licenses: new Set(), active: new Set(), ips: new Set() },
  };
}

function addRow(cell: Cell, { endpoint, status, license_id, ip, version, count }: RolledRow): void {
  cell.ips.add(ip);
  if (license_id !== null) cell.licenses.add(license_id);
  if (endpoint === "lookup") {
    addTo(cell.lookups, status, count);
    return;
  }
  addTo(cell.validations, status, count);
  cell.versions.set(version, (cell.versions.get(version) ?? 0) + count);
  if (license_id === null) return;
  if (status === "active") cell.active.add(license_id);
  else addTo(cell.refused, refusalKey(license_id, status), count);
}

function countsOf({ validations, lookups }: Cell): Counts {
  const counts: Counts = new Map();
  for (const [status, count] of validations) addTo(counts, `validate ${status}`, count);
  for (const [status, count] of lookups) addTo(counts, `lookup ${status}`, count);
  return counts;
}

function versionsOf({ versions }: Cell): Counts {
  const counts: Counts = new Map();
  for (const [version, count] of versions)
    addTo(counts, version === null ? noVersion : `v${version.slice(0, maxVersion)}`, count);
  return counts;
}

export function refusalKey(licenseId: string, status: string): string {
  return `${licenseId} ${status}`;
}

function summedUp(cells: readonly Cell[]): Pick<RollUps, "hours" | "days"> {
  const hours = new Map<string, HourRollUp>();
  const days = new Map<string, DayRollUp>();
  for (const cell of cells) {
    const { organizationId, hour } = cell;
    const day = Math.floor((hour * hourMs) / dayMs);
    const uniques = uniquesOf(cell);
    const counts = countsOf(cell);
    for (const productId of [cell.productId, allProducts]) {
      const name = `${organizationId} ${productId}`;
      const inHour = emptyOr(hours, `${name} ${hour}`, () => ({
        ...{ organizationId, productId, hour, uniques: noUniques() },
        ...{ counts: new Map(), versions: new Map(), countries: new Map() },
      }));
      addAll(inHour.counts, counts);
      addAll(inHour.countries, cell.countries);
      if (productId !== allProducts) addAll(inHour.versions, versionsOf(cell));
      mergeUniques(inHour.uniques, uniques);
      const inDay = emptyOr(days, `${name} ${day}`, () => ({
        ...{ organizationId, productId, day, uniques: noUniques() },
        refused: new Map(),
      }));
      addAll(inDay.refused, cell.refused);
      mergeUniques(inDay.uniques, uniques);
    }
  }
  for (const { versions, countries } of hours.values()) {
    keepMost(versions, maxVersions, otherVersions);
    keepMost(countries, maxCountries, noCountry);
  }
  for (const { refused } of days.values()) keepMost(refused, maxRefused, otherRefusals);
  return { hours: sorted(hours), days: sorted(days) };
}

export function noUniques(): Uniques {
  return { licenses: new UniqueCount(), active: new UniqueCount(), ips: new UniqueCount() };
}

export function mergeUniques(into: Uniques, from: Uniques): void {
  into.licenses.merge(from.licenses);
  into.active.merge(from.active);
  into.ips.merge(from.ips);
}

function uniquesOf({ licenses, active, ips }: Cell): Uniques {
  return { licenses: UniqueCount.of(licenses), active: UniqueCount.of(active), ips: UniqueCount.of(ips) };
}

export function addAll(into: Counts, from: ReadonlyMap<string, number>): void {
  for (const [key, count] of from) addTo(into, key, count);
}

function emptyOr<T>(entries: Map<string, T>, key: string, create: () => T): T {
  const known = entries.get(key);
  if (known !== undefined) return known;
  const created = create();
  entries.set(key, created);
  return created;
}

function sorted<T>(byKey: ReadonlyMap<string, T>): T[] {
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

/** Numbers of requests by something. */
export type Counts = Map<string, number>;

function addTo(counts: Counts, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}

/** Sums up all but the largest as `rest`, which does not count as one of them. The result does not depend on the order. */
export function keepMost(counts: Counts, most: number, rest: string): void {
  if (counts.size <= most) return;
  const byCount = [...counts]
    .filter(([key]) => key !== rest)
    .sort(([keyA, a], [keyB, b]) => b - a || (keyA < keyB ? -1 : 1));
  for (const [key, count] of byCount.slice(most)) {
    counts.delete(key);
    addTo(counts, rest, count);
  }
}

/** As it is stored: a JSON object, sorted by key. */
export function countsText(counts: ReadonlyMap<string, number>): string {
  if (counts.size === 0) return "{}";
  return JSON.stringify(Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Adds what `countsText` wrote. */
export function addText(counts: Counts, text: string): void {
  if (text === "{}") return;
  for (const [key, count] of Object.entries(JSON.parse(text) as Record<string, number>))
    addTo(counts, key, count);
}
