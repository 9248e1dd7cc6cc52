import type { Database } from "../../store.ts";
import { closedSpans } from "./closed-spans.ts";
import { openSpans } from "./open-spans.ts";
import { type Order, type Span, type SpanKey, spanSizes, type TimeRange } from "./span.ts";

/**
 * The parts of the log in which a key occurs within a time range, in order. Newer rows are not indexed yet: these parts
 * come with all of their rows. A row that is written meanwhile may be missed, and none comes twice.
 */
export async function* spans(
  db: Database,
  key: SpanKey,
  range: TimeRange,
  order: Order,
  sizes = spanSizes,
): AsyncGenerator<Span> {
  const state = await db.selectFrom("request_log_state").select("closed_until").executeTakeFirst();
  const closedUntil = state?.closed_until ?? 0;
  const closed = { fromMs: range.fromMs, untilMs: Math.min(range.untilMs, closedUntil) };
  const open = { fromMs: Math.max(range.fromMs, closedUntil), untilMs: range.untilMs };
  if (order === "oldest") yield* closedSpans(db, key, closed, order, sizes);
  yield* openSpans(db, open, order, sizes);
  if (order === "newest") yield* closedSpans(db, key, closed, order, sizes);
}
