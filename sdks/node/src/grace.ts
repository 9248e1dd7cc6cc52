import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { ValidateResult } from "./result.ts";

/** Stores one text per license, for example in a file, so that an app can start offline. */
export interface GraceStore {
  load(name: string): string | null | Promise<string | null>;
  save(name: string, text: string): void | Promise<void>;
  remove(name: string): void | Promise<void>;
}

/** What is stored for one license, for all versions and devices. */
interface Kept {
  /** The latest time ever seen: an earlier clock was set back. */
  readonly seenWallMs: number;
  /** By request, newest last. */
  readonly grants: Readonly<Record<string, Grant>>;
}

interface Grant {
  readonly result: ValidateResult;
  readonly saidAtWallMs: number;
}

/** How far a clock can be corrected backwards without suspicion. */
const correctionMs = 120_000;
/** The maximum number of versions and devices stored per license. */
const mostGrants = 50;

/**
 * Keeps a valid license valid for a while if the server is unreachable. Any rejection ends that for the whole license.
 * Time is measured by the monotonic clock within a process, and by the wall clock across restarts, where going back
 * ends it.
 */
export class Grace {
  readonly #graceMs: number;
  readonly #store: GraceStore;
  readonly #secret: Uint8Array;
  readonly #clock: Clock;
  readonly #most: number;
  /** When each license was last granted to whom, by the monotonic clock. The oldest is evicted. */
  readonly #granted = new Map<string, Map<string, number>>();
  /** Rejected licenses that the store could not remove. The oldest is evicted. */
  readonly #refused = new Set<string>();
  /** Once a rejection was evicted, only what was granted here since is known not to be rejected. */
  #hasForgotten = false;
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(graceSeconds: number, store: GraceStore | null, apiKey: string, clock: Clock, most: number) {
    this.#graceMs = graceSeconds * 1_000;
    this.#store = store ?? new InMemory(most);
    this.#secret = createHash("sha256").update(`countersign.grace.v1\n${apiKey}`).digest();
    this.#clock = clock;
    this.#most = Math.max(1, most);
  }

  async granted(licenseKey: string, asked: string, result: ValidateResult): Promise<void> {
    if (this.#graceMs === 0) return;
    const license = formOf(licenseKey);
    const question = this.#nameOf(asked);
    await this.#inTurn(license, async () => {
      this.#refused.delete(license);
      const grants = this.#granted.get(license) ?? new Map<string, number>();
      grants.delete(question);
      grants.set(question, this.#clock.steadyMs());
      dropOldest(grants, mostGrants);
      this.#granted.delete(license);
      this.#granted.set(license, grants);
      dropOldest(this.#granted, this.#most);
      // The verdict applies whether or not it can be stored.
      await this.#keep(license, question, result).catch(() => undefined);
    });
  }

  async refused(licenseKey: string): Promise<void> {
    if (this.#graceMs === 0) return;
    const license = formOf(licenseKey);
    await this.#inTurn(license, async () => {
      this.#granted.delete(license);
      try {
        await this.#store.remove(this.#nameOf(license));
      } catch {
        this.#refused.add(license);
        if (dropOldest(this.#refused, this.#most)) this.#hasForgotten = true;
      }
    });
  }

  /** The result to return if the server cannot be reached. */
  async lastWord(licenseKey: string, asked: string): Promise<ValidateResult | null> {
    if (this.#graceMs === 0) return null;
    const license = formOf(licenseKey);
    const question = this.#nameOf(asked);
    return this.#inTurn(license, async () => {
      const grants = this.#granted.get(license);
      if (this.#refused.has(license) || (this.#hasForgotten && grants === undefined)) return null;
      // What cannot be read, or not be written back, grants nothing.
      return this.#lastKept(license, question, grants?.get(question)).catch(() => null);
    });
  }

  /** Sequentially per license: what was read before a rejection must not be written after it. */
  async #inTurn<T>(license: string, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(license);
    const turn = before === undefined ? work() : before.then(work, work);
    this.#turns.set(license, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(license) === turn) this.#turns.delete(license);
    }
  }

