import type { HourUniquesRow, LicenseDayRow, RollUpDayRow, RollUpHourRow } from "../tables/journal.ts";
import { mergedDay, mergedHour, mergedHourUniques, mergedLicenseDay } from "./merge.ts";
import type { DayRollUp, HourRollUp } from "./roll-up.ts";
import type { LicenseDay } from "./sharing.ts";

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
