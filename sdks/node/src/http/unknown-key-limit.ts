import { CountersignError } from "../errors.ts";
import { isolatesRequests } from "../runtime.ts";
import { callerOf } from "./caller-address.ts";

/** The caller's IP address has sent too many unknown license keys. No request was sent for this one. */
export class TooManyUnknownKeysError extends CountersignError {
  override readonly name = "TooManyUnknownKeysError";
  readonly retryAfterSeconds: number;
  /** The IPv4 address or the IPv6 /64 that has reached the limit. */
  readonly address: string;

  constructor(address: string, retryAfterSeconds: number) {
    super(`This address has sent too many unknown license keys. Try again in ${retryAfterSeconds} seconds.`);
    this.address = address;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

interface Caller {
  readonly address: string;
  /** Tokens that can be taken now. Fractions are on their way. */
  free: number;
  updatedMs: number;
  /** The calls in flight, oldest first. */
  readonly calls: Set<Call>;
  readonly waiting: Set<Waiting>;
}

interface Call {
  readonly startedMs: number;
}

interface Waiting {
  readonly proceed: () => void;
  readonly refuse: () => void;
}

export interface UnknownKeyLimitOptions {
  readonly steadyMs: () => number;
  /** How long to wait for calls in flight. */
  readonly maxWaitMs?: number;
  /** Whether requests must not wait for each other, but ask again and again. */
  readonly isPolling?: boolean;
}

const maxCallers = 10_000;
const pollMs = 25;

/**
 * Limits the calls that a caller can cause with unknown keys, so that made-up keys do not use up the product's daily
 * limit. Every caller has some tokens per minute. Each call takes one, and gets it back unless the key is unknown: so
 * any number of customers behind one IP address are served, though not all at once.
 */
export class UnknownKeyLimit {
  readonly #perMinute: number;
  readonly #steadyMs: () => number;
  readonly #maxWaitMs: number;
  readonly #isPolling: boolean;
  readonly #callers = new Map<string, Caller>();

  constructor(perMinute: number, options: UnknownKeyLimitOptions) {
    this.#perMinute = perMinute;
    this.#steadyMs = options.steadyMs;
    // Longer than any call should take.
    this.#maxWaitMs = options.maxWaitMs ?? 10_000;
    this.#isPolling = options.isPolling ?? isolatesRequests;
  }

  /**
   * Takes a token for the call. While calls of the same caller are in flight, it waits for their tokens. Rejects with a
   * `TooManyUnknownKeysError` if none is free.
   */
  async run<Result>(
    address: string,
    send: () => Promise<Result>,
    isUnknownKey: (result: Result) => boolean,
  ): Promise<Result> {
    const caller = this.#callerAt(callerOf(address));
    const call = this.#startedCall(caller) ?? (await this.#callAfterOthers(caller));
    let isSpent = false;
    try {
      const result = await send();
      isSpent = isUnknownKey(result);
      return result;
    } finally {
      this.#end(caller, call, isSpent);
    }
  }

  #callerAt(address: string): Caller {
    const known = this.#callers.get(address);
    const caller = known ?? {
      address,
      free: this.#perMinute,
      updatedMs: this.#steadyMs(),
      calls: new Set(),
      waiting: new Set(),
    };
    // The caller that was seen last is the last to be removed.
    this.#callers.delete(address);
    this.#callers.set(address, caller);
    if (this.#callers.size > maxCallers) {
      const [oldest] = this.#callers.keys();
      if (oldest !== undefined) this.#callers.delete(oldest);
    }
    return caller;
  }

  /** Null if there is no token, or others were waiting for it before. */
  #startedCall(caller: Caller): Call | null {
    this.#addTokens(caller);
    return caller.waiting.size === 0 && caller.free >= 1 ? this.#start(caller) : null;
  }

  #start(caller: Caller): Call {
    const call = { startedMs: this.#steadyMs() };
    caller.free -= 1;
    caller.calls.add(call);
    return call;
  }

  async #callAfterOthers(caller: Caller): Promise<Call> {
    if (!this.#hasCallInFlight(caller)) throw this.#limitReached(caller);
    return this.#isPolling ? this.#poll(caller) : this.#queue(caller);
  }

  #queue(caller: Caller): Promise<Call> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        caller.waiting.delete(waiting);
      };
      const waiting: Waiting = {
        proceed: () => {
          leave();
          resolve(this.#start(caller));
        },
        refuse: () => {
          leave();
          reject(this.#limitReached(caller));
        },
      };
      const timer = setTimeout(waiting.refuse, this.#maxWaitMs);
      caller.waiting.add(waiting);
    });
  }

  async #poll(caller: Caller): Promise<Call> {
    for (let waitedMs = 0; waitedMs < this.#maxWaitMs; waitedMs += pollMs) {
      await new Promise<void>((resolve) => setTimeout(resolve, pollMs));
      const call = this.#startedCall(caller);
      if (call !== null) return call;
      if (!this.#hasCallInFlight(caller)) break;
    }
    throw this.#limitReached(caller);
  }

  #end(caller: Caller, call: Call, isSpent: boolean): void {
    caller.calls.delete(call);
    this.#addTokens(caller);
    if (!isSpent) caller.free = Math.min(this.#perMinute, caller.free + 1);
    for (const waiting of caller.waiting) {
      if (caller.free >= 1) waiting.proceed();
      else if (!this.#hasCallInFlight(caller)) waiting.refuse();
      else break;
    }
    // A caller without unknown keys needs no memory.
    const isIdle = caller.calls.size === 0 && caller.free >= this.#perMinute;
    if (isIdle && this.#callers.get(caller.address) === caller) this.#callers.delete(caller.address);
  }

  /** A call that has not ended after the longest wait may never end: the runtime may have cancelled it. */
  #hasCallInFlight({ calls }: Caller): boolean {
    for (const call of calls) {
      if (this.#steadyMs() - call.startedMs < this.#maxWaitMs) return true;
      calls.delete(call);
    }
    return false;
  }

  #addTokens(caller: Caller): void {
    const nowMs = this.#steadyMs();
    const added = ((nowMs - caller.updatedMs) * this.#perMinute) / 60_000;
    caller.free = Math.min(this.#perMinute, caller.free + Math.max(0, added));
    caller.updatedMs = nowMs;
  }

  #limitReached({ address, free }: Caller): TooManyUnknownKeysError {
    const seconds = Math.ceil((Math.max(0, 1 - free) * 60) / this.#perMinute);
    return new TooManyUnknownKeysError(address, Math.max(1, seconds));
  }
}
