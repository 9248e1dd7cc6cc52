import { randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** So many licenses are taken into the index at once: about as long as somebody who searches may be kept waiting. */
const lot = 400;
/** So many changes are read through by a search; when more wait, the index does not tell quickly. */
const mostWaiting = 20_000;
const candidatesAtOnce = 500;

/** What `platform_state` calls it. The index file holds the same text, or it is the index of something else. */
export const stateName = "license_search";

/** What was taken into the index, and what the main database is to be told: to forget it, and how far the index is. */
export interface Taken {
  readonly upTo: number;
  readonly state: string;
}

/**
 * An index over every three characters in a row of the licenses' search texts, in a file of its own (attached as
 * `search`), so that whoever writes a license never waits for it. It follows the main database lot by lot. After each
 * lot both files hold the same state; when they do not, because one was restored or lost, the index is made anew.
 */
export class TextIndex {
  readonly #database: DatabaseSync;
  readonly #state: StatementSync;
  readonly #waiting: StatementSync;
  readonly #match: StatementSync;
  readonly #confirm: StatementSync;
  readonly #amongWaiting: StatementSync;

  /** Null when the file holds no index, or that of another database. */
  static open(database: DatabaseSync): TextIndex | null {
    const there = database.prepare("select 1 from search.sqlite_master where name = 'license_search_state'");
    if (there.get() === undefined) return null;
    const index = new TextIndex(database);
    return index.#belongs ? index : null;
  }

  /** Makes an empty one, which has everything before it. */
  static make(database: DatabaseSync): TextIndex {
    database.exec(`
      begin;
      drop table if exists search.license_search;
      drop table if exists search.license_search_state;
      create virtual table search.license_search using fts5
        (search_text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
      create table search.license_search_state (id text not null, lots integer not null, made_to integer);
      insert into search.license_search_state values ('${randomUUID()}', 0, 0);
      commit;
    `);
    return new TextIndex(database);
  }

  private constructor(database: DatabaseSync) {
    this.#database = database;
    this.#state = database.prepare(
      `select id || ':' || lots as state, made_to as "madeTo" from search.license_search_state`,
    );
    this.#waiting = database.prepare(
      `select count(*) as count from (select 1 from license_search_changes limit ${mostWaiting + 1})`,
    );
    this.#match = database.prepare(
      `select rowid as row from search.license_search where license_search match ? and rowid > ?
       order by rowid limit ${candidatesAtOnce}`,
    );
    const holds = "l.organization_id = ? and instr(l.search_text, ?) > 0";
    this.#confirm = database.prepare(
      `select l.id from json_each(?) c cross join licenses l on l.rowid = c.value where ${holds}`,
    );
    this.#amongWaiting = database.prepare(
      `select distinct l.id from license_search_changes c cross join licenses l on l.rowid = c.license_row
       where ${holds}`,
    );
  }

  get #belongs(): boolean {
    const known = this.#database.prepare(`select value from platform_state where name = '${stateName}'`);
    return this.state === known.get()?.value;
  }

  get state(): string {
    return String(this.#state.get()?.state);
  }

  /** Null when there are more than `most`, or when it cannot tell. */
  find(organizationId: string, term: string, most: number): string[] | null {
    const isWhole = this.#state.get()?.madeTo === null;
    if (!isWhole || Number(this.#waiting.get()?.count) > mostWaiting) return null;
    const found = new Set(this.#amongWaiting.all(organizationId, term).map((row) => String(row.id)));
    const words = [organizationMark(organizationId), ...threes(term)].map(quoted).join(" AND ");
    for (let after = 0; ; ) {
      const rows = this.#match.all(words, after).map(({ row }) => Number(row));
      // The index knows which threes a text holds, not in which order: the text itself has the last word.
      for (const { id } of this.#confirm.all(JSON.stringify(rows), organizationId, term))
        found.add(String(id));
      if (found.size > most) return null;
      if (rows.length < candidatesAtOnce) return [...found];
      after = rows.at(-1) ?? 0;
    }
  }

  /** Takes the next lot in. Null when there is nothing to do. */
  takeIn(): Taken | null {
    const madeTo = this.#state.get()?.madeTo;
    return madeTo === null ? this.#follow() : this.#make(Number(madeTo));
  }

  #make(madeTo: number): Taken {
    const licenses = this.#database
      .prepare("select rowid as row from licenses where rowid > ? order by rowid limit ?")
      .all(madeTo, lot)
      .map(({ row }) => Number(row));
    const end = licenses.length < lot ? null : (licenses.at(-1) ?? null);
    return { upTo: 0, state: this.#write(licenses, end) };
  }

  #follow(): Taken | null {
    const changes = this.#database
      .prepare('select number, license_row as "row" from license_search_changes order by number limit ?')
      .all(lot);
    if (changes.length === 0) return null;
    const licenses = new Set(changes.map(({ row }) => Number(row)));
    return { upTo: Number(changes.at(-1)?.number), state: this.#write([...licenses], null) };
  }

  /** Makes the index say of these licenses what is true now, whatever it said before. */
  #write(rows: readonly number[], madeTo: number | null): string {
    const texts = this.#database
      .prepare(
        `select l.rowid as row, l.organization_id, l.search_text
         from json_each(?) c cross join licenses l on l.rowid = c.value`,
      )
      .all(JSON.stringify(rows));
    const remove = this.#database.prepare("delete from search.license_search where rowid = ?");
    const add = this.#database.prepare(
      "insert into search.license_search (rowid, search_text) values (?, ?)",
    );
    // Not `immediate`, which would take the right to write from the main database too.
    this.#database.exec("begin");
    try {
      for (const row of rows) remove.run(row);
      for (const { row, organization_id: organizationId, search_text: text } of texts)
        add.run(Number(row), `${organizationMark(String(organizationId))}\n${text}`);
      this.#database
        .prepare("update search.license_search_state set lots = lots + 1, made_to = ?")
        .run(madeTo);
      this.#database.exec("commit");
    } catch (error) {
      this.#database.exec("rollback");
      throw error;
    }
    return this.state;
  }
}

/**
 * Three characters that stand for the organization and occur in no text that people write. They are indexed before
 * each text and looked for with each term, so that nobody's search wades through what others have.
 */
export function organizationMark(organizationId: string): string {
  const digit = (place: number) => (organizationId.at(-place)?.charCodeAt(0) ?? 0) & 63;
  return String.fromCharCode(...[1, 3, 5].map((place) => 0xe000 + 64 * digit(place) + digit(place + 1)));
}

/** Threes side by side that cover the term; those that overlap them would hardly narrow it down further. */
export function threes(term: string): string[] {
  const characters = [...term];
  const found = new Set<string>();
  for (let start = 0; start < characters.length; start += 3)
    found.add(
      characters
        .slice(Math.min(start, characters.length - 3))
        .slice(0, 3)
        .join(""),
    );
  return [...found];
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
