import { hash } from "node:crypto";
import {
  type AttemptRate,
  clearAttempts,
  returnAttempt,
  takeAttempt,
} from "@countersign/store/queries/identity/attempts";
import type { Database, Store } from "@countersign/store/store";
import { networkOf } from "../http/request.ts";
import { type AccountRates, type Attempt, limits, secondsUntil, tooManyAttempts } from "./attempts.ts";

/** How long a rejection is repeated without querying the database: a flood of guesses is not a flood of writes. */
const repeatedForMs = 5_000;
const maxRepeated = 10_000;

/** Where an attempt comes from. */
export interface Origin {
  readonly ip: string | null;
  /** The ID of a device that is known to belong to the account in question. */
  readonly deviceId: string | null;
}

/** One of the counts that apply to an attempt. */
interface Counter {
  readonly name: string;
  readonly rate: AttemptRate;
}

/** Counts attempts per account, in the database, so that limits apply across all nodes. */
export class AccountLimits {
  readonly #store: Store;
  readonly #now: () => number | Promise<number>;
  readonly #refused = new Map<string, { readonly freeAtMs: number; readonly repeatUntilMs: number }>();

  /**
   * By the database's clock: all nodes share the counts, and a node with a fast clock would see them drain too soon.
   */
  constructor(store: Store, now: () => number | Promise<number> = () => store.clock()) {
    this.#store = store;
    this.#now = now;
  }

  /** Counts an attempt, or throws a 429 that says when the next one is accepted. A rejected attempt is not counted. */
  async check(attempt: Attempt, account: string, from: Origin): Promise<void> {
    const counters = countersOf(attempt, account, from);
    if (counters.length === 0) return;
    const nowMs = await this.#now();
    for (const { name } of counters) {
      const refused = this.#refused.get(name);
      if (refused !== undefined && refused.repeatUntilMs > nowMs)
        throw tooManyAttempts(secondsUntil(refused.freeAtMs, nowMs));
    }
    try {
      // A power failure can lose the last of them, which does not help an attacker.
      await this.#store.transaction((db) => takeAll(db, counters, nowMs), "soon");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { counter, freeAtMs } = error;
      if (this.#refused.size >= maxRepeated) this.#refused.clear();
      this.#refused.set(counter, { freeAtMs, repeatUntilMs: Math.min(freeAtMs, nowMs + repeatedForMs) });
      throw tooManyAttempts(secondsUntil(freeAtMs, nowMs));
    }
  }

  /**
   * After a success, the failures of that network or device are cleared. From the shared count only the successful
   * attempt is returned: the owner's sign-ins must not let others keep guessing.
   */
  async clearFailures(attempt: Attempt, account: string, from: Origin): Promise<void> {
    const [last, ...others] = countersOf(attempt, account, from).reverse();
    if (last === undefined) return;
    const isShared = others.length > 0;
    await this.#store.transaction(async (db) => {
      if (isShared) await returnAttempt(db, last.name, last.rate);
      else await clearAttempts(db, last.name);
      for (const { name } of others) await clearAttempts(db, name);
    }, "soon");
    for (const { name } of isShared ? others : [last]) this.#refused.delete(name);
  }
}

/** From the narrowest to the widest. */
function countersOf(attempt: Attempt, account: string, { ip, deviceId }: Origin): Counter[] {
  const rates: AccountRates | null = limits[attempt].account;
  if (rates === null) return [];
  const attemptOnAccount = `${attempt} of ${account.trim().toLowerCase()}`;
  if (deviceId !== null && rates.device !== undefined)
    return [{ name: nameOf(`${attemptOnAccount} by device ${deviceId}`), rate: rates.device }];
  const anywhere = { name: nameOf(attemptOnAccount), rate: rates.anywhere };
  if (rates.network === undefined) return [anywhere];
  return [{ name: nameOf(`${attemptOnAccount} from ${networkOf(ip)}`), rate: rates.network }, anywhere];
}

class Refused extends Error {
  readonly counter: string;
  readonly freeAtMs: number;

  constructor(counter: string, freeAtMs: number) {
    super("Too many attempts.");
    this.counter = counter;
    this.freeAtMs = freeAtMs;
  }
}

/** All or none: if the wider count is full, the narrower one is not used up. */
async function takeAll(db: Database, counters: readonly Counter[], nowMs: number): Promise<void> {
  for (const { name, rate } of counters) {
    const attempt = await takeAttempt(db, name, rate, nowMs);
    if (!attempt.taken) throw new Refused(name, attempt.freeAtMs);
  }
}

/** A hash: what anonymous clients type into a sign-in form should not be stored, and can have any length. */
function nameOf(text: string): string {
  return hash("sha256", text, "base64url");
}
