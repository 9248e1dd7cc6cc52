import { type Log, reasonOf } from "../log.ts";
import { isStorageTrouble } from "../storage-trouble.ts";

/** Something that is to be done again and again, by every node; it has to bear being done twice at once. */
export interface Chore {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<void>;
}

/** Does chores in the background, each never beside itself. One that fails is logged and tried again in its time. */
export class Chores {
  readonly #timers: ReturnType<typeof setInterval>[] = [];
  readonly #running = new Set<Promise<void>>();

  constructor(chores: readonly Chore[], log: Log) {
    for (const chore of chores) {
      let busy = false;
      const run = async () => {
        if (busy) return;
        busy = true;
        try {
          await chore.run();
        } catch (error) {
          if (isStorageTrouble(log, error)) return;
          log.warn("Something to be done in the background failed. It will be tried again.", {
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

  /** Starts nothing more and waits for what is under way. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#running);
  }
}
