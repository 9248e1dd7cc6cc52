import { MessageChannel, type MessagePort } from "node:worker_threads";
import { StorageUnavailable } from "../errors/problem.ts";
import type { CrossThreadLock, SharedWriteLock } from "../threads/write-lock.ts";

/**
 * The write lock of two threads is one number in shared memory. SQLite's own lock would also work, but waiting for it
 * blocks the whole thread, and one of the two validates. Each thread acquires the lock when its transaction begins,
 * and hands it over if the other one waits. So no thread holds it without using it, and each waits for at most one
 * transaction of the other.
 */
const free = 0;
const mainHolds = 1;
const mainHoldsWorkerWaits = 2;
const workerHolds = 3;
const workerHoldsMainWaits = 4;

/** The longest time that the worker blocks. A batch of validations takes a few milliseconds. */
const maxWaitMs = 5_000;

/** The validating thread's side: it never blocks. */
export class MainSide implements CrossThreadLock {
  readonly memory = new SharedArrayBuffer(64);
  readonly #state = new Int32Array(this.memory, 0, 1);
  #port: MessagePort | null = null;
  #passedOn: (() => void) | null = null;

  /** One worker at a time: a new one connects when the previous one has exited. */
  share(): SharedWriteLock {
    this.#workerEnded();
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on("message", () => this.#wake());
    port1.on("close", () => this.#port === port1 && this.#workerEnded());
    port1.unref();
    return { memory: this.memory, port: port2 };
  }

  tryAcquire(): boolean {
    return exchange(this.#state, free, mainHolds);
  }

  acquire(): Promise<void> | null {
    for (;;) {
      if (this.tryAcquire()) return null;
      if (!exchange(this.#state, workerHolds, workerHoldsMainWaits)) continue;
      return new Promise((resolve) => {
        this.#passedOn = resolve;
      });
    }
  }

  release(): void {
    if (exchange(this.#state, mainHolds, free)) return;
    Atomics.store(this.#state, 0, workerHolds);
    Atomics.notify(this.#state, 0);
  }

  /** Its connection is closed with it, and SQLite has rolled back what it did not commit. */
  #workerEnded(): void {
    exchange(this.#state, mainHoldsWorkerWaits, mainHolds);
    exchange(this.#state, workerHolds, free);
    exchange(this.#state, workerHoldsMainWaits, mainHolds);
    // Its last message may be lost.
    if (Atomics.load(this.#state, 0) === mainHolds) this.#wake();
  }

  #wake(): void {
    this.#passedOn?.();
    this.#passedOn = null;
  }
}

/** The worker's side. It blocks, so that it writes the moment it gets the lock, whatever else it has to do. */
export class WorkerSide implements CrossThreadLock {
  readonly memory: SharedArrayBuffer;
  readonly #state: Int32Array<SharedArrayBuffer>;
  readonly #port: MessagePort;

  constructor({ memory, port }: SharedWriteLock) {
    this.memory = memory;
    this.#state = new Int32Array(memory, 0, 1);
    this.#port = port;
  }

  tryAcquire(): boolean {
    return exchange(this.#state, free, workerHolds);
  }

  acquire(): null {
    for (;;) {
      if (this.tryAcquire()) return null;
      if (!exchange(this.#state, mainHolds, mainHoldsWorkerWaits)) continue;
      const isLate = Atomics.wait(this.#state, 0, mainHoldsWorkerWaits, maxWaitMs) === "timed-out";
      if (isLate && exchange(this.#state, mainHoldsWorkerWaits, mainHolds))
        throw new StorageUnavailable("Another writer has held the database for too long.", {
          reason: "locked",
        });
      return null;
    }
  }

  release(): void {
    if (exchange(this.#state, workerHolds, free)) return;
    Atomics.store(this.#state, 0, mainHolds);
    this.#port.postMessage(null);
  }

  close(): void {
    this.#port.close();
  }
}

function exchange(state: Int32Array<SharedArrayBuffer>, from: number, to: number): boolean {
  return Atomics.compareExchange(state, 0, from, to) === from;
}
