import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { WriteLock } from "../threads/write-lock.ts";
import { rollback, unavailable } from "./errors.ts";
import { checkFile, fileId } from "./files.ts";

/** How long a statement of the store waits while another process writes. */
export const busyTimeoutMs = 1_000;
const maxProbeMs = 1_000;
const retryMs = 50;

/** Writes a row as a validation does, into the file that was opened and not into another one with its name. */
export class Probe {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #fileId: string;
  readonly #lock: WriteLock;
  readonly #write: StatementSync;

  constructor(database: DatabaseSync, path: string, lock: WriteLock) {
    this.#database = database;
    this.#path = path;
    this.#fileId = fileId(path);
    this.#lock = lock;
    this.#write = database.prepare(
      "insert into platform_state (name, value) values ('probed', ?) on conflict (name) do update set value = excluded.value",
    );
  }

  async run(nowMs: number): Promise<void> {
    const deadlineMs = performance.now() + maxProbeMs;
    for (;;) {
      try {
        checkFile(this.#path, this.#fileId);
        await this.#lock.hold(async () => this.#attempt(nowMs));
        return;
      } catch (cause) {
        const problem = unavailable(cause);
        // Another program, such as a command, may be writing briefly. The thread must not block on that.
        if (problem.reason !== "locked" || performance.now() > deadlineMs) throw problem;
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  #attempt(nowMs: number): void {
    this.#database.exec("pragma busy_timeout = 0");
    try {
      this.#database.exec("begin immediate");
      // A different value each time: SQLite does not write what has not changed.
      this.#write.run(String(nowMs));
      this.#database.exec("commit");
    } catch (error) {
      rollback(this.#database);
      throw error;
    } finally {
      this.#database.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    }
  }
}
