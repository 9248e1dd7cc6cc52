import { quotaDay, usageDays } from "@countersign/domain/quota/day";

/** Sketches of hours are kept for so many days; then those of UTC days are used. */
export const uniqueHourDays = 90;

/** The first hour whose sketches are used: the start of a UTC day. */
export function uniqueHoursSince(nowMs: number): number {
  return (quotaDay(nowMs) - uniqueHourDays) * 24;
}

/** A table of roll-ups, and from when on its rows are kept. */
interface KeptRollUps {
  readonly table: string;
  readonly key: readonly string[];
  readonly column: "hour" | "day";
  readonly since: number;
}

/**
 * Counts are kept for 13 months, like the usage. Sketches of hours, which are large, are kept a day longer than they are used.
 * Where licenses were used from is kept as long as the request log, because it contains IP addresses.
 */
export function keptRollUps(nowMs: number, logKeptSinceMs: number): readonly KeptRollUps[] {
  const firstDay = quotaDay(nowMs) - usageDays + 1;
  const ofProduct = ["organization_id", "product_id"];
  return [
    { table: "rollup_hours", key: [...ofProduct, "hour"], column: "hour", since: firstDay * 24 },
    {
      table: "rollup_hour_uniques",
      key: [...ofProduct, "hour"],
      column: "hour",
      since: uniqueHoursSince(nowMs) - 24,
    },
    { table: "rollup_days", key: [...ofProduct, "day"], column: "day", since: firstDay },
    {
      table: "license_days",
      key: ["organization_id", "day", "license_id"],
      column: "day",
      since: quotaDay(logKeptSinceMs),
    },
  ];
}

/** Deletes rows of a table from before $1, and at most $2. */
export function pruneStatement({ table, key, column }: KeptRollUps): string {
  return `delete from ${table} where (${key.join()}) in
    (select ${key.join()} from ${table} where ${column} < $1 order by ${column} limit $2)`;
}

export const rollUpsAtOnce = 1_000;

/** Deletes rows of the organization $1 from a table, and at most $2. */
export function deleteStatement({ table, key }: KeptRollUps): string {
  return `delete from ${table} where (${key.join()}) in
    (select ${key.join()} from ${table} where organization_id = $1 limit $2)`;
}
