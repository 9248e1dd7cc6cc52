import { Api } from "./api.ts";
import { textOf } from "./bytes.ts";
import {
  ConnectionError,
  CountersignError,
  NotFoundError,
  RateLimitError,
  SandboxError,
  ServerError,
  SignatureError,
} from "./errors.ts";
import { Grace } from "./grace.ts";
import { parsed } from "./json.ts";
import { type LicenseRecord, readLicense } from "./license.ts";
import { comparisonForm, isImpossible, readKey } from "./license-key.ts";
import { type CountersignOptions, readOptions, readRetries, readTimeout, type Settings } from "./options.ts";
import { PendingRequests, type Ticket } from "./pending-requests.ts";
import { portalUrl } from "./portal-url.ts";
import { escapedKey } from "./redaction.ts";
import { RememberedVerdicts } from "./remembered.ts";
import { Reporter } from "./reporter.ts";
import { type CustomResponse, localResult, type ValidateResult, withOwnDates } from "./result.ts";
import type { Delivery } from "./transport.ts";
import { requestVerdict, type Validation } from "./validation.ts";
import { Watch, type WatchOptions } from "./watch.ts";

/** How one call is sent. Each option defaults to that of the client. */
export interface CallOptions {
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  /** Cancels the call, which rejects with the signal's reason. Other callers that share its request are not affected. */
  readonly signal?: AbortSignal | undefined;
}

export interface ValidateOptions extends CallOptions {
  /** The app's own version, such as `2.1.0`. */
  readonly version?: string | undefined;
  readonly deviceId?: string | undefined;
  /** Sends a request of its own, whatever is cached or already requested. */
  readonly fresh?: boolean | undefined;
}

/** Whether to grant access, and why. */
export interface Decision<Custom = CustomResponse> {
  readonly allowed: boolean;
  /** Null if there was no verdict. */
  readonly result: ValidateResult<Custom> | null;
  /** Why there was no verdict. */
  readonly error: CountersignError | null;
}

/** One validation: what is asked, and under which names its result is remembered. */
interface Call extends Validation {
  readonly license: string;
  readonly requestKey: string;
}

/**
 * Validates licenses against a Countersign server. Create one for the whole app: it caches results, and concurrent
 * calls share one request. `Custom` is the type of the product's custom response.
 */
export class Countersign<Custom = CustomResponse> {
  readonly #settings: Settings;
  readonly #api: Api;
  readonly #remembered: RememberedVerdicts<Custom>;
  readonly #pending = new PendingRequests<ValidateResult<Custom>>();
  readonly #grace: Grace;
  readonly #reporter: Reporter;

  constructor(options: CountersignOptions = {}) {
    this.#settings = readOptions(options);
    this.#reporter = new Reporter(this.#settings.logger, this.#settings);
    this.#api = new Api(this.#settings, this.#reporter);
    this.#remembered = new RememberedVerdicts(this.#settings.clock, this.#settings);
    this.#grace = new Grace({ ...this.#settings, reporter: this.#reporter });
  }

