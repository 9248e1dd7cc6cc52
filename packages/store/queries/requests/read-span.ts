import { byTime, logOf } from "../../request-log/tables.ts";
import type { Database } from "../../store.ts";
import type { RequestLogRow } from "../../tables/journal.ts";
import { filtered, type RequestFilter } from "./filter.ts";
import { type Order, ofDay, padded, type Span } from "./span.ts";

/** Where reading continues: after this row, in the order of reading. */
export interface Position {
  readonly at: number;
  readonly id: string;
}

/** How many times are looked up together: the first time, and at most. */
const timesFirst = 64;
const timesTogether = 512;

/** The rows of a part of the log that are meant, in order, after a position; at most `limit`. */
export async function readSpan(
  db: Database,
  span: Span,
  filter: RequestFilter,
  page: { readonly order: Order; readonly after: Position | null; readonly limit: number },
): Promise<RequestLogRow[]> {
  return span.times === null
    ? readRange(db, span, filter, page)
    : readTimes(db, span.times, span, filter, page);
}

type Page = Parameters<typeof readSpan>[3];

async function readRange(
  db: Database,
  { day, fromMs, untilMs }: Span,
  filter: RequestFilter,
  { order, after, limit }: Page,
): Promise<RequestLogRow[]> {
  const isNewest = order === "newest";
  let query = filtered(db.selectFrom(logOf(day)).selectAll(), filter);
  if (after === null || after.at < fromMs || after.at >= untilMs) {
    query = query.where("at", ">=", fromMs).where("at", "<", untilMs);
  } else if (isNewest) {
    const { at, id } = after;
    query = query
      .where("at", ">=", fromMs)
      .where("at", "<=", at)
      .where((is) => is.or([is("at", "<", at), is("id", "<", id)]));
  } else {
    const { at, id } = after;
    query = query
      .where("at", ">=", at)
      .where("at", "<", untilMs)
      .where((is) => is.or([is("at", ">", at), is("id", ">", id)]));
  }
  const direction = isNewest ? "desc" : "asc";
  return ofDay(query.orderBy("at", direction).orderBy("id", direction).limit(limit).execute());
}

async function readTimes(
  db: Database,
  times: readonly number[],
  { day }: Span,
  filter: RequestFilter,
  { order, after, limit }: Page,
): Promise<RequestLogRow[]> {
  const isNewest = order === "newest";
  const isLeft = (at: number) => after === null || (isNewest ? at <= after.at : at >= after.at);
  const left = times.filter(isLeft);
  const ordered = isNewest ? left.reverse() : left;
  const matches: RequestLogRow[] = [];
  let together = Math.min(timesTogether, Math.max(timesFirst, limit));
  for (let start = 0; start < ordered.length && matches.length < limit; ) {
    const batch = ordered.slice(start, start + together);
    // Sorted here: few rows, and no reason for a database to prefer an index that has them in order.
    const rows = await ofDay(
      filtered(db.selectFrom(logOf(day)).selectAll(), filter)
        .where("at", "in", padded(batch))
        .execute(),
    );
    rows.sort(isNewest ? (one, other) => byTime(other, one) : byTime);
    matches.push(...rows.filter((row) => after === null || isAfter(row, after, isNewest)));
    start += batch.length;
    together = timesTogether;
  }
  return matches.slice(0, limit);
}

function isAfter(row: RequestLogRow, { at, id }: Position, isNewest: boolean): boolean {
  if (row.at !== at) return isNewest === row.at < at;
  return isNewest ? row.id < id : row.id > id;
}
