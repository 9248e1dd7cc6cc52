import { Worker } from "node:worker_threads";
import { threadFile } from "@countersign/store/built";
import type { Many } from "@countersign/store/bulk";
import { importWaits, leftoverUndo } from "@countersign/store/queries/imports";
import type { Store } from "@countersign/store/store";
import { type Log, reasonOf } from "../../log.ts";
import { newId } from "../../new-id.ts";
import type { FromImports, ImportThreadData, ToImports } from "./import-thread.ts";

const lookEveryMs = 2_000;
/** For so long the thread stays when there is nothing to do. */
const idleMs = 15_000;

/**
 * Sees to it that imports are worked on, one at a time, in a thread that is there while there are any. What another
 * process left unfinished, because it was killed or stopped, is taken up too.
 */
export class ImportDesk {
  readonly claimant = newId();
  readonly #store: Store;
  readonly #log: Log;
  readonly #timer: ReturnType<typeof setInterval>;
  #thread: ImportThread | null = null;
  #isStopped = false;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#timer = setInterval(() => this.#lookAround(), lookEveryMs);
    this.#timer.unref();
    this.#lookAround();
  }

  /** Something is there to do, or will be in a moment. */
  look(): void {
    if (this.#isStopped) return;
    if (this.#thread === null) {
      const thread = new ImportThread(this.#store, this.claimant, this.#log);
      this.#thread = thread;
      thread.ended.then(() => {
        if (this.#thread === thread) this.#thread = null;
      });
    } else if (!this.#thread.look()) {
      this.#thread.ended.then(() => this.look());
    }
  }

  /** Leaves what is unfinished at a point where it can be taken up again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#thread?.end();
    await this.#thread?.ended;
  }

  #lookAround(): void {
    this.#isSomethingThere().then(
      (isThere) => {
        if (isThere) this.look();
      },
      (error) =>
        this.#log.warn("It could not be seen whether imports wait. It will be tried again.", {
          reason: reasonOf(error),
        }),
    );
  }

  async #isSomethingThere(): Promise<boolean> {
    const { reads } = this.#store;
    return (await importWaits(reads, await this.#store.clock())) || (await leftoverUndo(reads)) !== null;
  }
}

class ImportThread {
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #log: Log;
  readonly #store: Store;
  #many: Many | null = null;
  #isEnding = false;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, claimant: string, log: Log) {
    this.#store = store;
    this.#log = log;
    const beside = store.beside();
    this.#worker = new Worker(threadFile("import-thread", import.meta.url), {
      workerData: { beside, claimant } satisfies ImportThreadData,
      transferList: beside.turns === null ? [] : [beside.turns],
    });
    this.#expectMany();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise.finally(() => this.#over());
    this.#worker.on("message", (message: FromImports) => {
      if (message.kind === "trouble") this.#log.warn(message.message, message.fields);
      else if (message.kind === "idle") this.#rest();
      else this.#worker.terminate().then(() => resolve(), resolve);
    });
    this.#worker.on("error", (error) =>
      this.#log.warn("The thread that imports has failed. It will begin again.", { reason: reasonOf(error) }),
    );
    this.#worker.on("exit", () => resolve());
  }

  /** False when it is about to end. */
  look(): boolean {
    if (this.#isEnding) return false;
    clearTimeout(this.#idle);
    this.#expectMany();
    this.#post("look");
    return true;
  }

  end(): void {
    this.#isEnding = true;
    clearTimeout(this.#idle);
    this.#post("end");
  }

  #rest(): void {
    this.#over();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.end(), idleMs);
    this.#idle.unref();
  }

  #expectMany(): void {
    this.#many ??= this.#store.bulk.expectMany();
  }

  #over(): void {
    this.#many?.over();
    this.#many = null;
  }

  #post(message: ToImports): void {
    this.#worker.postMessage(message);
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
