import type { Call, CallResult, Question, QuotaState } from "../batches/calls.ts";
import { StorageUnavailable } from "../errors/problem.ts";

/**
 * How long a call waits for a row locked by another session. Together with the batch before it, callers get a response
 * within two seconds.
 */
const waitTimeoutMs = 1_200;
const minPauseMs = 20;
const maxPauseMs = 160;
/** Each is a waiting caller. More of them would time out anyway. */
const maxWaiting = 4_000;
const maxTogether = 512;

/** Validates calls together. `alone` if they belong to one group that was locked out before. */
type Attempt = (calls: readonly Call[], alone: boolean) => Promise<readonly Outcome[]>;

/** Locked-out calls. They are retried, separately from the others, until the row is free or the time is up. */
export class LockedCalls {
  readonly #attempt: Attempt;
  #waiting: LockedCall[] = [];
  #isWorking = false;

  constructor(attempt: Attempt) {
    this.#attempt = attempt;
  }

  /** The response, once the row is free. Rejects if that takes too long. */
  add(call: Call, { quota, group }: LockedOut): Promise<CallResult> {
    if (this.#waiting.length >= maxWaiting) return Promise.reject(stillLocked());
    const waiting = new LockedCall(call, quota, group);
    this.#waiting.push(waiting);
    if (!this.#isWorking) void this.#work();
    return waiting.promise;
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    let pauseMs = minPauseMs;
    while (this.#waiting.length > 0) {
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      let decided = 0;
      for (const group of byGroup(this.#waiting)) decided += await this.#tryAgain(group);
      this.#waiting = this.#waiting.filter((call) => !call.isOver && !call.giveUpAt(performance.now()));
      pauseMs = decided > 0 ? minPauseMs : Math.min(maxPauseMs, pauseMs * 2);
    }
    this.#isWorking = false;
  }

  /** Returns how many were decided. */
  async #tryAgain(group: readonly LockedCall[]): Promise<number> {
    // Earlier groups may have taken long.
    const calls = group.filter((call) => !call.giveUpAt(performance.now())).slice(0, maxTogether);
    if (calls.length === 0) return 0;
    try {
      const outcomes = await this.#attempt(calls, calls[0]?.group !== null);
      calls.forEach((call, index) => {
        call.finish(outcomes[index]);
      });
    } catch (cause) {
      for (const call of calls) call.fail(cause);
    }
    return calls.filter((call) => call.isOver).length;
  }
}

class LockedCall implements Call {
  readonly apiKey: Call["apiKey"];
  readonly ipAddress: Call["ipAddress"];
  readonly promise: Promise<CallResult>;
  isOver = false;
  group: string | null;
  readonly #call: Call;
  readonly #deadlineMs = performance.now() + waitTimeoutMs;
  readonly #deferred: PromiseWithResolvers<CallResult>;
  #quota: QuotaState | null;
  #question: Question | null = null;

  constructor(call: Call, quota: QuotaState | null, group: string | null) {
    this.apiKey = call.apiKey;
    this.ipAddress = call.ipAddress;
    this.#call = call;
    this.#quota = quota;
    this.group = group;
    this.#deferred = Promise.withResolvers();
    this.promise = this.#deferred.promise;
  }

  get counted(): boolean {
    return this.#call.counted || this.#quota !== null;
  }

  question(): Question {
    this.#question ??= this.#call.question();
    return this.#question;
  }

  finish(outcome: Outcome | undefined): void {
    if (outcome === undefined) this.fail(stillLocked());
    else if (outcome instanceof LockedOut) {
      this.#quota ??= outcome.quota;
      this.group = outcome.group;
    } else {
      this.isOver = true;
      // The response reports what remained when the call was counted.
      this.#deferred.resolve(
        outcome.tag === "unauthorized" || this.#quota === null ? outcome : { ...outcome, quota: this.#quota },
      );
    }
  }

  fail(cause: unknown): void {
    this.isOver = true;
    this.#deferred.reject(cause);
  }

  giveUpAt(nowMs: number): boolean {
    if (!this.isOver && nowMs >= this.#deadlineMs) this.fail(stillLocked());
    return this.isOver;
  }
}

function stillLocked(): StorageUnavailable {
  return new StorageUnavailable("Another session of PostgreSQL holds a lock on what was asked for.");
}

function byGroup(calls: readonly LockedCall[]): LockedCall[][] {
  const groups = new Map<string | null, LockedCall[]>();
  for (const call of calls) {
    const group = groups.get(call.group);
    if (group === undefined) groups.set(call.group, [call]);
    else group.push(call);
  }
  return [...groups.values()];
}

/** A call that cannot be decided now, because another session has locked a row it needs. */
export class LockedOut {
  /** What remained of the quota when it was counted; null if it has not been counted. */
  readonly quota: QuotaState | null;
  /** Calls in one group are retried together, separately from all others, which would wait with them; null: no wait. */
  readonly group: string | null;

  constructor(quota: QuotaState | null, group: string | null) {
    this.quota = quota;
    this.group = group;
  }
}

/** The outcome of a call in a batch. */
export type Outcome = CallResult | LockedOut;

/** The call was counted, but another session has locked the license or a row that belongs to it. */
export function lockedOut(result: Outcome, group: string | null): LockedOut {
  if (result instanceof LockedOut) return result;
  return new LockedOut(result.tag === "unauthorized" ? null : result.quota, group);
}
