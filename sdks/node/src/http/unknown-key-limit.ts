import { CountersignError } from "../errors.ts";
import { addressGroup } from "./address-group.ts";

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
  callsInFlight: number;
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly proceed: () => void;
  readonly refuse: () => void;
}

const maxCallers = 10_000;
/** Longer than any call should take. */
const defaultMaxWaitMs = 10_000;

/**
 * Limits the calls that a caller can cause with unknown keys, so that made-up keys do not use up the product's daily
 * limit. Every caller has some tokens per minute. Each call takes one, and gets it back unless the key is unknown: so
 * any number of customers behind one IP address are served, though not all at once.
 */
export class UnknownKeyLimit {
  readonly #perMinute: number;
  readonly #steadyMs: () => number;
  readonly #maxWaitMs: number;
  readonly #callers = new Map<string, Caller>();

  constructor(perMinute: number, steadyMs: () => number, maxWaitMs = defaultMaxWaitMs) {
    this.#perMinute = perMinute;
    this.#steadyMs = steadyMs;
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Takes a token for the call. While calls of the same caller are in flight, it waits for their tokens. Rejects with a
   * `TooManyUnknownKeysError` if none is free.
   */
  async run<Result>(
    address: string,
    call: () => Promise<Result>,
    isUnknownKey: (result: Result) => boolean,
  ): Promise<Result> {
    const caller = this.#callerAt(addressGroup(address));
    await this.#takeToken(caller);
    let isSpent = false;
    try {
      const result = await call();
      isSpent = isUnknownKey(result);
      return result;
    } finally {
      this.#finishCall(caller, isSpent);
    }
  }

  #callerAt(address: string): Caller {
    const known = this.#callers.get(address);
    const caller = known ?? {
      address,
      free: this.#perMinute,
      updatedMs: this.#steadyMs(),
      callsInFlight: 0,
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

  async #takeToken(caller: Caller): Promise<void> {
    this.#addTokens(caller);
    if (caller.waiting.size === 0 && caller.free >= 1) return this.#startCall(caller);
    if (caller.callsInFlight === 0) throw this.#limitReached(caller);
    await new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        caller.waiting.delete(waiting);
      };
      const waiting: Waiting = {
        proceed: () => {
          end();
          this.#startCall(caller);
          resolve();
        },
        refuse: () => {
          end();
          reject(this.#limitReached(caller));
        },
      };
      const timer = setTimeout(waiting.refuse, this.#maxWaitMs);
      caller.waiting.add(waiting);
    });
  }

  #startCall(caller: Caller): void {
    caller.free -= 1;
    caller.callsInFlight += 1;
  }

  #finishCall(caller: Caller, isSpent: boolean): void {
    caller.callsInFlight -= 1;
    this.#addTokens(caller);
    if (!isSpent) caller.free = Math.min(this.#perMinute, caller.free + 1);
    for (const waiting of caller.waiting) {
      if (caller.free >= 1) waiting.proceed();
      else if (caller.callsInFlight === 0) waiting.refuse();
      else break;
    }
    // A caller without unknown keys needs no memory.
    const isIdle = caller.callsInFlight === 0 && caller.free >= this.#perMinute;
    if (isIdle && this.#callers.get(caller.address) === caller) this.#callers.delete(caller.address);
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
