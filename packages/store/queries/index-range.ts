import { type RawBuilder, sql } from "kysely";

/** Before every ID, and after every ID, in any database's text order. */
const first = "";
const beyond = "g";

export interface IdRange {
  readonly from?: string | null;
  readonly after?: string | null;
  readonly before?: readonly (string | null)[];
}

/**
 * The rows with these values in the first columns of an index, by the IDs that it ends with. Written as a range of that
 * index: given equalities, PostgreSQL may walk the IDs of all rows to find the few, because it assumes that they are
 * evenly distributed.
 */
export function idsWithin(
  start: Readonly<Record<string, string>>,
  { from = null, after = null, before = [] }: IdRange = {},
): RawBuilder<boolean> {
  const columns = sql.join([...Object.keys(start), "id"].map((name) => sql.ref(name)));
  const position = (id: string) => sql.join([...Object.values(start), id]);
  const highest = before.reduce<string>((least, id) => (id !== null && id < least ? id : least), beyond);
  // One lower bound: an index seeks to the first one it is given, and scans everything between.
  const isAfter = after !== null && (from === null || after >= from);
  const lowest = isAfter
    ? sql`(${columns}) > (${position(after)})`
    : sql`(${columns}) >= (${position(from ?? first)})`;
  return sql<boolean>`${lowest} and (${columns}) < (${position(highest)})`;
}
