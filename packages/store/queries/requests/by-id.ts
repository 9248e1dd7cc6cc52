import { timeOfUuid } from "@countersign/domain/ids/uuid";
import { existingDays } from "../../request-log/days.ts";
import { logOf, startOfDay } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import type { RequestLogRow } from "../../tables/journal.ts";
import { filtered, type RequestFilter } from "./filter.ts";
import { ofDay, type TimeRange } from "./span.ts";

/**
 * How long after the time in its ID a request was decided. Nearly all take milliseconds; a slow body takes seconds. The
 * row that sums up the requests over a limit is written at the end of their minute, with the first one's ID. The clocks
 * of servers and of the database differ a little.
 */
const windows: readonly (readonly [beforeMs: number, afterMs: number])[] = [
  [0, 100],
  [100, 1_000],
  [1_000, 10_000],
  [10_000, 20_000],
  [20_000, 90_000],
];

/** The request with the ID in `filter`, if it is meant and within the range. */
export async function requestById(
  db: Database,
  filter: RequestFilter,
  range: TimeRange = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER },
): Promise<RequestLogRow | null> {
  const arrivedMs = timeOfUuid(filter.requestId ?? "");
  if (arrivedMs === null) return null;
  const days = await existingDays(db);
  let searched = { fromMs: arrivedMs, untilMs: arrivedMs };
  for (const [beforeMs, afterMs] of windows) {
    const window = { fromMs: arrivedMs - beforeMs, untilMs: arrivedMs + afterMs };
    const row =
      (await rowIn(db, days, filter, range, { fromMs: searched.untilMs, untilMs: window.untilMs })) ??
      (await rowIn(db, days, filter, range, { fromMs: window.fromMs, untilMs: searched.fromMs }));
    if (row !== null) return row;
    searched = window;
  }
  return null;
}

async function rowIn(
  db: Database,
  days: readonly number[],
  filter: RequestFilter,
  range: TimeRange,
  window: TimeRange,
): Promise<RequestLogRow | null> {
  const fromMs = Math.max(range.fromMs, window.fromMs);
  const untilMs = Math.min(range.untilMs, window.untilMs);
  for (const day of days.filter((one) => startOfDay(one) < untilMs && startOfDay(one + 1) > fromMs)) {
    const query = filtered(db.selectFrom(logOf(day)).selectAll(), filter)
      .where("at", ">=", Math.max(fromMs, startOfDay(day)))
      .where("at", "<", Math.min(untilMs, startOfDay(day + 1)))
      .limit(1);
    const [row] = await ofDay(query.execute());
    if (row !== undefined) return row;
  }
  return null;
}
