import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Clock } from "./clock.ts";
import type { ValidateResult } from "./result.ts";

/** Keeps one text for each license, for example in a file, so that an app that starts without a network still runs. */
export interface GraceStore {
  load(name: string): string | null | Promise<string | null>;
  save(name: string, text: string): void | Promise<void>;
  remove(name: string): void | Promise<void>;
}

interface Kept {
  readonly result: ValidateResult;
  readonly saidAtWallMs: number;
  /** The latest time that was ever seen: a clock that says less was set back. */
  readonly seenWallMs: number;
}

/** So much may a clock be corrected backwards without anybody meaning harm. */
const correctionMs = 120_000;

/**
 * Lets a license that was valid go on being valid for a while when the server cannot be reached. Time is counted by the
 * clock that never goes back while the process lives, and by the wall's over a restart, where going back ends it.
 */
export class Grace {
  readonly #graceMs: number;
  readonly #store: GraceStore;
  readonly #secret: Uint8Array;
  readonly #clock: Clock;
  readonly #most: number;
  /** When each license was last granted, by the steady clock. The oldest makes room. */
  readonly #granted = new Map<string, number>();
  /** Those that were refused while the store could not remove them. The oldest makes room. */
  readonly #refused = new Set<string>();
  /** Once a refusal made room, only what was granted here since can be told from what was refused. */
  #hasForgotten = false;

  constructor(graceSeconds: number, store: GraceStore | null, apiKey: string, clock: Clock, most: number) {
    this.#graceMs = graceSeconds * 1_000;
    this.#store = store ?? new InMemory(most);
    this.#secret = createHash("sha256").update(`countersign.grace.v1\n${apiKey}`).digest();
    this.#clock = clock;
    this.#most = Math.max(1, most);
  }

  async granted(key: string, result: ValidateResult): Promise<void> {
    if (this.#graceMs === 0) return;
    const nowMs = this.#clock.wallMs();
    this.#refused.delete(key);
    this.#granted.delete(key);
    this.#granted.set(key, this.#clock.steadyMs());
    dropOldest(this.#granted, this.#most);
    // The verdict holds whether or not it can be kept for later.
    await this.#save(key, { result, saidAtWallMs: nowMs, seenWallMs: nowMs }).catch(() => undefined);
  }

  async refused(key: string): Promise<void> {
    if (this.#graceMs === 0) return;
    this.#granted.delete(key);
    try {
      await this.#store.remove(nameOf(key));
    } catch {
      this.#refused.add(key);
      if (dropOldest(this.#refused, this.#most)) this.#hasForgotten = true;
    }
  }

  /** What may still be said although nobody can be asked. */
  async lastWord(key: string): Promise<ValidateResult | null> {
    if (this.#graceMs === 0) return null;
    const saidSteadyMs = this.#granted.get(key);
    if (this.#refused.has(key) || (this.#hasForgotten && saidSteadyMs === undefined)) return null;
    try {
      return await this.#lastKept(key, saidSteadyMs);
    } catch {
      // What cannot be read, or not be written down again, grants nothing.
      return null;
    }
  }

  async #lastKept(key: string, saidSteadyMs: number | undefined): Promise<ValidateResult | null> {
    const kept = this.#open(key, await this.#store.load(nameOf(key)));
    if (kept === null) return null;
    const nowMs = this.#clock.wallMs();
    if (nowMs < kept.seenWallMs - correctionMs) return null;
    const ages = [nowMs - kept.saidAtWallMs];
    if (saidSteadyMs !== undefined) ages.push(this.#clock.steadyMs() - saidSteadyMs);
    if (Math.max(...ages) > this.#graceMs) return null;
    const { expires } = kept.result;
    if (expires !== null && expires.getTime() <= Math.max(nowMs, kept.seenWallMs)) return null;
    await this.#save(key, { ...kept, seenWallMs: Math.max(nowMs, kept.seenWallMs) });
    return { ...kept.result, source: "grace", ipRegistered: null };
  }

  async #save(key: string, kept: Kept): Promise<void> {
    const text = JSON.stringify(kept);
    await this.#store.save(nameOf(key), `${this.#mac(key, text)}.${text}`);
  }

  /** Null for what this client did not write, or wrote for another license. */
  #open(key: string, text: string | null): Kept | null {
    if (text === null) return null;
    const content = text.slice(65);
    const expected = Buffer.from(this.#mac(key, content));
    const claimed = Buffer.from(text.slice(0, 64));
    if (claimed.length !== expected.length || !timingSafeEqual(claimed, expected)) return null;
    const kept = JSON.parse(content) as Kept;
    const { expires, checkedAt } = kept.result;
    return {
      ...kept,
      result: {
        ...kept.result,
        expires: expires === null ? null : new Date(expires),
        checkedAt: new Date(checkedAt),
      },
    };
  }

  #mac(key: string, text: string): string {
    return createHmac("sha256", this.#secret).update(`${key}\n${text}`).digest("hex");
  }
}

/** License keys are nobody's business who only sees the files' names. */
function nameOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 32);
}

/** Whether one had to make room. */
function dropOldest(some: Map<string, unknown> | Set<string>, most: number): boolean {
  const [oldest] = some.keys();
  return some.size > most && oldest !== undefined && some.delete(oldest);
}

/** The oldest makes room. */
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