  /**
   * The server's verdict on a license. A rejection is a result, not an error; a thrown `CountersignError` means that
   * there is no verdict. A key that no license can have, such as an empty one, is answered without a request.
   */
  async validate(
    licenseKey: string | null | undefined,
    options: ValidateOptions = {},
  ): Promise<ValidateResult<Custom>> {
    const call = this.#readCall(licenseKey, options);
    const delivery = this.#readDelivery(options);
    const known = this.#known(call, options.fresh === true);
    if (known !== null) {
      if (known.source === "cache") this.#grace.touchLater(call.license);
      return withOwnDates(known);
    }
    const limits = `${delivery.timeoutMs} ${delivery.retries}`;
    const request = { ...call, limits, isFresh: options.fresh === true };
    const work = (ticket: Ticket, signal: AbortSignal) =>
      this.#validate(call, ticket, { ...delivery, signal });
    return withOwnDates(await this.#pending.run(request, delivery.signal, work));
  }

  /** The result that `validate` would return without a request, or null. Sends nothing. */
  cached(
    licenseKey: string | null | undefined,
    options: Pick<ValidateOptions, "version" | "deviceId"> = {},
  ): ValidateResult<Custom> | null {
    const known = this.#known(this.#readCall(licenseKey, options), false);
    return known === null ? null : withOwnDates(known);
  }

  /** Returns a decision instead of a result. An unavailable server never makes it throw. */
  async check(
    licenseKey: string | null | undefined,
    options: ValidateOptions = {},
  ): Promise<Decision<Custom>> {
    try {
      const result = await this.validate(licenseKey, options);
      return Object.freeze({ allowed: result.valid, result, error: null });
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      // A forged response and one of the sandbox are never allowed, in either mode.
      const isForged = error instanceof SignatureError || error instanceof SandboxError;
      const allowed = this.#settings.whenUnavailable === "advisory" && !isForged;
      return Object.freeze({ allowed, result: null, error });
    }
  }

  /** The license's record. Read-only: it registers no IP address and grants nothing. */
  async lookup(licenseKey: string | null | undefined, options: CallOptions = {}): Promise<LicenseRecord> {
    const key = readKey(licenseKey);
    const delivery = this.#readDelivery(options);
    if (isImpossible(key)) throw new NotFoundError("No license can have this key.");
    const request = {
      method: "GET" as const,
      path: `/api/v1/license/${escapedKey(key)}`,
      shownPath: "/api/v1/license/{key}",
      headers: this.#api.headers(),
    };
    const response = await this.#api.send(request, key, delivery);
    const body = textOf(response.body);
    if (response.status === 404 && parsed(body)?.statusCode === 404)
      throw new NotFoundError("The product has no license with this key.", this.#api.details(response, key));
    const license = response.status === 200 ? readLicense(body) : null;
    if (license === null) throw this.#api.unusable(response, key);
    return license;
  }

  /**
   * The page of the customer portal on which the holder of a license solves a rejection: `ip_limit_reached`,
   * `ip_not_registered` or `expired`. It asks for sign-in first. No request is sent. The URL contains the license key:
   * give it only to the holder of that key, and keep it out of logs.
   */
  portalUrl(licenseKey: string): string {
    return portalUrl(this.#settings.baseUrl, licenseKey);
  }

  /**
   * Validates periodically, and reports changes of the verdict. Ends with `stop()`, and does not keep the app alive.
   */
  watch(licenseKey: string | null | undefined, options: WatchOptions<Custom>): Watch<Custom> {
    const key = readKey(licenseKey);
    const { version, deviceId } = options;
    const validate = () => this.validate(key, { version, deviceId, fresh: true });
    return new Watch(validate, options, { random: this.#settings.random, reporter: this.#reporter });
  }

  /** Adds the name and version of a package that uses this client to the User-Agent header. */
  addUserAgent(product: string): void {
    this.#api.addUserAgent(product);
  }

  /** Clears the cache. It does not lift a reached daily limit. */
  forget(): void {
    this.#pending.forget();
    this.#remembered.clear();
  }

  /** What needs no request. */
  #known({ licenseKey, license, requestKey }: Call, isFresh: boolean): ValidateResult<Custom> | null {
    if (isImpossible(licenseKey)) return localResult(this.#settings.clock.wallMs());
    return isFresh ? null : this.#remembered.get(license, requestKey);
  }

  async #validate(call: Call, ticket: Ticket, delivery: Delivery): Promise<ValidateResult<Custom>> {
    const { license, requestKey } = call;
    const isCurrent = () => this.#pending.isCurrent(ticket);
    try {
      const verdict = await requestVerdict<Custom>(call, this.#api, this.#settings, this.#reporter, delivery);
      const { result, isSandbox } = verdict;
      this.#reporter.verdict();
      if (isCurrent()) this.#remembered.set(license, requestKey, result);
      if (!isSandbox) await this.#grace.record(license, requestKey, result, isCurrent);
      return result;
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      return this.#withoutVerdict(call, error);
    }
  }

  /** The result of the grace period; otherwise throws the error. */
  async #withoutVerdict({ license, requestKey }: Call, error: CountersignError) {
    const isCovered =
      error instanceof ConnectionError || error instanceof ServerError || error instanceof RateLimitError;
    const result = isCovered ? await this.#grace.graceResult(license, requestKey) : null;
    if (!isCovered) await this.#grace.touch(license);
    if (result === null) {
      this.#reporter.failure(error);
      throw error;
    }
    this.#reporter.graceUsed(error);
    return result as ValidateResult<Custom>;
  }

  #readCall(
    licenseKey: string | null | undefined,
    { version, deviceId }: Pick<ValidateOptions, "version" | "deviceId">,
  ): Call {
    const call = {
      licenseKey: readKey(licenseKey),
      version: version ?? this.#settings.version,
      deviceId: deviceId ?? this.#settings.deviceId,
    };
    const requestKey = JSON.stringify([call.licenseKey, call.version, call.deviceId]);
    return { ...call, license: comparisonForm(call.licenseKey), requestKey };
  }

  #readDelivery({ timeoutMs, retries, signal }: CallOptions): Delivery {
    if (signal?.aborted === true) throw signal.reason;
    return {
      timeoutMs: timeoutMs === undefined ? this.#settings.timeoutMs : readTimeout(timeoutMs),
      retries: retries === undefined ? this.#settings.retries : readRetries(retries),
      signal: signal ?? null,
    };
  }
}
