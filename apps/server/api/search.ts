import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { type CursorKind, decodeCursor, encodeCursor, wrongCursor } from "./page.ts";

/** A searchable list: by prefix, through an index, and through all of it, newest first. */
export interface SearchedList<Row, At extends string | number> {
  readonly kindOfTime: CursorKind;
  /** Ordered by the text, then by the ID. */
  startingWith(term: string, after: { text: string; id: string } | null, limit: number): Promise<Row[]>;
  newest(before: { createdAt: At; id: string } | null, limit: number): Promise<Row[]>;
  textOf(row: Row): string;
  timeOf(row: Row): At;
  idOf(row: Row): string;
  /** Whether it matches, wherever the term occurs. */
  isMeant(row: Row): boolean;
}

interface Search {
  /** In lower case; null for everything. */
  readonly term: string | null;
  /** Whether other filters exclude rows. */
  readonly isFiltered: boolean;
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** How many rows are read before other requests get a turn, and how many per page: then the caller continues. */
const rowsAtOnce = 500;
const maxRows = 5_000;

/**
 * A page of prefix matches, and after all of these, of other matches, newest first. There is no index for the latter: a
 * page ends when enough rows were read, even if it is empty, and its cursor continues from there.
 */
export async function searchPage<Row, At extends string | number>(
  list: SearchedList<Row, At>,
  { term, isFiltered, cursor, limit }: Search,
): Promise<{ rows: Row[]; next_cursor: string | null }> {
  const matches: { row: Row; position: string }[] = [];
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
      if (matches.length === limit) return pageOf(matches, matches.at(-1)?.position ?? null);
      matches.push({ row, position: encodeCursor([phase, at, id]) });
    }
    read += rows.length;
    const isOver = rows.length < step;
    if (isOver && phase === "holds") return pageOf(matches, null);
    if (isOver) [phase, at, id] = ["holds", null, ""];
    else if (read >= maxRows) return pageOf(matches, encodeCursor([phase, at, id]));
    await yieldToEventLoop();
  }
}

/** Whether one of these texts contains a lower-case term. */
export function containsTerm(texts: readonly (string | null)[], term: string): boolean {
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

function pageOf<Row>(matches: readonly { row: Row }[], next: string | null) {
  return { rows: matches.map(({ row }) => row), next_cursor: next };
}
