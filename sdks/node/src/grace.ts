import type { Clock } from "./clock.ts";
import { GraceEntries, type StoredGrants } from "./grace-entries.ts";
import { evictOldest, type GraceStore, InMemoryStore } from "./grace-store.ts";
import type { Reporter } from "./reporter.ts";
import { frozen, type ValidateResult, withoutRequest } from "./result.ts";

/** A clock that goes back further than this was set back on purpose. */
const maxClockCorrectionMs = 120_000;
/** The maximum number of versions and devices stored per license. */
const maxGrants = 50;
/** Results from the cache store the time at most this often, per license. */
const touchIntervalMs = 60_000;

export interface GraceOptions {
  readonly graceSeconds: number;
  readonly graceStore: GraceStore | null;
  readonly apiKey: string;
  readonly deviceId: string | null;
  readonly clock: Clock;
  readonly cacheEntries: number;
  readonly reporter: Reporter;
}

/**
 * Keeps a valid license valid for a while if there is no usable response. Any rejection ends that for the whole license.
 * Time is measured by the monotonic clock within a process, and by the wall clock across restarts. The latest time seen
 * is stored at every call, so a clock that was set back never extends or reopens it.
 */
export class Grace {
  readonly #graceMs: number;
  readonly #entries: GraceEntries;
  readonly #clock: Clock;
  readonly #maxEntries: number;
  readonly #reporter: Reporter;
  /** When each license was last granted, per request, by the monotonic clock. The oldest is evicted. */
  readonly #grantTimes = new Map<string, Map<string, number>>();
  /** When the time was last stored for each license, by the monotonic clock. The oldest is evicted. */
  readonly #touchTimes = new Map<string, number>();
  /** Rejected licenses that the store could not remove. The oldest is evicted. */
  readonly #rejected = new Set<string>();
  /** Once a rejection was evicted, only licenses that this process granted have a grace period. */
  #hasEvictedRejection = false;
  readonly #lastTasks = new Map<string, Promise<unknown>>();

  constructor({ graceSeconds, graceStore, apiKey, deviceId, clock, cacheEntries, reporter }: GraceOptions) {
    this.#graceMs = graceSeconds * 1_000;
    this.#entries = new GraceEntries(graceStore ?? new InMemoryStore(cacheEntries), apiKey, deviceId);
    this.#clock = clock;
    this.#maxEntries = Math.max(1, cacheEntries);
    this.#reporter = reporter;
  }

