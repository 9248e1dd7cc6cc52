import type { Store } from "@countersign/store/store";
import { AccountLimits } from "./account-limits.ts";
import { type Attempt, type Limit, limits, secondsUntil, tooManyAttempts } from "./attempts.ts";
import type { Device } from "./devices.ts";
import { networkOf } from "./network.ts";

interface Window {
  count: number;
  endsAtMs: number;
}

const strangers: Limit = { times: 100, withinSeconds: 1 };

/** Enough for a large flood, and a few megabytes. The oldest are removed first. */
const maxWindows = 50_000;

/**
 * Counts attempts: per account in the database, per IP address in memory, where each node counts separately and a
 * restart resets.
 */
export class FloodLimits {
  readonly accounts: AccountLimits;
  readonly #windows = new Map<string, Window>();
  readonly #now: () => number;

  constructor(store: Store, now?: () => number) {
    this.accounts = new AccountLimits(store, now);
    this.#now = now ?? Date.now;
  }

  /**
   * The seconds that this IP address has to wait; 0 if it can continue, which is not counted yet. Known devices are
   * counted by owner and not by IP address: other traffic from there does not keep them out.
   */
  waitFor(attempt: Attempt, ip: string | null, device: Device | null = null): number {
    const nowMs = this.#now();
    const window = this.#windows.get(keyOf(attempt, ip, device));
    if (window === undefined || window.endsAtMs <= nowMs || window.count < limits[attempt].address.times)
      return 0;
    return secondsUntil(window.endsAtMs, nowMs);
  }

  /**
   * However many IP addresses a flood comes from: beyond this, anonymous requests are rejected until the second is
   * over. Counts one, or returns the seconds to wait.
   */
  countStranger(): number {
    return this.#count("strangers", strangers);
  }

  /** Counts one, or returns the seconds to wait. */
  countAddress(attempt: Attempt, ip: string | null, device: Device | null = null): number {
    return this.#count(keyOf(attempt, ip, device), limits[attempt].address);
  }

  /** Counts an attempt, or throws a 429 that says when the next one is accepted. */
  async check(attempt: Attempt, ip: string | null, account: string | null): Promise<void> {
    const waitSeconds = this.countAddress(attempt, ip);
    if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
    if (account !== null) await this.accounts.check(attempt, account, { ip, deviceId: null });
  }

  get size(): number {
    return this.#windows.size;
  }

  #count(key: string, { times, withinSeconds }: Limit): number {
    const nowMs = this.#now();
    const window = this.#windows.get(key);
    if (window === undefined || window.endsAtMs <= nowMs) {
      this.#windows.delete(key);
      this.#makeRoom(nowMs);
      this.#windows.set(key, { count: 1, endsAtMs: nowMs + withinSeconds * 1_000 });
      return 0;
    }
    if (window.count >= times) return secondsUntil(window.endsAtMs, nowMs);
    window.count += 1;
    return 0;
  }

  /** Many at once, so that it is rarely necessary. */
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

function keyOf(attempt: Attempt, ip: string | null, device: Device | null): string {
  return device === null ? `${attempt} from ${networkOf(ip)}` : `${attempt} by ${device.userId}`;
}
