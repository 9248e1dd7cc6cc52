import type { RequestLogRow } from "../tables/journal.ts";

/** Sorts rows as they are stored. */
export function byTime(one: RequestLogRow, other: RequestLogRow): number {
  return one.at - other.at || (one.id < other.id ? -1 : 1);
}
