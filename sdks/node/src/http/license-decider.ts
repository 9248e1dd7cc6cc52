import type { Decision, ValidateOptions } from "../client.ts";
import { systemClock } from "../clock.ts";
import { comparisonForm } from "../license-key.ts";
import type { Logger } from "../reporter.ts";
import type { CustomResponse, ValidateResult } from "../result.ts";
import { FailureLog } from "./failure-log.ts";
import { type AnyRequest, type KeySource, keyOf } from "./key-source.ts";
import { RecentSet } from "./recent-set.ts";
import type { RequestLicense } from "./request-license.ts";
import { errorFrom } from "./thrown.ts";
import { TooManyUnknownKeysError, UnknownKeyLimit } from "./unknown-key-limit.ts";

/** The part of the client that is used here. */
export interface LicenseClient<Custom = unknown> {
  check(licenseKey: string, options?: ValidateOptions): Promise<Decision<Custom>>;
  cached(licenseKey: string, options?: ValidateOptions): ValidateResult<Custom> | null;
  addUserAgent?(product: string): void;
}

export interface LicenseDeciderOptions<Custom, Request> {
  readonly client: LicenseClient<Custom>;
  /** Where to find the key. Defaults to the `X-License-Key` header. */
  readonly key?: KeySource<Request> | undefined;
  /** The licensed app's version, or how to get it from a request. */
  readonly version?: string | ((request: Request) => string | undefined) | undefined;
  readonly deviceId?: ((request: Request) => string | undefined) | undefined;
  /**
   * The caller's IP address, for the limit of unknown keys. Defaults to `request.ip`. Callers without one share one
   * limit.
   */
  readonly address?: ((request: Request) => string | null | undefined) | undefined;
  /** How many unknown keys each IP address may send per minute. Defaults to 10; 0 for no limit. */
  readonly unknownKeysPerMinute?: number | undefined;
  /** Where to log failures. Defaults to the console. */
  readonly logger?: Logger | undefined;
  /** The name and version of the package that uses this, for the client's User-Agent header. */
  readonly userAgent?: string | undefined;
  /** For tests. */
  readonly clock?: { steadyMs(): number } | undefined;
}

/** What all routes with the same client share. */
interface ClientState {
  /** Keys that had a verdict other than `license_not_found`. */
  readonly knownKeys: RecentSet;
  readonly failures: FailureLog;
  readonly limits: Map<number, UnknownKeyLimit>;
}

interface DecidedLicense {
  readonly client: LicenseClient;
  readonly requestKey: string;
  readonly license: RequestLicense<unknown>;
}

const maxKnownKeys = 10_000;
const defaultUnknownKeysPerMinute = 10;
const states = new WeakMap<LicenseClient, ClientState>();
const licenses = new WeakMap<object, DecidedLicense>();

/** Decides for each request whether its license lets it in. `refusalOf` says how to respond if it does not. */
export class LicenseDecider<Custom = CustomResponse, Request extends AnyRequest = AnyRequest> {
  readonly #options: LicenseDeciderOptions<Custom, Request>;
  readonly #state: ClientState;
  readonly #limit: UnknownKeyLimit | null;
  readonly #logger: Logger;

  constructor(options: LicenseDeciderOptions<Custom, Request>) {
    const perMinute = options.unknownKeysPerMinute ?? defaultUnknownKeysPerMinute;
    if (!Number.isInteger(perMinute) || perMinute < 0)
      throw new TypeError(
        `unknownKeysPerMinute must be a whole number that is not negative, not ${perMinute}.`,
      );
    const { steadyMs } = options.clock ?? systemClock;
    this.#options = options;
    this.#state = stateOf(options.client, steadyMs);
    this.#limit = perMinute === 0 ? null : limitOf(this.#state, perMinute, steadyMs);
    this.#logger = options.logger ?? console;
    if (options.userAgent !== undefined) options.client.addUserAgent?.(options.userAgent);
  }

