import { hash } from "node:crypto";
import { countAttempt, forgetAttempts } from "@countersign/store/queries/attempts";
import type { Store } from "@countersign/store/store";
import { type Attempt, limits, secondsUntil, tooOftenProblem } from "./attempts.ts";

/** For so long a refusal is repeated without asking the database again: a flood of guesses is no flood of writes. */
const repeatedForMs = 5_000;
const maxRepeated = 10_000;

/** Counts attempts by account, in the database: what is allowed is allowed once, on all nodes together. */
export class AccountLimits {
  readonly #store: Store;
  readonly #now: () => number;
  readonly #refused = new Map<string, { readonly endsAtMs: number; readonly repeatUntilMs: number }>();

  constructor(store: Store, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
  }

  /** Counts an attempt, or throws the 429 that says when the next will be heard. */
  async check(attempt: Attempt, account: string): Promise<void> {
    const limit = limits[attempt].account;
    if (limit === null) return;
    const name = nameOf(attempt, account);
    const nowMs = this.#now();
    const refused = this.#refused.get(name);
    if (refused !== undefined && refused.repeatUntilMs > nowMs)
      throw tooOftenProblem(secondsUntil(refused.endsAtMs, nowMs));
    // A power cut may forget the last of them, which is no help to anybody who guesses.
    const { count, endsAtMs } = await this.#store.transaction(
      (db) => countAttempt(db, name, limit.withinSeconds * 1_000, nowMs),
      "soon",
    );
    if (count <= limit.times) return;
    if (this.#refused.size >= maxRepeated) this.#refused.clear();
    this.#refused.set(name, { endsAtMs, repeatUntilMs: Math.min(endsAtMs, nowMs + repeatedForMs) });
    throw tooOftenProblem(secondsUntil(endsAtMs, nowMs));
  }

  /** After a success only failures that follow count. */
  async forgive(attempt: Attempt, account: string): Promise<void> {
    const name = nameOf(attempt, account);
    this.#refused.delete(name);
    await this.#store.transaction((db) => forgetAttempts(db, name), "soon");
  }
}

/** A hash: what strangers type into a sign-in form is nothing to keep, and may be of any length. */
function nameOf(attempt: Attempt, account: string): string {
  return hash("sha256", `${attempt} of ${account.trim().toLowerCase()}`, "base64url");
}
