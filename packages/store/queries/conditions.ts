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

/** Where a list in text order continues. */
export interface TextPosition {
  readonly text: string;
  readonly id: string;
}

/** Every text with this prefix sorts before its end: the prefix followed by the last possible character. */
export function endOfPrefix(text: string): string {
  return `${text}\u{10ffff}`;
}

/**
 * A text column, compared after its rows were found in another way. Without statistics, SQLite expects ten rows of an
 * organization: for more IDs than that, it would read all rows of the organization instead of those with the IDs.
 */
export function unindexed(column: string): RawBuilder<string> {
  return sql<string>`${sql.ref(column)} || ''`;
}
