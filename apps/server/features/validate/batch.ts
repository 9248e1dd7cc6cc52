import type { Call, CallResult } from "@countersign/store/batches/calls";
import type { Store } from "@countersign/store/store";
import type { RequestSpans } from "../traces/request-spans.ts";
import type { Span } from "../traces/tracer.ts";

/** A call that waits for its verdict. */
export interface WaitingCall extends Call {
  /** Its trace; null if it is not sampled. */
  readonly span: Span | null;
  finish(result: CallResult): void;
  failed(): void;
}

/** Where a call is submitted to be decided. */
export interface CallQueue {
  submit(call: WaitingCall): void;
  /** How many calls have been accepted and not yet answered. */
  readonly size: number;
}

interface BatchObserver {
  batchDone(calls: number, seconds: number): void;
  batchFailed(calls: number, cause: unknown): void;
  /** A call was authenticated with this API key. */
  keyUsed(publicId: string, atMs: number): void;
}

/**
 * Collects the calls that arrive in one event loop iteration and decides them together, in one transaction. There is no
 * timer and no waiting for a batch to fill: under light load a batch is one call, under heavy load it is as many as
 * arrived while the last one was being decided.
 */
export class Batcher implements CallQueue {
  readonly #store: Store;
  readonly #observer: BatchObserver;
  readonly #spans: RequestSpans | null;
  #waiting: WaitingCall[] = [];
  #inFlight = 0;
  /** Calls that wait for a row locked by another session, after the rest of their batch was answered. */
  #locked = 0;
  #scheduled = false;

  /** `spans` is null if no traces are configured. */
  constructor(store: Store, observer: BatchObserver, spans: RequestSpans | null = null) {
    this.#store = store;
    this.#observer = observer;
    this.#spans = spans;
  }

  submit(call: WaitingCall): void {
    this.#waiting.push(call);
    this.#schedule();
  }

  get size(): number {
    return this.#waiting.length + this.#inFlight + this.#locked;
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#inFlight >= this.#store.batching.maxInFlight)
      return;
    this.#scheduled = true;
    // After this iteration's input has been read: bodies that came with their headers are complete by then.
    setImmediate(() => {
      this.#scheduled = false;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    const { maxCalls } = this.#store.batching;
    const batch = this.#waiting.length <= maxCalls ? this.#waiting : this.#waiting.slice(0, maxCalls);
    this.#waiting = this.#waiting.length <= maxCalls ? [] : this.#waiting.slice(maxCalls);
    this.#inFlight += 1;
    this.#schedule();
    const span = this.#spans === null ? null : this.#spans.batch(batch);
    const startedMs = performance.now();
    try {
      const results = await this.#store.validate(batch);
      const doneMs = performance.now();
      this.#observer.batchDone(batch.length, (doneMs - startedMs) / 1000);
      if (span !== null) span.end();
      batch.forEach((call, index) => {
        const answer = results[index];
        if (answer === undefined) call.failed();
        else if (answer instanceof Promise) void this.#answerLater(call, answer);
        else this.#answer(call, answer, doneMs);
      });
    } catch (cause) {
      this.#observer.batchFailed(batch.length, cause);
      if (span !== null) span.end(true);
      for (const call of batch) call.failed();
    } finally {
      this.#inFlight -= 1;
      this.#schedule();
    }
  }

  #answer(call: WaitingCall, result: CallResult, doneMs: number): void {
    if (result.tag !== "unauthorized") this.#observer.keyUsed(call.apiKey.publicId, doneMs);
    call.finish(result);
  }

  async #answerLater(call: WaitingCall, answer: Promise<CallResult>): Promise<void> {
    this.#locked += 1;
    try {
      this.#answer(call, await answer, performance.now());
    } catch (cause) {
      this.#observer.batchFailed(1, cause);
      call.failed();
    } finally {
      this.#locked -= 1;
    }
  }
}
