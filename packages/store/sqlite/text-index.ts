import { randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { rollback } from "./errors.ts";

/** How many licenses are indexed per batch: limited by how long a search can be kept waiting. */
const batch = 100;
/** How many pending changes a search scans; with more, the index cannot tell quickly. */
const maxWaiting = 20_000;
/** How many trigrams of a term are looked up, rarest first: each further one costs more than it narrows down. */
const trigramsLookedUp = 3;
const sampleSize = 1_000;
const sampleLastsMs = 300_000;

/** Its name in `platform_state`. If the index file does not contain the same text, it belongs to another database. */
export const stateName = "license_search";

/** What was indexed, and what to record in the main database: the changes to delete, and the index's progress. */
export interface IndexedChanges {
  readonly upTo: number;
  readonly state: string;
}

/**
 * A trigram index of the licenses' search texts, in a separate file (attached as `search`), so that writing a license
 * never waits for it. It follows the main database batch by batch. After each batch, both files hold the same state; if
 * they differ, because one was restored or lost, the index is rebuilt.
 */
export class TextIndex {
  readonly #database: DatabaseSync;
  readonly #state: StatementSync;
  readonly #waiting: StatementSync;
  readonly #match: StatementSync;
  readonly #confirm: StatementSync;
  readonly #amongWaiting: StatementSync;
  #sample: { readonly texts: readonly string[]; readonly atMs: number } | null = null;

  /** Null if the file contains no index, or that of another database. */
  static open(database: DatabaseSync): TextIndex | null {
    const there = database.prepare("select 1 from search.sqlite_master where name = 'license_search_state'");
    if (there.get() === undefined) return null;
    const index = new TextIndex(database);
    return index.#belongs ? index : null;
  }

  /** Creates an empty index with everything still to process. */
  static make(database: DatabaseSync): TextIndex {
    database.exec(`
      begin;
      drop table if exists search.license_search;
      drop table if exists search.license_search_state;
      create virtual table search.license_search using fts5
        (search_text, content='', contentless_delete=1, detail=none, tokenize='trigram case_sensitive 1');
      create table search.license_search_state (id text not null, batches integer not null, made_to integer);
      insert into search.license_search_state values ('${randomUUID()}', 0, 0);
      commit;
    `);
    return new TextIndex(database);
  }

  private constructor(database: DatabaseSync) {
    this.#database = database;
    this.#state = database.prepare(
      `select id || ':' || batches as state, made_to as "madeTo" from search.license_search_state`,
    );
    this.#waiting = database.prepare(
      `select count(*) as count from (select 1 from license_search_changes limit ${maxWaiting + 1})`,
    );
    this.#match = database.prepare(
      "select rowid as row from search.license_search where license_search match ? limit ?",
    );
    const holds = `l.organization_id = ?
      and not exists (select 1 from json_each(?) w where instr(l.search_text, w.value) = 0)`;
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

  /** Whether it has processed everything that existed when it was created. */
  get isWhole(): boolean {
    return this.#state.get()?.madeTo === null;
  }

  get state(): string {
    return String(this.#state.get()?.state);
  }

  /** Null if there are more than `most`, or if it cannot tell. */
  find(organizationId: string, words: readonly string[], most: number): string[] | null {
    if (!this.isWhole || Number(this.#waiting.get()?.count) > maxWaiting) return null;
    const proposed = this.#propose(organizationId, words, 2 * most);
    if (proposed === null) return null;
    const ids = new Set<string>();
    const wanted = JSON.stringify(words);
    // The index knows which trigrams a text contains, but not their order, so the text itself is checked.
    for (const { id } of this.#confirm.all(JSON.stringify(proposed), organizationId, wanted))
      ids.add(String(id));
    for (const { id } of this.#amongWaiting.all(organizationId, wanted)) ids.add(String(id));
    return ids.size > most ? null : [...ids];
  }

  /** Licenses that may contain the words, by row number; null if there are more than `most`. */
  #propose(organizationId: string, words: readonly string[], most: number): number[] | null {
    const sample = this.#sampled();
    const share = (three: string) => sample.filter((text) => text.includes(three)).length;
    const rarest = [organizationMark(organizationId), ...words.flatMap(trigrams)]
      .map((three) => ({ three, share: share(three) }))
      .sort((a, b) => a.share - b.share)
      .slice(0, trigramsLookedUp);
    const rows = this.#match.all(rarest.map(({ three }) => quoted(three)).join(" AND "), most + 1);
    return rows.length > most ? null : rows.map(({ row }) => Number(row));
  }

  /** A sample of the texts as they are indexed, to estimate which trigrams are rare. */
  #sampled(): readonly string[] {
    const nowMs = performance.now();
    if (this.#sample !== null && nowMs - this.#sample.atMs < sampleLastsMs) return this.#sample.texts;
    const { last } = this.#database.prepare("select max(rowid) as last from licenses").get() as {
      last: number | null;
    };
    const step = Math.max(1, Math.floor((last ?? 0) / sampleSize));
    const rows = Array.from({ length: sampleSize }, (_, position) => 1 + position * step);
    const texts = this.#database
      .prepare(
        `select l.organization_id, l.search_text
         from json_each(?) c cross join licenses l on l.rowid = c.value`,
      )
      .all(JSON.stringify(rows))
      .map((row) => indexed(String(row.organization_id), String(row.search_text)));
    this.#sample = { texts, atMs: nowMs };
    return texts;
  }

  /** Changes that a new index need not process: it will read all licenses, with every change until now. */
  begun(): IndexedChanges {
    const last = this.#database.prepare("select max(number) as number from license_search_changes").get();
    return { upTo: Number(last?.number ?? 0), state: this.state };
  }

  /** Processes the next batch. Null if there is nothing to do. */
  takeIn(): IndexedChanges | null {
    const madeTo = this.#state.get()?.madeTo;
    return madeTo === null ? this.#follow() : this.#make(Number(madeTo));
  }

  #make(madeTo: number): IndexedChanges {
    const licenses = this.#database
      .prepare("select rowid as row from licenses where rowid > ? order by rowid limit ?")
      .all(madeTo, batch)
      .map(({ row }) => Number(row));
    const end = licenses.length < batch ? null : (licenses.at(-1) ?? null);
    return { upTo: 0, state: this.#write(licenses, end) };
  }

  #follow(): IndexedChanges | null {
    const changes = this.#database
      .prepare('select number, license_row as "row" from license_search_changes order by number limit ?')
      .all(batch);
    if (changes.length === 0) return null;
    const licenses = new Set(changes.map(({ row }) => Number(row)));
    return { upTo: Number(changes.at(-1)?.number), state: this.#write([...licenses], null) };
  }

  /** Updates the index for these licenses to the current state, whatever it contained before. */
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
    // Not `immediate`, which would also lock the main database for writing.
    this.#database.exec("begin");
    try {
      for (const row of rows) remove.run(row);
      for (const { row, organization_id: organizationId, search_text: text } of texts)
        add.run(Number(row), indexed(String(organizationId), String(text)));
      this.#database
        .prepare("update search.license_search_state set batches = batches + 1, made_to = ?")
        .run(madeTo);
      this.#database.exec("commit");
    } catch (error) {
      rollback(this.#database);
      throw error;
    }
    return this.state;
  }
}

/**
 * Three characters that stand for the organization and occur in no real text. They are indexed before each text and
 * added to each search, so that no search has to go through other organizations' data.
 */
function organizationMark(organizationId: string): string {
  const digit = (position: number) => (organizationId.at(-position)?.charCodeAt(0) ?? 0) & 63;
  return String.fromCharCode(
    ...[1, 3, 5].map((position) => 0xe000 + 64 * digit(position) + digit(position + 1)),
  );
}

function indexed(organizationId: string, text: string): string {
  return `${organizationMark(organizationId)}\n${text}`;
}

/** Every three consecutive characters, not halves of them. */
function trigrams(term: string): string[] {
  const characters = [...term];
  const pieces = new Set<string>();
  for (let start = 0; start + 3 <= characters.length; start++)
    pieces.add(characters.slice(start, start + 3).join(""));
  return [...pieces];
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
