import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Finds licenses by a part of their text, in the index that `license-search.ts` of the migrations makes. */
export class SqliteSearch {
  readonly #find: StatementSync;

  constructor(reader: DatabaseSync) {
    this.#find = reader.prepare(
      `select l.id from license_search s cross join licenses l on l.rowid = s.rowid
       where s.license_search match ? and l.organization_id = ?
       limit ?`,
    );
  }

  /** Null when there are more than `most`. */
  licenses(organizationId: string, term: string, most: number): string[] | null {
    const words = `${quoted(organizationMark(organizationId))} AND ${quoted(term)}`;
    const rows = this.#find.all(words, organizationId, most + 1);
    return rows.length > most ? null : rows.map((row) => String(row.id));
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