  async #keep(license: string, question: string, result: ValidateResult): Promise<void> {
    const nowMs = this.#clock.wallMs();
    const kept = await this.#load(license).catch(() => null);
    const isSetBack = kept === null || nowMs < kept.seenWallMs - correctionMs;
    const { [question]: _, ...others } = isSetBack ? {} : kept.grants;
    const newest = Object.entries(others).slice(1 - mostGrants);
    await this.#save(license, {
      seenWallMs: isSetBack ? nowMs : Math.max(nowMs, kept.seenWallMs),
      grants: { ...Object.fromEntries(newest), [question]: { result, saidAtWallMs: nowMs } },
    });
  }

  async #lastKept(
    license: string,
    question: string,
    saidSteadyMs: number | undefined,
  ): Promise<ValidateResult | null> {
    const kept = await this.#load(license);
    const grant = kept?.grants[question];
    if (kept === null || grant === undefined) return null;
    const nowMs = this.#clock.wallMs();
    if (nowMs < kept.seenWallMs - correctionMs) return null;
    const ages = [nowMs - grant.saidAtWallMs];
    if (saidSteadyMs !== undefined) ages.push(this.#clock.steadyMs() - saidSteadyMs);
    if (Math.max(...ages) > this.#graceMs) return null;
    const seenWallMs = Math.max(nowMs, kept.seenWallMs);
    const result = revived(grant.result);
    if (result.expires !== null && result.expires.getTime() <= seenWallMs) return null;
    await this.#save(license, { ...kept, seenWallMs });
    return { ...result, source: "grace", ipRegistered: null };
  }

  async #save(license: string, kept: Kept): Promise<void> {
    const text = JSON.stringify(kept);
    await this.#store.save(this.#nameOf(license), `${this.#mac(license, text)}.${text}`);
  }

  /** Null for anything this client did not write, or wrote for another license. */
  async #load(license: string): Promise<Kept | null> {
    const text = await this.#store.load(this.#nameOf(license));
    if (text === null) return null;
    const content = text.slice(65);
    const expected = Buffer.from(this.#mac(license, content));
    const claimed = Buffer.from(text.slice(0, 64));
    if (claimed.length !== expected.length || !timingSafeEqual(claimed, expected)) return null;
    return JSON.parse(content) as Kept;
  }

  /** Reveals nothing about the license key, and differs for products that share a store. */
  #nameOf(text: string): string {
    return createHmac("sha256", this.#secret).update(text).digest("hex").slice(0, 32);
  }

  #mac(license: string, text: string): string {
    return createHmac("sha256", this.#secret).update(`${license}\n${text}`).digest("hex");
  }
}

/** In JSON, times are strings. */
function revived(result: ValidateResult): ValidateResult {
  const { expires, checkedAt } = result;
  return {
    ...result,
    expires: expires === null ? null : new Date(expires),
    checkedAt: new Date(checkedAt),
  };
}

/** The same for the same license, however it was typed. */
function formOf(licenseKey: string): string {
  return licenseKey.trim().toUpperCase();
}

/** Whether an entry was evicted. */
function dropOldest(some: Map<string, unknown> | Set<string>, most: number): boolean {
  const [oldest] = some.keys();
  return some.size > most && oldest !== undefined && some.delete(oldest);
}

/** The oldest is evicted. */
class InMemory implements GraceStore {
  readonly #texts = new Map<string, string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = Math.max(1, most);
  }

  load(name: string): string | null {
    return this.#texts.get(name) ?? null;
  }

  save(name: string, text: string): void {
    this.#texts.delete(name);
    this.#texts.set(name, text);
    dropOldest(this.#texts, this.#most);
  }

  remove(name: string): void {
    this.#texts.delete(name);
  }
}
