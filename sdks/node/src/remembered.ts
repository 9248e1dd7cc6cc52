import { Cache } from "./cache.ts";
import type { Clock } from "./clock.ts";
import { type ValidateResult, withoutRequest } from "./result.ts";

/** The verdicts that need no request for a while: valid licenses, and for a shorter time unknown keys. */
export class RememberedVerdicts<Custom> {
  readonly #clock: Clock;
  readonly #validMs: number;
  readonly #notFoundMs: number;
  /** By key, version and device. */
  readonly #valid: Cache<ValidateResult<Custom>>;
  /** By license. In a cache of its own, so that made-up keys evict no valid license. */
  readonly #notFound: Cache<ValidateResult<Custom>>;

  constructor(
    clock: Clock,
    options: {
      readonly cacheSeconds: number;
      readonly notFoundCacheSeconds: number;
      readonly cacheEntries: number;
    },
  ) {
    this.#clock = clock;
    this.#validMs = options.cacheSeconds * 1_000;
    this.#notFoundMs = options.notFoundCacheSeconds * 1_000;
    this.#valid = new Cache(options.cacheEntries, clock.steadyMs);
    this.#notFound = new Cache(options.cacheEntries, clock.steadyMs);
  }

  get(license: string, requestKey: string): ValidateResult<Custom> | null {
    // A valid verdict removes the other, so the other is the newer one.
    const result = this.#notFound.get(license) ?? this.#valid.get(requestKey);
    return result === undefined ? null : withoutRequest(result, "cache");
  }

  set(license: string, requestKey: string, result: ValidateResult<Custom>): void {
    const isNotFound = result.status === "license_not_found";
    this.#valid.set(requestKey, result, result.valid ? this.#validFor(result.expires) : 0);
    this.#notFound.set(license, result, isNotFound ? this.#notFoundMs : 0);
  }

  clear(): void {
    this.#valid.clear();
    this.#notFound.clear();
  }

  /** Never past the license's expiry. */
  #validFor(expires: Date | null): number {
    if (expires === null) return this.#validMs;
    return Math.min(this.#validMs, expires.getTime() - this.#clock.wallMs());
  }
}
