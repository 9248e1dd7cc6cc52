import type { DatabaseSync } from "node:sqlite";
import { sql } from "kysely";
import { errorSentence } from "../errors/problem.ts";
import type { Store } from "../store.ts";
import { isDamage, removeDatabase } from "./damage.ts";
import { makePrivate, openReader, type SqliteFiles } from "./files.ts";
import { type IndexedChanges, stateName, TextIndex } from "./text-index.ts";

const checkEveryMs = 200;
const afterTroubleMs = 5_000;
/** While much is being written, the index pauses as long as it works: searches also cover what is not in it yet. */
const restPerWork = 1;
const changesAtOnce = 2_000;

/** Keeps the text index up to date, one batch of licenses at a time, between the other work of this thread. */
export class TextIndexUpkeep {
  readonly #index: TextIndexFile;
  readonly #store: Pick<Store, "transaction">;
  readonly #trouble: (reason: string) => void;
  #next: ReturnType<typeof setTimeout> | undefined;
  #working: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(files: SqliteFiles, store: Pick<Store, "transaction">, trouble: (reason: string) => void) {
    this.#store = store;
    this.#trouble = trouble;
    this.#index = new TextIndexFile(files, trouble);
    this.#workAfter(0);
  }

  /** Null if there are more than `most`, or if no index can tell quickly. */
  find(organizationId: string, words: readonly string[], most: number): string[] | null {
    return this.#isClosed ? null : this.#index.find(organizationId, words, most);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#next);
    await this.#working;
    this.#index.close();
  }

  #workAfter(ms: number): void {
    this.#next = setTimeout(() => {
      this.#working = this.#work();
    }, ms);
    this.#next.unref();
  }

  async #work(): Promise<void> {
    const startedMs = performance.now();
    const taken = this.#index.takeIn();
    let restMs = this.#index.isWhole ? restPerWork * (performance.now() - startedMs) : 0;
    if (taken === null) restMs = this.#index.isTroubled ? afterTroubleMs : checkEveryMs;
    else {
      try {
        await this.#forget(taken);
      } catch (error) {
        // The same licenses are processed again, with the same result.
        if (!this.#isClosed) this.#trouble(errorSentence(error));
        restMs = afterTroubleMs;
      }
    }
    if (!this.#isClosed) this.#workAfter(restMs);
  }

  /**
   * Removes the records of changes that the index has applied. In small batches, because all other writers wait.
   */
  async #forget({ upTo, state }: IndexedChanges): Promise<void> {
    for (let left = true; left; ) {
      left = await this.#store.transaction(async (db) => {
        const some = sql`select number from license_search_changes where number <= ${upTo} limit ${changesAtOnce}`;
        const { numAffectedRows } =
          await sql`delete from license_search_changes where number in (${some})`.execute(db);
        if (Number(numAffectedRows) === changesAtOnce) return true;
        await db
          .insertInto("platform_state")
          .values({ name: stateName, value: state })
          .onConflict((is) => is.column("name").doUpdateSet({ value: state }))
          .execute();
        return false;
      }, "soon");
    }
  }
}

/**
 * The text index file and the connection that reads and writes it. Everything in it can be derived from the licenses,
 * so a damaged file is deleted and rebuilt. Nothing here throws: while there is a problem, `find` returns null, and
 * searches read the licenses instead.
 */
class TextIndexFile {
  readonly #files: SqliteFiles;
  readonly #report: (message: string) => void;
  #opened: { readonly database: DatabaseSync; readonly index: TextIndex } | null = null;
  /** The last reported problem, so that each cause is reported once, however often it is retried. */
  #trouble: string | null = null;

  constructor(files: SqliteFiles, report: (message: string) => void) {
    this.#files = files;
    this.#report = report;
  }

  /** Whether it has processed everything that existed when it was created. */
  get isWhole(): boolean {
    return this.#attempt(() => this.#opened?.index.isWhole) === true;
  }

  /** Whether the last attempt failed, so that the next should wait. */
  get isTroubled(): boolean {
    return this.#trouble !== null;
  }

  /** Processes the next batch, or first opens or creates the index. Null if there is nothing to do, or a problem. */
  takeIn(): IndexedChanges | null {
    return this.#attempt(() => {
      const taken = this.#opened === null ? this.#open() : this.#opened.index.takeIn();
      this.#trouble = null;
      return taken;
    });
  }

  /** Null if there are more than `most`, or if it cannot tell. */
  find(organizationId: string, words: readonly string[], most: number): string[] | null {
    return this.#attempt(() => this.#opened?.index.find(organizationId, words, most) ?? null);
  }

  close(): void {
    this.#opened?.database.close();
    this.#opened = null;
  }

  #open(): IndexedChanges | null {
    const database = attach(this.#files);
    try {
      const known = TextIndex.open(database);
      const index = known ?? TextIndex.make(database);
      const taken = known === null ? index.begun() : index.takeIn();
      this.#opened = { database, index };
      return taken;
    } finally {
      if (this.#opened === null) database.close();
    }
  }

  #attempt<T>(work: () => T): T | null {
    try {
      return work();
    } catch (error) {
      this.#note(error);
      return null;
    }
  }

  #note(error: unknown): void {
    const reason = errorSentence(error);
    const message = isDamage(error)
      ? `The text index ${this.#files.search} is damaged and will be made again. Searches take longer until then: ${reason}`
      : reason;
    if (isDamage(error)) this.#discard();
    if (message !== this.#trouble) this.#report(message);
    this.#trouble = message;
  }

  #discard(): void {
    this.close();
    try {
      removeDatabase(this.#files.search);
    } catch {
      // Then opening it fails again, and that is reported.
    }
  }
}

function attach(files: SqliteFiles): DatabaseSync {
  const database = openReader(files);
  try {
    makePrivate(files.search);
    database.prepare("attach database ? as search").run(files.search);
    // The index can be rebuilt at any time, so nothing waits for the disk.
    database.exec("pragma search.journal_mode = wal; pragma search.synchronous = normal");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
