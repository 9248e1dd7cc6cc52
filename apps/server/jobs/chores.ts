import { type Log, reasonOf } from "../log.ts";
import { isStorageTrouble } from "../storage-trouble.ts";

/** A periodic job that runs on every node; it must tolerate running on two at the same time. */
export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  /** Once the signal is aborted, it leaves the rest for later. */
  run(stopping?: AbortSignal): Promise<void>;
}

/**
 * Runs periodic jobs in the background, each never concurrently with itself. A failure is logged and retried at the
 * next interval.
 */
export class Chores {
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();

  constructor(chores: readonly Chore[], log: Log) {
    for (const chore of chores) {
      let busy = false;
      const run = async () => {
        if (busy) return;
        busy = true;
        try {
          await chore.run(this.#stopping.signal);
        } catch (error) {
          if (isStorageTrouble(log, error)) return;
          log.warn("A periodic job failed. It will be retried.", {
            chore: chore.name,
            reason: reasonOf(error),
          });
        } finally {
          busy = false;
        }
      };
      const timer = setInterval(() => {
        const running = run();
        this.#running.add(running);
        void running.finally(() => this.#running.delete(running));
      }, chore.everyMs);
      timer.unref();
      this.#timers.push(timer);
    }
  }

  /** Starts no more jobs and waits for those in progress to reach a point where they can be resumed. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#stopping.abort();
    await Promise.all(this.#running);
  }
}
