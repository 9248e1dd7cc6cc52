import type { HourUniquesRow, LicenseDayRow, RollUpDayRow, RollUpHourRow } from "../tables/journal.ts";
import {
  addText,
  type Counts,
  countsText,
  type DayRollUp,
  type HourRollUp,
  keepMost,
  maxCountries,
  maxRefused,
  maxVersions,
  noCountry,
  otherRefusals,
  otherVersions,
  type Uniques,
} from "./roll-up.ts";
import { addValue, type LicenseDay, maxValues, type Travel } from "./sharing.ts";

type Key = readonly (string | number)[];

/** A table of roll-ups, and how to add to one of its rows. */
export interface RollUpTable<Row, Added> {
  readonly name: string;
  readonly key: readonly (keyof Row & string)[];
  readonly columns: readonly (keyof Row & string)[];
  /** Those columns that are numbers. */
  readonly numbers: ReadonlySet<string>;
  readonly keyOf: (added: Added) => Key;
  readonly merged: (stored: Row | undefined, added: Added) => Row;
}

const ofHour = ({ organizationId, productId, hour }: HourRollUp): Key => [organizationId, productId, hour];

export const hourTable: RollUpTable<RollUpHourRow, HourRollUp> = {
  name: "rollup_hours",
  key: ["organization_id", "product_id", "hour"],
  columns: ["organization_id", "product_id", "hour", "counts", "versions", "countries"],
  numbers: new Set(["hour"]),
  keyOf: ofHour,
  merged: mergedHour,
};

export const hourUniquesTable: RollUpTable<HourUniquesRow, HourRollUp> = {
  name: "rollup_hour_uniques",
  key: ["organization_id", "product_id", "hour"],
  columns: ["organization_id", "product_id", "hour", "licenses", "active", "ips"],
  numbers: new Set(["hour"]),
  keyOf: ofHour,
  merged: mergedHourUniques,
};

export const dayTable: RollUpTable<RollUpDayRow, DayRollUp> = {
  name: "rollup_days",
  key: ["organization_id", "product_id", "day"],
  columns: ["organization_id", "product_id", "day", "licenses", "active", "ips", "refused"],
  numbers: new Set(["day"]),
  keyOf: ({ organizationId, productId, day }) => [organizationId, productId, day],
  merged: mergedDay,
};

export const licenseDayTable: RollUpTable<LicenseDayRow, LicenseDay> = {
  name: "license_days",
  key: ["organization_id", "day", "license_id"],
  columns: [
    ...([
      "organization_id",
      "day",
      "license_id",
      "product_id",
      "ip_count",
      "device_count",
      "speed_kmh",
    ] as const),
    ...(["ips", "devices", "travel"] as const),
  ],
  numbers: new Set(["day", "ip_count", "device_count", "speed_kmh"]),
  keyOf: ({ organizationId, day, licenseId }) => [organizationId, day, licenseId],
  merged: mergedLicenseDay,
};

/** Each adds what is new to the stored row, if there is one, and returns the row to store. */

export function mergedHour(stored: RollUpHourRow | undefined, rollUp: HourRollUp): RollUpHourRow {
  const { organizationId, productId, hour } = rollUp;
  return {
    ...{ organization_id: organizationId, product_id: productId, hour },
    counts: mergedCounts(stored?.counts, rollUp.counts),
    versions: mergedCounts(stored?.versions, rollUp.versions, maxVersions, otherVersions),
    countries: mergedCounts(stored?.countries, rollUp.countries, maxCountries, noCountry),
  };
}

export function mergedHourUniques(stored: HourUniquesRow | undefined, rollUp: HourRollUp): HourUniquesRow {
  const { organizationId, productId, hour, uniques } = rollUp;
  return {
    ...{ organization_id: organizationId, product_id: productId, hour },
    ...mergedUniques(stored, uniques),
  };
}

export function mergedDay(stored: RollUpDayRow | undefined, rollUp: DayRollUp): RollUpDayRow {
  const { organizationId, productId, day, uniques, refused } = rollUp;
  return {
    ...{ organization_id: organizationId, product_id: productId, day },
    ...mergedUniques(stored, uniques),
    refused: mergedCounts(stored?.refused, refused, maxRefused, otherRefusals),
  };
}

export function mergedLicenseDay(stored: LicenseDayRow | undefined, fresh: LicenseDay): LicenseDayRow {
  const ips = mergedValues(stored?.ips, fresh.ips);
  const devices = mergedValues(stored?.devices, fresh.devices);
  const before = stored?.travel ? (JSON.parse(stored.travel) as Travel) : null;
  const travel = fastest(before, fresh.travel);
  return {
    organization_id: fresh.organizationId,
    day: fresh.day,
    license_id: fresh.licenseId,
    product_id: fresh.productId,
    ip_count: ips.length,
    device_count: devices.length,
    speed_kmh: travel?.speedKmh ?? null,
    ips: JSON.stringify(ips),
    devices: JSON.stringify(devices),
    travel: travel === null ? null : JSON.stringify(travel),
  };
}

function mergedCounts(
  stored: string | undefined,
  added: ReadonlyMap<string, number>,
  most = Number.POSITIVE_INFINITY,
  rest = "",
): string {
  const counts: Counts = new Map(added);
  if (stored !== undefined) addText(counts, stored);
  keepMost(counts, most, rest);
  return countsText(counts);
}

function mergedUniques(
  stored: { licenses: string; active: string; ips: string } | undefined,
  { licenses, active, ips }: Uniques,
) {
  if (stored !== undefined) {
    licenses.mergeText(stored.licenses);
    active.mergeText(stored.active);
    ips.mergeText(stored.ips);
  }
  return { licenses: licenses.toText(), active: active.toText(), ips: ips.toText() };
}

function mergedValues(stored: string | undefined, added: readonly string[]): string[] {
  const values = stored === undefined ? [] : (JSON.parse(stored) as string[]);
  for (const value of added) addValue(values, value, maxValues);
  return values;
}

function fastest(one: Travel | null, other: Travel | null): Travel | null {
  if (one === null || other === null) return one ?? other;
  return one.speedKmh >= other.speedKmh ? one : other;
}
