import { type RawBuilder, sql } from "kysely";

/** Before every id, and after every id, in whatever order a database sorts texts. */
const first = "";
const beyond = "g";

export interface IdRange {
  readonly from?: string | null;
  readonly after?: string | null;
  readonly before?: readonly (string | null)[];
}

/**
 * The rows with these values in the columns that an index begins with, by the ids that it ends with. Said as a range of
 * that index: where the columns are said to be equal to something, PostgreSQL may go along the ids of all rows and look
 * for the few, because it takes them to lie everywhere alike.
 */
export function idsWithin(
  start: Readonly<Record<string, string>>,
  { from = null, after = null, before = [] }: IdRange = {},
): RawBuilder<boolean> {
  const columns = sql.join([...Object.keys(start), "id"].map((name) => sql.ref(name)));
  const place = (id: string) => sql.join([...Object.values(start), id]);
  const highest = before.reduce<string>((least, id) => (id !== null && id < least ? id : least), beyond);
  // One lower bound: an index seeks to the first that it is given, and goes through what lies between.
  const isAfter = after !== null && (from === null || after >= from);
  const lowest = isAfter
    ? sql`(${columns}) > (${place(after)})`
    : sql`(${columns}) >= (${place(from ?? first)})`;
  return sql<boolean>`${lowest} and (${columns}) < (${place(highest)})`;
}
