import { existingDays } from "../../request-log/days.ts";
import { logOf, startOfDay } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import { growth, type Order, ofDay, type Span, type SpanSizes, type TimeRange } from "./span.ts";

/** The part that has no index yet. */
export async function* openSpans(
  db: Database,
  range: TimeRange,
  order: Order,
  sizes: SpanSizes,
): AsyncGenerator<Span> {
  if (range.fromMs >= range.untilMs) return;
  let rows = sizes.rows.first;
  const days = await existingDays(db);
  const meant = days.filter((day) => startOfDay(day + 1) > range.fromMs && startOfDay(day) < range.untilMs);
  for (const day of order === "newest" ? meant : meant.reverse()) {
    let fromMs = Math.max(range.fromMs, startOfDay(day));
    let untilMs = Math.min(range.untilMs, startOfDay(day + 1));
    while (fromMs < untilMs) {
      const cut = await cutOf(db, day, { fromMs, untilMs }, order, rows);
      if (order === "newest") {
        // All rows of a millisecond are in the same part.
        const start = cut ?? fromMs;
        yield { day, fromMs: start, untilMs, times: null, rows };
        untilMs = start;
      } else {
        const end = cut === null ? untilMs : cut + 1;
        yield { day, fromMs, untilMs: end, times: null, rows };
        fromMs = end;
      }
      rows = Math.min(rows * growth, sizes.rows.most);
    }
  }
}

/** The time of the row after so many; null if there are fewer. */
async function cutOf(
  db: Database,
  day: number,
  { fromMs, untilMs }: TimeRange,
  order: Order,
  rows: number,
): Promise<number | null> {
  const found = await ofDay(
    db
      .selectFrom(logOf(day))
      .select("at")
      .where("at", ">=", fromMs)
      .where("at", "<", untilMs)
      .orderBy("at", order === "newest" ? "desc" : "asc")
      .limit(1)
      .offset(rows)
      .execute(),
  );
  return found[0]?.at ?? null;
}
