import {
  claimImport,
  importWaits,
  leftoverUndo,
  releaseImport,
  removeUndo,
} from "@countersign/store/queries/imports";
import type { Store } from "@countersign/store/store";
import { type Log, reasonOf } from "../../log.ts";
import { newId } from "../../new-id.ts";
import { courteous } from "./pace.ts";
import { LeftAlone, leaseMs, runImport } from "./run.ts";

const lookEveryMs = 2_000;

/**
 * Where imports are worked on, one at a time. What another process left unfinished, because it was killed or stopped,
 * is taken up here too.
 */
export class ImportDesk {
  readonly claimant = newId();
  readonly #store: Store;
  readonly #log: Log;
  readonly #timer: ReturnType<typeof setInterval>;
  #working: Promise<void> | null = null;
  #again = false;
  #stopping = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#timer = setInterval(() => this.look(), lookEveryMs);
    this.#timer.unref();
    this.look();
  }

  /** Something may be there to do. */
  look(): void {
    if (this.#stopping) return;
    if (this.#working !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#working = this.#workThrough()
      .catch((error) =>
        this.#log.warn("An import could not be worked on. It will be tried again.", {
          reason: reasonOf(error),
        }),
      )
      .finally(() => {
        this.#working = null;
        if (this.#again) this.look();
      });
  }

  /** Leaves what is unfinished at a point where it can be taken up again. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#timer);
    await this.#working;
  }

  async #workThrough(): Promise<void> {
    const store = this.#store;
    for (;;) {
      const nowMs = await store.clock();
      if (this.#stopping || !(await importWaits(store.reads, nowMs))) break;
      const job = await store.transaction((db) => claimImport(db, this.claimant, nowMs, nowMs + leaseMs));
      if (job === undefined) continue;
      try {
        const stopping = () => this.#stopping;
        const pace = courteous(() => store.judgedCalls);
        await runImport({ store, claimant: this.claimant, pace, stopping }, job);
      } catch (error) {
        if (error instanceof LeftAlone) {
          await store.transaction((db) => releaseImport(db, job.id, this.claimant));
        } else {
          this.#log.warn("An import was interrupted. It will be taken up again.", {
            import_id: job.id,
            reason: reasonOf(error),
          });
        }
      }
    }
    const over = this.#stopping ? null : await leftoverUndo(store.reads);
    if (over !== null) await store.transaction((db) => removeUndo(db, over, 5_000));
  }
}

const desks = new WeakMap<Store, ImportDesk>();

/** The desk of a store; opened when it is first asked for. */
export function importDesk(store: Store, log: Log): ImportDesk {
  const known = desks.get(store);
  if (known !== undefined) return known;
  const desk = new ImportDesk(store, log);
  desks.set(store, desk);
  return desk;
}
