import { exactUniques, UniqueCount, uniqueError } from "@countersign/domain/analytics/unique-count";
import { hourMs } from "@countersign/domain/dates/lengths";
import { existingDays } from "@countersign/store/request-log/days";
import { logOf } from "@countersign/store/request-log/tables";
import { mergedDay, mergedHour, mergedHourUniques } from "@countersign/store/rollups/merge";
import { allProducts, rollUp } from "@countersign/store/rollups/roll-up";
import type { Database, Store } from "@countersign/store/store";
import type { HourUniquesRow, RequestLogRow, RollUpDayRow, RollUpHourRow } from "@countersign/store/tables";

/** The tables of roll-ups, by their keys. */
interface Tables {
  readonly hours: Map<string, RollUpHourRow>;
  readonly uniques: Map<string, HourUniquesRow>;
  readonly days: Map<string, RollUpDayRow>;
}

export interface CheckedRollUps {
  /** How many rows of the log are in the roll-ups, and how many are not yet. */
  readonly closed: number;
  readonly open: number;
  /** The largest error of a count of different licenses or IP addresses, as a fraction. */
  readonly largestError: number;
}

const rowsAtOnce = 50_000;

/**
 * Checks that the roll-ups are exactly what the closed part of the log adds up to, and that counts of different licenses
 * and IP addresses are within four times the stated error of the exact ones. Nothing may be written meanwhile.
 */
export async function checkRollUps(store: Store): Promise<CheckedRollUps> {
  const { closed_until: closedUntil } = await store.reads
    .selectFrom("request_log_state")
    .select("closed_until")
    .executeTakeFirstOrThrow();
  const expected: Tables = { hours: new Map(), uniques: new Map(), days: new Map() };
  const exact = new Map<string, Set<string>>();
  let closed = 0;
  let open = 0;
  for await (const rows of logIn(store.reads)) {
    const own = rows.filter(({ at }) => at < closedUntil);
    closed += own.length;
    open += rows.length - own.length;
    add(expected, own);
    noteExact(exact, own);
  }
  const stored = await storedIn(store.reads);
  for (const table of ["hours", "uniques", "days"] as const) {
    for (const key of stored[table].keys())
      if (!expected[table].has(key)) throw new Error(`${table} of ${key} should not exist.`);
    for (const [key, row] of expected[table])
      if (!Bun.deepEquals(stored[table].get(key), row))
        throw new Error(`${table} of ${key} differ from the log.`);
  }
  let largestError = 0;
  for (const [key, { licenses, ips }] of stored.uniques)
    for (const [of, text] of [
      ["l", licenses],
      ["i", ips],
    ] as const) {
      const size = exact.get(`${of} ${key}`)?.size ?? 0;
      const error = Math.abs(UniqueCount.parse(text).size - size) / Math.max(size, 1);
      if (error > (size <= exactUniques ? 0 : uniqueError * 4))
        throw new Error(`${of} of ${key} are ${size}, and estimated with an error of ${error}.`);
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

function add({ hours, uniques, days }: Tables, rows: readonly RequestLogRow[]): void {
  const added = rollUp(rows, null);
  for (const one of added.hours) {
    const key = `${one.organizationId} ${one.productId} ${one.hour}`;
    hours.set(key, mergedHour(hours.get(key), one));
    uniques.set(key, mergedHourUniques(uniques.get(key), one));
  }
  for (const one of added.days) {
    const key = `${one.organizationId} ${one.productId} ${one.day}`;
    days.set(key, mergedDay(days.get(key), one));
  }
}

function noteExact(exact: Map<string, Set<string>>, rows: readonly RequestLogRow[]): void {
  const note = (key: string, value: string) => {
    const known = exact.get(key);
    if (known === undefined) exact.set(key, new Set([value]));
    else known.add(value);
  };
  for (const { at, organization_id, product_id, license_id, ip, sandbox } of rows) {
    if (sandbox === 1) continue;
    for (const product of [product_id, allProducts]) {
      const key = `${organization_id} ${product} ${Math.floor(at / hourMs)}`;
      note(`i ${key}`, ip);
      if (license_id !== null) note(`l ${key}`, license_id);
    }
  }
}

async function storedIn(db: Database): Promise<Tables> {
  const hours = await db.selectFrom("rollup_hours").selectAll().execute();
  const uniques = await db.selectFrom("rollup_hour_uniques").selectAll().execute();
  const days = await db.selectFrom("rollup_days").selectAll().execute();
  const byHour = <Row extends RollUpHourRow | HourUniquesRow>(rows: readonly Row[]) =>
    new Map(rows.map((row) => [`${row.organization_id} ${row.product_id} ${row.hour}`, row]));
  return {
    hours: byHour(hours),
    uniques: byHour(uniques),
    days: new Map(days.map((row) => [`${row.organization_id} ${row.product_id} ${row.day}`, row])),
  };
}
