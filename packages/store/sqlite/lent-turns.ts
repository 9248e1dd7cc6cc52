import type { MessagePort } from "node:worker_threads";
import { StorageUnavailable } from "../problem.ts";
import { type HoldTimes, type Turns, WriteLock } from "../write-lock.ts";

/**
 * Lets another thread of this process have its turn among those who write here. SQLite's own lock would do it too, but
 * whoever waits for that one waits with the whole thread, and this one answers requests.
 */
export function lendTurns(turns: Turns, port: MessagePort): void {
  let isGone = false;
  let giveBack = () => {};
  const lend = () =>
    new Promise<void>((resolve) => {
      giveBack = resolve;
      if (isGone) resolve();
      else port.postMessage("yours" satisfies ToBorrower);
    });
  port.on("message", (message: FromBorrower) => {
    if (message === "done") giveBack();
    else turns.hold(lend);
  });
  // The thread has ended, and its connection with it.
  port.on("close", () => {
    isGone = true;
    giveBack();
  });
  port.unref();
}

type FromBorrower = "ask" | "done";
type ToBorrower = "yours";

/** The other end. */
export class BorrowedTurns implements Turns {
  readonly #port: MessagePort;
  readonly #here = new WriteLock();
  #begin = () => {};
  #isCut: ((reason: unknown) => void) | null = null;

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (_: ToBorrower) => this.#begin());
    port.on("close", () => this.#isCut?.(new StorageUnavailable("The thread that lends turns is gone.")));
  }

  get busy(): boolean {
    return this.#here.busy;
  }

  /** With the time until the turn came: how long it was held alone, the thread knows that lends it. */
  get holds(): HoldTimes {
    return this.#here.holds;
  }

  hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#here.hold(async () => {
      await new Promise<void>((resolve, reject) => {
        this.#begin = resolve;
        this.#isCut = reject;
        this.#port.postMessage("ask" satisfies FromBorrower);
      });
      this.#isCut = null;
      try {
        return await work();
      } finally {
        this.#port.postMessage("done" satisfies FromBorrower);
      }
    });
  }

  close(): void {
    this.#port.close();
  }
}
