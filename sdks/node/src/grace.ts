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
interface StoredGrants {
  /** The latest time ever seen: an earlier clock was set back. */
  readonly seenWallMs: number;
  /** By request, newest last. */
  readonly grants: Readonly<Record<string, Grant>>;
}

interface Grant {
  readonly result: ValidateResult;
  readonly grantedAtWallMs: number;
}

/** A clock that goes back further than this was set back on purpose. */
const maxClockCorrectionMs = 120_000;
/** The maximum number of versions and devices stored per license. */
const maxGrants = 50;

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
  readonly #maxEntries: number;
  /** When each license was last granted, per request, by the monotonic clock. The oldest is evicted. */
  readonly #grantTimes = new Map<string, Map<string, number>>();
  /** Rejected licenses that the store could not remove. The oldest is evicted. */
  readonly #rejected = new Set<string>();
  /** Once a rejection was evicted, only licenses that this process granted have a grace period. */
  #hasEvictedRejection = false;
  readonly #lastTasks = new Map<string, Promise<unknown>>();

  constructor(
    graceSeconds: number,
    store: GraceStore | null,
    apiKey: string,
    clock: Clock,
    maxEntries: number,
  ) {
    this.#graceMs = graceSeconds * 1_000;
    this.#store = store ?? new InMemoryStore(maxEntries);
    this.#secret = createHash("sha256").update(`countersign.grace.v1\n${apiKey}`).digest();
    this.#clock = clock;
    this.#maxEntries = Math.max(1, maxEntries);
  }

  async recordGrant(licenseKey: string, requestKey: string, result: ValidateResult): Promise<void> {
    if (this.#graceMs === 0) return;
    const license = normalized(licenseKey);
    const request = this.#nameOf(requestKey);
    await this.#serialize(license, async () => {
      this.#rejected.delete(license);
      const grants = this.#grantTimes.get(license) ?? new Map<string, number>();
      grants.delete(request);
      grants.set(request, this.#clock.steadyMs());
      evictOldest(grants, maxGrants);
      this.#grantTimes.delete(license);
      this.#grantTimes.set(license, grants);
      evictOldest(this.#grantTimes, this.#maxEntries);
      // The verdict applies whether or not it can be stored.
      await this.#storeGrant(license, request, result).catch(() => undefined);
    });
  }

  async recordRejection(licenseKey: string): Promise<void> {
    if (this.#graceMs === 0) return;
    const license = normalized(licenseKey);
    await this.#serialize(license, async () => {
      this.#grantTimes.delete(license);
      try {
        await this.#store.remove(this.#nameOf(license));
      } catch {
        this.#rejected.add(license);
        if (evictOldest(this.#rejected, this.#maxEntries)) this.#hasEvictedRejection = true;
      }
    });
  }

  /** The result to return if the server cannot be reached. */
  async graceResult(licenseKey: string, requestKey: string): Promise<ValidateResult | null> {
    if (this.#graceMs === 0) return null;
    const license = normalized(licenseKey);
    const request = this.#nameOf(requestKey);
    return this.#serialize(license, async () => {
      const grants = this.#grantTimes.get(license);
      if (this.#rejected.has(license) || (this.#hasEvictedRejection && grants === undefined)) return null;
      // An entry that cannot be read or written back grants nothing.
      return this.#storedResult(license, request, grants?.get(request)).catch(() => null);
    });
  }

  /** Runs the work for one license in sequence: data read before a rejection must not be written after it. */
  async #serialize<T>(license: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#lastTasks.get(license);
    const task = previous === undefined ? work() : previous.then(work, work);
    this.#lastTasks.set(license, task);
    try {
      return await task;
    } finally {
      if (this.#lastTasks.get(license) === task) this.#lastTasks.delete(license);
    }
  }

  async #storeGrant(license: string, request: string, result: ValidateResult): Promise<void> {
    const nowMs = this.#clock.wallMs();
    const stored = await this.#load(license).catch(() => null);
    const isSetBack = stored === null || nowMs < stored.seenWallMs - maxClockCorrectionMs;
    const { [request]: _, ...others } = isSetBack ? {} : stored.grants;
    const newest = Object.entries(others).slice(1 - maxGrants);
    await this.#save(license, {
      seenWallMs: isSetBack ? nowMs : Math.max(nowMs, stored.seenWallMs),
      grants: { ...Object.fromEntries(newest), [request]: { result, grantedAtWallMs: nowMs } },
    });
  }

  async #storedResult(
    license: string,
    request: string,
    grantedAtSteadyMs: number | undefined,
  ): Promise<ValidateResult | null> {
    const stored = await this.#load(license);
    const grant = stored?.grants[request];
    if (stored === null || grant === undefined) return null;
    const nowMs = this.#clock.wallMs();
    if (nowMs < stored.seenWallMs - maxClockCorrectionMs) return null;
    const ages = [nowMs - grant.grantedAtWallMs];
    if (grantedAtSteadyMs !== undefined) ages.push(this.#clock.steadyMs() - grantedAtSteadyMs);
    if (Math.max(...ages) > this.#graceMs) return null;
    const seenWallMs = Math.max(nowMs, stored.seenWallMs);
    const result = withDates(grant.result);
    if (result.expires !== null && result.expires.getTime() <= seenWallMs) return null;
    await this.#save(license, { ...stored, seenWallMs });
    return { ...result, source: "grace", ipRegistered: null };
  }

  async #save(license: string, stored: StoredGrants): Promise<void> {
    const text = JSON.stringify(stored);
    await this.#store.save(this.#nameOf(license), `${this.#mac(license, text)}.${text}`);
  }

  /** Null for anything this client did not write, or wrote for another license. */
  async #load(license: string): Promise<StoredGrants | null> {
    const text = await this.#store.load(this.#nameOf(license));
    if (text === null) return null;
    const content = text.slice(65);
    const expected = Buffer.from(this.#mac(license, content));
    const claimed = Buffer.from(text.slice(0, 64));
    if (claimed.length !== expected.length || !timingSafeEqual(claimed, expected)) return null;
    return JSON.parse(content) as StoredGrants;
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
function withDates(result: ValidateResult): ValidateResult {
  const { expires, checkedAt } = result;
  return {
    ...result,
    expires: expires === null ? null : new Date(expires),
    checkedAt: new Date(checkedAt),
  };
}

/** The same for every spelling of a license key. */
function normalized(licenseKey: string): string {
  return licenseKey.trim().toUpperCase();
}

/** Returns whether an entry was evicted. */
function evictOldest(entries: Map<string, unknown> | Set<string>, maxEntries: number): boolean {
  const [oldest] = entries.keys();
  return entries.size > maxEntries && oldest !== undefined && entries.delete(oldest);
}

/** Keeps a limited number of entries. The oldest is evicted. */
class InMemoryStore implements GraceStore {
  readonly #texts = new Map<string, string>();
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    this.#maxEntries = Math.max(1, maxEntries);
  }

  load(name: string): string | null {
    return this.#texts.get(name) ?? null;
  }

  save(name: string, text: string): void {
    this.#texts.delete(name);
    this.#texts.set(name, text);
    evictOldest(this.#texts, this.#maxEntries);
  }

  remove(name: string): void {
    this.#texts.delete(name);
  }
}
