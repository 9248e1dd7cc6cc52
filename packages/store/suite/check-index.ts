import { expect } from "bun:test";
import { requestLog } from "../../../tests/support/request-log.ts";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import { keysIn, labelled } from "../request-log/keys.ts";
import { dayOf, existingDays, keysOf } from "../request-log/tables.ts";
import type { Store } from "../store.ts";
import type { RequestKeyRow, RequestLogRow } from "../tables/journal.ts";

/**
 * Checks that segments do not overlap, that every row before the end of the closed part is in one, and that its keys are
 * exactly those of its rows. Returns the rows after it.
 */
export async function checkIndex(store: Store): Promise<RequestLogRow[]> {
  const rows = await requestLog(store);
  const segments = await store.reads.selectFrom("request_segments").selectAll().orderBy("from_at").execute();
  const { closed_until: closedUntil } = await storedRow(store.reads, "request_log_state", {});
  const expected: RequestKeyRow[] = [];
  const counts: number[] = [];
  for (const [index, { from_at, until_at }] of segments.entries()) {
    expect(dayOf(until_at - 1)).toBe(dayOf(from_at));
    expect(until_at).toBeLessThanOrEqual(segments[index + 1]?.from_at ?? closedUntil);
    const own = rows.filter(({ at }) => at >= from_at && at < until_at);
    counts.push(own.length);
    expected.push(...keysIn(own, from_at));
  }
  expect(segments.map((segment) => segment.rows)).toEqual(counts);
  const closed = rows.filter(({ at }) => at < closedUntil);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(closed.length);
  const found: RequestKeyRow[] = [];
  for (const day of (await existingDays(store.reads)).reverse()) {
    const keys = store.reads.selectFrom(keysOf(day)).select(["from_at", "kind", "key", "count", "ats"]);
    found.push(...(await keys.orderBy("from_at").orderBy("kind").orderBy("key").execute()));
  }
  expect(found.map(readable)).toEqual(expected.map(readable));
  return rows.filter(({ at }) => at >= closedUntil);
}

/** Without the order of what late rows added. */
function readable(row: RequestKeyRow) {
  return row.kind === "o" ? row : { ...row, ats: labelled(row) };
}
