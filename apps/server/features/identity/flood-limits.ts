import { countedAs, parseAddress } from "@countersign/domain/ip/address";
import { Problem } from "../../http/manage/problem.ts";

interface Limit {
  readonly times: number;
  readonly withinSeconds: number;
}

const minute = 60;
const hour = 3_600;

/**
 * How often something may be tried: by one address, and for one account from wherever. Whether the account exists makes
 * no difference, so that the limit tells nothing.
 */
const limits = {
  sign_in: {
    address: { times: 60, withinSeconds: 5 * minute },
    account: { times: 10, withinSeconds: 10 * minute },
  },
  sign_up: { address: { times: 20, withinSeconds: hour }, account: { times: 5, withinSeconds: hour } },
  reset: { address: { times: 20, withinSeconds: hour }, account: { times: 3, withinSeconds: 15 * minute } },
  verification: {
    address: { times: 20, withinSeconds: hour },
    account: { times: 3, withinSeconds: 15 * minute },
  },
  second_factor: {
    address: { times: 60, withinSeconds: 5 * minute },
    account: { times: 10, withinSeconds: 5 * minute },
  },
  /** What a token from a mail or a link is tried with. */
  token: {
    address: { times: 30, withinSeconds: 5 * minute },
    account: { times: 30, withinSeconds: 5 * minute },
  },
  /** A password that is asked for again, of somebody who is signed in. */
  password: {
    address: { times: 60, withinSeconds: 5 * minute },
    account: { times: 10, withinSeconds: 10 * minute },
  },
  mail: { address: { times: 30, withinSeconds: hour }, account: { times: 5, withinSeconds: hour } },
  anything: {
    address: { times: 600, withinSeconds: minute },
    account: { times: 600, withinSeconds: minute },
  },
} as const satisfies Record<string, { address: Limit; account: Limit }>;

export type Attempt = keyof typeof limits;

interface Window {
  count: number;
  endsAtMs: number;
}

const strangersASecond = 100;

/** Enough for a large flood, and a few megabytes. The oldest go first. */
const maxWindows = 50_000;

/** Counts attempts in memory: each node counts for itself, and a restart forgets. */
export class FloodLimits {
  readonly #windows = new Map<string, Window>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** However many addresses a flood comes from: beyond this, strangers are not listened to until the second is over. */
  checkStrangers(): void {
    this.#count("strangers", { times: strangersASecond, withinSeconds: 1 });
  }

  /** Counts an attempt, or throws the 429 that says when the next will be heard. */
  check(attempt: Attempt, ip: string | null, account: string | null): void {
    this.#count(`${attempt} from ${network(ip)}`, limits[attempt].address);
    if (account !== null) this.checkAccount(attempt, account);
  }

  checkAccount(attempt: Attempt, account: string): void {
    this.#count(accountKey(attempt, account), limits[attempt].account);
  }

  get size(): number {
    return this.#windows.size;
  }

  /** After a success only failures that follow count. */
  forgive(attempt: Attempt, account: string): void {
    this.#windows.delete(accountKey(attempt, account));
  }

  #count(key: string, { times, withinSeconds }: Limit): void {
    const nowMs = this.#now();
    const window = this.#windows.get(key);
    if (window === undefined || window.endsAtMs <= nowMs) {
      this.#windows.delete(key);
      this.#makeRoom(nowMs);
      this.#windows.set(key, { count: 1, endsAtMs: nowMs + withinSeconds * 1_000 });
      return;
    }
    if (window.count >= times) {
      const retryAfterSeconds = Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1_000));
      throw new Problem(
        "too_many_requests",
        `That was tried too often. Try again in ${inWords(retryAfterSeconds)}.`,
        { headers: { "retry-after": String(retryAfterSeconds) } },
      );
    }
    window.count += 1;
  }

  /** A good deal at once, so that it seldom has to be done. */
  #makeRoom(nowMs: number): void {
    if (this.#windows.size < maxWindows) return;
    for (const [key, window] of this.#windows) {
      if (window.endsAtMs <= nowMs) this.#windows.delete(key);
    }
    for (const key of this.#windows.keys()) {
      if (this.#windows.size < 0.9 * maxWindows) return;
      this.#windows.delete(key);
    }
  }
}

function accountKey(attempt: Attempt, account: string): string {
  return `${attempt} of ${account.trim().toLowerCase()}`;
}

/** Whoever has one IPv6 address has a whole network of them. */
function network(ip: string | null): string {
  const address = ip === null ? null : parseAddress(ip);
  return address === null ? "somewhere" : countedAs(address, 64);
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
}