  /** `isCurrent` is checked when it is the license's turn: an outdated verdict leaves no trace. */
  async record(
    license: string,
    requestKey: string,
    result: ValidateResult<unknown>,
    isCurrent: () => boolean,
  ): Promise<void> {
    if (this.#graceMs === 0) return;
    const request = this.#entries.nameOf(requestKey);
    await this.#serialize(license, async () => {
      if (!isCurrent()) return;
      if (result.valid) await this.#grant(license, request, result);
      else await this.#reject(license);
    });
  }

  /** The result to return if there is no usable response. */
  async graceResult(license: string, requestKey: string): Promise<ValidateResult<unknown> | null> {
    if (this.#graceMs === 0) return null;
    const request = this.#entries.nameOf(requestKey);
    return this.#serialize(license, async () => {
      const grants = this.#grantTimes.get(license);
      const isRejected = this.#rejected.has(license) || (this.#hasEvictedRejection && grants === undefined);
      const grantedAtMs = grants?.get(request);
      const nowMs = this.#clock.wallMs();
      try {
        return await this.#entries.locked(license, async () => {
          const stored = await this.#storeTime(license, nowMs);
          return isRejected || stored === null ? null : this.#resultIn(stored, request, grantedAtMs);
        });
      } catch (error) {
        // An entry that cannot be read or written back grants nothing.
        this.#storeFailed(error);
        return null;
      }
    });
  }

  /** Stores the time after a call that has another result. */
  async touch(license: string): Promise<void> {
    if (this.#graceMs === 0) return;
    const nowMs = this.#clock.wallMs();
    await this.#serialize(license, () =>
      this.#entries
        .locked(license, () => this.#storeTime(license, nowMs))
        .catch((error) => this.#storeFailed(error)),
    );
  }

  /** Stores the time after a result from the cache: now and then, and not before the call returns. */
  touchLater(license: string): void {
    if (this.#graceMs === 0) return;
    const nowMs = this.#clock.steadyMs();
    if (nowMs - (this.#touchTimes.get(license) ?? Number.NEGATIVE_INFINITY) < touchIntervalMs) return;
    this.#touchTimes.delete(license);
    this.#touchTimes.set(license, nowMs);
    evictOldest(this.#touchTimes, this.#maxEntries);
    this.touch(license).catch(() => undefined);
  }

  async #grant(license: string, request: string, result: ValidateResult<unknown>): Promise<void> {
    this.#rejected.delete(license);
    const grants = this.#grantTimes.get(license) ?? new Map<string, number>();
    grants.delete(request);
    grants.set(request, this.#clock.steadyMs());
    evictOldest(grants, maxGrants);
    this.#grantTimes.delete(license);
    this.#grantTimes.set(license, grants);
    evictOldest(this.#grantTimes, this.#maxEntries);
    // The verdict applies whether or not it can be stored.
    await this.#entries
      .locked(license, () => this.#storeGrant(license, request, result))
      .catch((error) => this.#storeFailed(error));
  }

  async #reject(license: string): Promise<void> {
    this.#grantTimes.delete(license);
    const remove = () => this.#entries.remove(license);
    try {
      // Removed even without the lock.
      await this.#entries.locked(license, remove).catch(remove);
    } catch (error) {
      this.#storeFailed(error);
      this.#rejected.add(license);
      if (evictOldest(this.#rejected, this.#maxEntries)) this.#hasEvictedRejection = true;
    }
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

  async #storeGrant(license: string, request: string, result: ValidateResult<unknown>): Promise<void> {
    const nowMs = this.#clock.wallMs();
    const stored = await this.#entries.load(license).catch(() => null);
    const isSetBack = stored === null || nowMs < stored.seenWallMs - maxClockCorrectionMs;
    const { [request]: _, ...others } = isSetBack ? {} : stored.grants;
    const newest = Object.entries(others).slice(1 - maxGrants);
    await this.#entries.save(license, {
      seenWallMs: isSetBack ? nowMs : Math.max(nowMs, stored.seenWallMs),
      grants: { ...Object.fromEntries(newest), [request]: { result, grantedAtWallMs: nowMs } },
    });
  }

  /** The entry of a license, after the time was stored in it. */
  async #storeTime(license: string, nowMs: number): Promise<StoredGrants | null> {
    const stored = await this.#entries.load(license);
    if (stored === null || stored.seenWallMs >= nowMs) return stored;
    const seen = { ...stored, seenWallMs: nowMs };
    await this.#entries.save(license, seen);
    return seen;
  }

  #resultIn(
    { seenWallMs, grants }: StoredGrants,
    request: string,
    grantedAtSteadyMs: number | undefined,
  ): ValidateResult<unknown> | null {
    const grant = grants[request];
    const nowMs = this.#clock.wallMs();
    if (grant === undefined || nowMs < seenWallMs - maxClockCorrectionMs) return null;
    // A clock that was corrected a little must not make the period longer.
    const ages = [seenWallMs - grant.grantedAtWallMs];
    if (grantedAtSteadyMs !== undefined) ages.push(this.#clock.steadyMs() - grantedAtSteadyMs);
    if (Math.max(...ages) > this.#graceMs) return null;
    const result = withDates(grant.result);
    if (result.expires !== null && result.expires.getTime() <= seenWallMs) return null;
    return withoutRequest(result, "grace");
  }

  #storeFailed(error: unknown): void {
    this.#reporter.once("grace store", "The grace store failed, so grace periods may be missing.", { error });
  }
}

/** In JSON, times are strings. */
function withDates(result: ValidateResult<unknown>): ValidateResult<unknown> {
  const { expires, checkedAt } = result;
  return frozen({
    ...result,
    expires: expires === null ? null : new Date(expires),
    checkedAt: new Date(checkedAt),
  });
}
