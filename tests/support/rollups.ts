import { expect } from "bun:test";
import { exactUniques, UniqueCount, uniqueError } from "@countersign/domain/analytics/unique-count";
import { hourMs } from "@countersign/domain/dates/lengths";
import { existingDays, logOf } from "@countersign/store/request-log/tables";
import { allProducts, type RollUps, rollUp } from "@countersign/store/rollups/roll-up";
import { mergedDay, mergedHour, mergedHourUniques } from "@countersign/store/rollups/tables";
import type { Database, Store } from "@countersign/store/store";
import type {
  HourUniquesRow,
  RequestLogRow,
  RollUpDayRow,
  RollUpHourRow,
} from "@countersign/store/tables/journal";
import { storedRow, storedRows } from "./stored-rows.ts";

/** The tables of roll-ups, by their keys, as they are after writing roll-ups one after the other. */
export class RollUpTables {
  readonly hours = new Map<string, RollUpHourRow>();
  readonly uniques = new Map<string, HourUniquesRow>();
  readonly days = new Map<string, RollUpDayRow>();

  add(added: RollUps): void {
    for (const one of added.hours) {
      const key = `${one.organizationId} ${one.productId} ${one.hour}`;
      this.hours.set(key, mergedHour(this.hours.get(key), one));
      this.uniques.set(key, mergedHourUniques(this.uniques.get(key), one));
    }
    for (const one of added.days) {
      const key = `${one.organizationId} ${one.productId} ${one.day}`;
      this.days.set(key, mergedDay(this.days.get(key), one));
    }
  }
}

const rowsAtOnce = 50_000;

/**
 * Checks that the roll-ups are exactly what the closed part of the log adds up to, and that counts of different licenses
 * and IP addresses are within four times the stated error of the exact ones. Nothing may be written meanwhile. Returns
 * how many rows of the log are in the roll-ups, how many are not yet, and the largest error of a count of different
 * licenses or IP addresses, as a fraction.
 */
export async function checkRollUps({ reads }: Store) {
  const { closed_until: closedUntil } = await storedRow(reads, "request_log_state", {});
  const expected = new RollUpTables();
  /** The licenses and IP addresses of each hour. */
  const exact = new Map<string, { licenses: Set<string>; ips: Set<string> }>();
  let [closed, open, largestError] = [0, 0, 0];
  for await (const rows of logIn(reads)) {
    const own = rows.filter(({ at }) => at < closedUntil);
    closed += own.length;
    open += rows.length - own.length;
    expected.add(rollUp(own, null));
    for (const { at, organization_id, product_id, license_id, ip, sandbox } of own) {
      if (sandbox === 1) continue;
      for (const product of [product_id, allProducts]) {
        const key = `${organization_id} ${product} ${Math.floor(at / hourMs)}`;
        const known = exact.get(key) ?? { licenses: new Set(), ips: new Set() };
        exact.set(key, known);
        known.ips.add(ip);
        if (license_id !== null) known.licenses.add(license_id);
      }
    }
  }
  const hours = await storedRows(reads, "rollup_hours", {});
  const uniques = await storedRows(reads, "rollup_hour_uniques", {});
  const days = await storedRows(reads, "rollup_days", {});
  const keyOf = (row: RollUpHourRow | HourUniquesRow) =>
    `${row.organization_id} ${row.product_id} ${row.hour}`;
  expect(new Map(hours.map((row) => [keyOf(row), row]))).toEqual(expected.hours);
  expect(new Map(uniques.map((row) => [keyOf(row), row]))).toEqual(expected.uniques);
  const dayOf = (row: RollUpDayRow) => `${row.organization_id} ${row.product_id} ${row.day}`;
  expect(new Map(days.map((row) => [dayOf(row), row]))).toEqual(expected.days);
  for (const row of uniques)
    for (const name of ["licenses", "ips"] as const) {
      const size = exact.get(keyOf(row))?.[name].size ?? 0;
      const error = Math.abs(UniqueCount.parse(row[name]).size - size) / Math.max(size, 1);
      expect(error, `${name} of ${keyOf(row)}`).toBeLessThanOrEqual(
        size <= exactUniques ? 0 : uniqueError * 4,
      );
      largestError = Math.max(largestError, error);
    }
  return { closed, open, largestError };
}

/** All rows of the log, some at a time. */
async function* logIn(db: Database): AsyncGenerator<RequestLogRow[]> {
  for (const day of (await existingDays(db)).reverse())
    for (let after = { at: 0, id: "" }; ; ) {
      const { at, id } = after;
      const rows: RequestLogRow[] = await db
        .selectFrom(logOf(day))
        .selectAll()
        .where((is) => is(is.refTuple("at", "id"), ">", is.tuple(at, id)))
        .orderBy("at")
        .orderBy("id")
        .limit(rowsAtOnce)
        .execute();
      yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsAtOnce) break;
      after = last;
    }
}
