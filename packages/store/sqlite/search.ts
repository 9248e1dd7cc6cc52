import type { DatabaseSync, StatementSync } from "node:sqlite";

/** How many rows of the index one statement may look at: a statement holds up everything else meanwhile. */
const rowsAtOnce = 50_000;
const longestMs = 40;

/** Finds licenses by a part of their text, in the index that `license-search.ts` of the migrations makes. */
export class SqliteSearch {
  readonly #last: StatementSync;
  readonly #find: StatementSync;

  constructor(reader: DatabaseSync) {
    this.#last = reader.prepare("select max(rowid) as last from licenses");
    this.#find = reader.prepare(
      `select l.id from license_search s cross join licenses l on l.rowid = s.rowid
       where s.search_text match ? and s.rowid between ? and ? and l.organization_id = ?
       limit ?`,
    );
  }

  /** Null when there are more than `most`, or when finding out would take too long. */
  async licenses(organizationId: string, term: string, most: number): Promise<string[] | null> {
    const until = performance.now() + longestMs;
    const { last } = this.#last.get() as { last: number | null };
    const words = `${quoted(organizationMark(organizationId))} AND ${quoted(term)}`;
    const found: string[] = [];
    for (let end = last ?? 0; end > 0; end -= rowsAtOnce) {
      const start = end - rowsAtOnce + 1;
      const rows = this.#find.all(words, start, end, organizationId, most + 1 - found.length);
      found.push(...rows.map((row) => String(row.id)));
      if (found.length > most || performance.now() > until) return null;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return found;
  }
}

/** What the triggers write before each text: two characters of the id make one of a range that nobody writes. */
export function organizationMark(organizationId: string): string {
  const digit = (place: number) => (organizationId.at(-place)?.charCodeAt(0) ?? 0) & 63;
  return String.fromCharCode(...[1, 3, 5].map((place) => 0xe000 + 64 * digit(place) + digit(place + 1)));
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
