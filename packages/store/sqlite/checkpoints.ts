import type { DatabaseSync } from "node:sqlite";
import type { Many } from "../bulk.ts";
import type { Turns } from "../write-lock.ts";
import { openDatabase } from "./files.ts";

/** After how many pages of the log a commit copies it into the database file: SQLite's own number. */
const pagesUsually = 1_000;
/** The same while many transactions follow one another, which dirty the same pages of the indexes again and again. */
const pagesInBulk = 8_000;
/** After how many pages the log is copied apart from any commit. */
const pagesApart = 3_000;
/** Where another thread copies: a commit does it only when that thread has fallen far behind. */
const pagesBehind = 32_000;
const checkEveryMs = 250;

/** Decides who copies SQLite's write-ahead log into the database file, and when. */
export class Checkpoints {
  readonly #writer: DatabaseSync;
  readonly #path: string;
  readonly #turns: Turns;
  #copier: DatabaseSync | null = null;
  #timer: ReturnType<typeof setInterval> | undefined;
  #copying: Promise<void> | null = null;
  #isApart = false;
  #bulkSessions = 0;

  constructor(writer: DatabaseSync, path: string, turns: Turns) {
    this.#writer = writer;
    this.#path = path;
    this.#turns = turns;
  }

  /** From now on another thread copies, so that commits here do not take the time. */
  leaveToAnotherThread(): void {
    this.#isApart = true;
    this.#setPages(pagesBehind);
  }

  /** Copies for all threads from now on. */
  runInBackground(failed: (error: unknown) => void): void {
    this.leaveToAnotherThread();
    this.#timer = setInterval(() => this.copy().catch(failed), checkEveryMs);
    this.#timer.unref();
  }

  /** Says that many transactions are coming, and copies between them. */
  expectMany(): Many {
    this.#bulkSessions += 1;
    if (!this.#isApart) this.#setPages(pagesInBulk);
    return {
      between: () => this.copy(),
      over: () => {
        this.#bulkSessions -= 1;
        if (!this.#isApart && this.#bulkSessions === 0) this.#setPages(pagesUsually);
      },
    };
  }

  /** Copies the log if it is long. */
  copy(): Promise<void> {
    this.#copying ??= this.#copy().finally(() => {
      this.#copying = null;
    });
    return this.#copying;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#copying?.catch(() => undefined);
    this.#copier?.close();
    this.#copier = null;
  }

  /** First most of it, while others write; then what they wrote meanwhile, alone. Only then SQLite restarts the log. */
  async #copy(): Promise<void> {
    // Its own connection: a transaction may be open on the other one.
    this.#copier ??= openDatabase(this.#path);
    const copier = this.#copier;
    if (uncopied(copier, "noop") < pagesApart) return;
    if (uncopied(copier, "passive") > 0) await this.#turns.hold(async () => void uncopied(copier, "passive"));
  }

  #setPages(pages: number): void {
    this.#writer.exec(`pragma wal_autocheckpoint = ${pages}`);
  }
}

/** How many pages of the log are not in the database file yet, after copying or without. */
function uncopied(database: DatabaseSync, how: "noop" | "passive"): number {
  const { log, checkpointed } = database.prepare(`pragma wal_checkpoint(${how})`).get() as {
    log: number;
    checkpointed: number;
  };
  return log - checkpointed;
}
