import { type CursorKind, decodeCursor, encodeCursor, wrongCursor } from "./page.ts";

/** A list that can be searched: along an index by how a text begins, and through all of it, the newest first. */
export interface SearchedList<Row, At extends string | number> {
  readonly kindOfTime: CursorKind;
  /** In the order of the text, then of the id. */
  startingWith(term: string, after: { text: string; id: string } | null, limit: number): Promise<Row[]>;
  newest(before: { createdAt: At; id: string } | null, limit: number): Promise<Row[]>;
  textOf(row: Row): string;
  timeOf(row: Row): At;
  idOf(row: Row): string;
  /** Whether it is looked for, wherever the term stands in it. */
  isMeant(row: Row): boolean;
}

export interface Search {
  /** In lower case; null for everything. */
  readonly term: string | null;
  /** Whether rows are left out for other reasons. */
  readonly isFiltered: boolean;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** How many rows are read before others get their turn, and how many for one page: then the caller goes on. */
const rowsAtOnce = 500;
const mostRows = 5_000;

/**
 * A page of those that begin with the term, and after all of these of those that hold it somewhere, the newest first.
 * No index tells the latter: a page ends when enough was read, be it empty, and its cursor goes on from there.
 */
export async function searchPage<Row, At extends string | number>(
  list: SearchedList<Row, At>,
  { term, isFiltered, cursor, limit }: Search,
): Promise<{ rows: Row[]; next_cursor: string | null }> {
  const found: { row: Row; place: string }[] = [];
  let { phase, at, id } = startOf(list, term, cursor);
  const step = term === null && !isFiltered ? limit + 1 : rowsAtOnce;
  for (let read = 0; ; ) {
    const rows =
      phase === "starts"
        ? await list.startingWith(term ?? "", at === null ? null : { text: String(at), id }, step)
        : await list.newest(at === null ? null : { createdAt: at as At, id }, step);
    for (const row of rows) {
      [at, id] = [phase === "starts" ? list.textOf(row) : list.timeOf(row), list.idOf(row)];
      const wasShown = phase === "holds" && term !== null && list.textOf(row).startsWith(term);
      if (wasShown || !list.isMeant(row)) continue;
      if (found.length === limit) return pageOf(found, found.at(-1)?.place ?? null);
      found.push({ row, place: encodeCursor([phase, at, id]) });
    }
    read += rows.length;
    const isOver = rows.length < step;
    if (isOver && phase === "holds") return pageOf(found, null);
    if (isOver) [phase, at, id] = ["holds", null, ""];
    else if (read >= mostRows) return pageOf(found, encodeCursor([phase, at, id]));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Whether one of these texts holds a term in lower case. */
export function holds(texts: readonly (string | null)[], term: string): boolean {
  return texts.some((text) => text?.toLowerCase().includes(term));
}

type Phase = "starts" | "holds";

function startOf<Row, At extends string | number>(
  list: SearchedList<Row, At>,
  term: string | null,
  cursor: string | undefined,
): { phase: Phase; at: string | number | null; id: string } {
  const values = decodeCursor(cursor, ["text", "text", "text"], ["text", list.kindOfTime, "text"]);
  if (values === null) return { phase: term === null ? "holds" : "starts", at: null, id: "" };
  const [phase, at = null, id] = values;
  const isTime = (typeof at === "number") === (list.kindOfTime === "number");
  if (phase === "holds" && isTime) return { phase, at, id: String(id) };
  if (phase === "starts" && term !== null && typeof at === "string") return { phase, at, id: String(id) };
  throw wrongCursor();
}

function pageOf<Row>(found: readonly { row: Row }[], next: string | null) {
  return { rows: found.map(({ row }) => row), next_cursor: next };
}