  /**
   * The license of a request. An earlier decision for the same request is reused. Rejects only if a callback of the
   * options fails; then the request must not be let in.
   */
  async decide(
    request: Request,
    overrides: { readonly version?: string } = {},
  ): Promise<RequestLicense<Custom>> {
    const { client } = this.#options;
    const { key, details } = await this.#read(request, overrides.version);
    const requestKey = JSON.stringify([key, details]);
    const decided = licenses.get(request);
    if (decided?.requestKey === requestKey && decided.client === client)
      return decided.license as RequestLicense<Custom>;
    const decision = key === null ? undecided : await this.#check(request, key, details);
    const license = { key, ...decision };
    licenses.set(request, { client, requestKey, license });
    return license;
  }

  async #read(request: Request, decoratedVersion: string | undefined) {
    try {
      const { version, deviceId } = this.#options;
      const key = await keyOf(request, this.#options.key);
      const requestVersion = typeof version === "function" ? version(request) : version;
      return { key, details: validateOptions(decoratedVersion ?? requestVersion, deviceId?.(request)) };
    } catch (thrown) {
      throw errorFrom(thrown, "Reading the license key from the request");
    }
  }

  async #check(request: Request, key: string, details: ValidateOptions): Promise<Decision<Custom>> {
    const decision = await this.#checkWithinLimit(request, key, details);
    const { knownKeys, failures } = this.#state;
    if (decision.error instanceof TooManyUnknownKeysError) {
      failures.recordLimit(decision.error, this.#logger);
      return decision;
    }
    failures.record(decision, this.#logger);
    if (decision.result?.status === "license_not_found") knownKeys.delete(comparisonForm(key));
    else if (decision.result !== null) knownKeys.add(comparisonForm(key));
    return decision;
  }

  async #checkWithinLimit(
    request: Request,
    key: string,
    details: ValidateOptions,
  ): Promise<Decision<Custom>> {
    const { client } = this.#options;
    const check = () => client.check(key, details);
    const isLimited =
      this.#limit !== null &&
      !this.#state.knownKeys.has(comparisonForm(key)) &&
      client.cached(key, details) === null;
    if (!isLimited || this.#limit === null) return check();
    try {
      return await this.#limit.run(this.#addressOf(request), check, isUnknownKey);
    } catch (error) {
      if (!(error instanceof TooManyUnknownKeysError)) throw error;
      // Never allowed, not even in advisory mode: otherwise a few unknown keys would open the app.
      return { allowed: false, result: null, error };
    }
  }

  #addressOf(request: Request): string {
    try {
      const { address = ({ ip }: Request) => ip } = this.#options;
      return address(request) ?? "";
    } catch (thrown) {
      throw errorFrom(thrown, "The option address");
    }
  }
}

/** The decision for a request. Null if there is none. */
export function decidedLicense<Custom = CustomResponse>(request: object): RequestLicense<Custom> | null {
  return (licenses.get(request)?.license ?? null) as RequestLicense<Custom> | null;
}

const undecided: Decision<never> = { allowed: false, result: null, error: null };

function isUnknownKey({ result }: Decision<unknown>): boolean {
  return result?.status === "license_not_found";
}

function stateOf(client: LicenseClient, steadyMs: () => number): ClientState {
  const known = states.get(client);
  if (known !== undefined) return known;
  const state = {
    knownKeys: new RecentSet(maxKnownKeys),
    failures: new FailureLog(steadyMs),
    limits: new Map<number, UnknownKeyLimit>(),
  };
  states.set(client, state);
  return state;
}

function limitOf({ limits }: ClientState, perMinute: number, steadyMs: () => number): UnknownKeyLimit {
  const limit = limits.get(perMinute) ?? new UnknownKeyLimit(perMinute, { steadyMs });
  limits.set(perMinute, limit);
  return limit;
}

function validateOptions(version: string | undefined, deviceId: string | undefined): ValidateOptions {
  return {
    ...(version === undefined ? {} : { version }),
    ...(deviceId === undefined ? {} : { deviceId }),
  };
}
