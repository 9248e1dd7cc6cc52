import { closeSync, fsync, openSync } from "node:fs";

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
