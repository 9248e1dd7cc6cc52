import { closeSync, fsync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { BulkSession } from "../store.ts";
import type { WriteLock } from "../threads/write-lock.ts";
import { openDatabase } from "./files.ts";

/**
 * Syncs commits to disk on another thread. SQLite's own FULL mode would make the event loop wait for the disk. Here
 * only callers that need durability wait. A commit in WAL mode is a run of checksummed frames at the end of the log
 * file, so syncing that file is all that FULL mode does, too.
 */
export class DiskSync {
  readonly #path: string;
  #descriptor: number | null = null;
  #running: Promise<void> | null = null;
  #queued: Promise<void> | null = null;

  constructor(walPath: string) {
    this.#path = walPath;
  }

  /** Resolves when everything committed before this call is on disk. */
  flush(): Promise<void> {
    // A sync in progress may have started before the commit in question, so it does not count.
    if (this.#running === null) return this.#start();
    this.#queued ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    );
    return this.#queued;
  }

  close(): void {
    if (this.#descriptor !== null) closeSync(this.#descriptor);
    this.#descriptor = null;
  }

  #start(): Promise<void> {
    this.#queued = null;
    this.#running = new Promise<void>((resolve, reject) => {
      this.#descriptor ??= openSync(this.#path, "r+");
      fsync(this.#descriptor, (error) => {
        this.#running = null;
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
    return this.#running;
  }
}

/** The log size in pages at which a commit checkpoints: SQLite's own default. */
const pagesUsually = 1_000;
/** The same while many transactions follow one another, which dirty the same index pages over and over. */
const pagesInBulk = 8_000;
/** The log size in pages at which it is then checkpointed between two of them. */
const pagesBetween = 3_000;
/** The same next to a thread that validates: before one of its commits would do it. */
const pagesInWorker = 800;

/** Decides when SQLite's write-ahead log is checkpointed, and by which thread. */
export class Checkpoints {
  readonly #writer: DatabaseSync;
  readonly #path: string;
  readonly #lock: WriteLock;
  readonly #isInWorker: boolean;
  #sessions = 0;

  constructor(writer: DatabaseSync, path: string, lock: WriteLock, isInWorker: boolean) {
    this.#writer = writer;
    this.#path = path;
    this.#lock = lock;
    this.#isInWorker = isInWorker;
  }

  /**
   * Announces many transactions, and checkpoints between them, when no writer waits. Next to a thread that validates,
   * the log stays short: the longer it is, the longer every lookup takes.
   */
  beginSession(): BulkSession {
    this.#sessions += 1;
    if (!this.#isInWorker) this.#setPages(pagesInBulk);
    // A separate connection: a transaction may be open on the other one.
    let copier: DatabaseSync | null = null;
    return {
      between: () => {
        copier ??= openDatabase(this.#path);
        return this.#copy(copier);
      },
      over: () => {
        copier?.close();
        this.#sessions -= 1;
        if (this.#sessions === 0 && !this.#isInWorker) this.#setPages(pagesUsually);
      },
    };
  }

  /**
   * First most of it, while others write; then, exclusively, what they wrote in the meantime. Only then does SQLite
   * restart the log.
   */
  async #copy(copier: DatabaseSync): Promise<void> {
    const most = this.#isInWorker ? pagesInWorker : pagesBetween;
    if (uncopied(copier, "noop") < most) return;
    if (uncopied(copier, "passive") > 0) await this.#lock.hold(async () => void uncopied(copier, "passive"));
  }

  #setPages(pages: number): void {
    this.#writer.exec(`pragma wal_autocheckpoint = ${pages}`);
  }
}

/** How many pages of the log are not in the database file yet, with or without a checkpoint. */
function uncopied(database: DatabaseSync, how: "noop" | "passive"): number {
  const { log, checkpointed } = database.prepare(`pragma wal_checkpoint(${how})`).get() as {
    log: number;
    checkpointed: number;
  };
  return log - checkpointed;
}
