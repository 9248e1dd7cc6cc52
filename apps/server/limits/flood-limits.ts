import type { Store } from "@countersign/store/store";
import { networkOf } from "../http/caller-ip.ts";
import { AccountLimits } from "./account-limits.ts";
import { type Attempt, limits, tooManyAttempts } from "./attempts.ts";
import type { Device } from "./devices.ts";
import { type Rate, RateLimit } from "./rate-limit.ts";

/** In the portal a request costs less, because there are no passwords to hash. */
const anonymousLimits = {
  dashboard: { times: 100, withinSeconds: 1 },
  portal: { times: 200, withinSeconds: 1 },
} as const satisfies Record<string, Rate>;

/**
 * Counts attempts: per account in the database, per IP address in memory, where each node counts separately and a
 * restart resets.
 */
export class FloodLimits {
  readonly accounts: AccountLimits;
  readonly #rates: RateLimit;

  constructor(store: Store, now?: () => number) {
    this.accounts = new AccountLimits(store, now);
    this.#rates = new RateLimit(now ?? Date.now);
  }

  /**
   * The seconds that this IP address has to wait; 0 if it can continue, which is not counted yet. Known devices are
   * counted by owner and not by IP address: other traffic from there does not keep them out.
   */
  waitFor(attempt: Attempt, ip: string | null, device: Device | null = null): number {
    return inSeconds(this.#rates.waitMs(keyOf(attempt, ip, device), limits[attempt].ipAddress));
  }

  /**
   * However many IP addresses a flood comes from: beyond this, anonymous requests are rejected until the second is
   * over. Counts one, or returns the seconds to wait.
   */
  countAnonymous(site: keyof typeof anonymousLimits = "dashboard"): number {
    return inSeconds(this.#rates.count(`anonymous in the ${site}`, anonymousLimits[site]));
  }

  /** The same for the portal, as a 429. */
  checkAnonymousCustomer(): void {
    const waitSeconds = this.countAnonymous("portal");
    if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  }

  /** Counts one, or returns the seconds to wait. */
  countIp(attempt: Attempt, ip: string | null, device: Device | null = null): number {
    return inSeconds(this.#rates.count(keyOf(attempt, ip, device), limits[attempt].ipAddress));
  }

  /** Counts an attempt, or throws a 429 that says when the next one is accepted. */
  async check(attempt: Attempt, ip: string | null, account: string | null): Promise<void> {
    const waitSeconds = this.countIp(attempt, ip);
    if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
    if (account !== null) await this.accounts.check(attempt, account, { ip, deviceId: null });
  }

  get size(): number {
    return this.#rates.size;
  }
}

function inSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}

function keyOf(attempt: Attempt, ip: string | null, device: Device | null): string {
  return device === null ? `${attempt} from ${networkOf(ip)}` : `${attempt} by ${device.userId}`;
}
