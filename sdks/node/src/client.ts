import { randomBytes } from "node:crypto";
import { Cache } from "./cache.ts";
import {
  AuthenticationError,
  ConnectionError,
  CountersignError,
  NotFoundError,
  SandboxError,
  ServerError,
  SignatureError,
} from "./errors.ts";
import { Grace } from "./grace.ts";
import { type LicenseRecord, readLicense } from "./license.ts";
import { type CountersignOptions, readOptions, type Settings } from "./options.ts";
import { portalUrl } from "./portal-url.ts";
import { RateLimitGate } from "./rate-limit-gate.ts";
import { parsed, readResult, type ValidateResult } from "./result.ts";
import { signatureProblem } from "./signature.ts";
import { type ApiRequest, type ApiResponse, send } from "./transport.ts";
import { Watch, type WatchOptions } from "./watch.ts";

export interface ValidateOptions {
  /** The app's own version, such as `2.1.0`. */
  readonly version?: string | undefined;
  readonly deviceId?: string | undefined;
  /** Bypasses the cache. */
  readonly fresh?: boolean | undefined;
}

/** Whether to grant access, and why. */
export interface Decision {
  readonly allowed: boolean;
  /** Null if there was no verdict. */
  readonly result: ValidateResult | null;
  /** Why there was no verdict. */
  readonly error: CountersignError | null;
}

/**
 * Validates licenses against a Countersign server. Create one for the whole app: it caches results, and concurrent
 * calls share one request.
 */
export class Countersign {
  readonly #settings: Settings;
  readonly #rateLimitGate: RateLimitGate;
  readonly #cache: Cache<ValidateResult>;
  readonly #grace: Grace;
  readonly #pending = new Map<string, Promise<ValidateResult>>();

  constructor(options: CountersignOptions = {}) {
    const settings = readOptions(options);
    const { clock, cacheEntries, graceSeconds, graceStore, apiKey } = settings;
    this.#settings = settings;
    this.#rateLimitGate = new RateLimitGate(clock);
    this.#cache = new Cache(cacheEntries, clock.steadyMs);
    this.#grace = new Grace(graceSeconds, graceStore, apiKey, clock, cacheEntries);
  }

  /**
   * The server's verdict on a license. A rejection is a result, not an error; a thrown `CountersignError` means that
   * there is no verdict.
   */
  async validate(licenseKey: string, options: ValidateOptions = {}): Promise<ValidateResult> {
    if (typeof licenseKey !== "string" || licenseKey.trim() === "")
      throw new TypeError("licenseKey must be a license key that is not empty.");
    const version = options.version ?? this.#settings.version;
    const deviceId = options.deviceId ?? this.#settings.deviceId;
    const key = JSON.stringify([licenseKey, version, deviceId]);
    const cached = options.fresh === true ? undefined : this.#cache.get(key);
    if (cached !== undefined) return { ...cached, source: "cache", ipRegistered: null };
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const validation = this.#validate(key, licenseKey, version, deviceId).finally(() =>
      this.#pending.delete(key),
    );
    this.#pending.set(key, validation);
    return validation;
  }

  /** Returns a decision instead of a result. An unavailable server never makes it throw. */
  async check(licenseKey: string, options: ValidateOptions = {}): Promise<Decision> {
    try {
      const result = await this.validate(licenseKey, options);
      return { allowed: result.valid, result, error: null };
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      // A forged response and one of the sandbox are never allowed, in either mode.
      const isForged = error instanceof SignatureError || error instanceof SandboxError;
      return { allowed: this.#settings.whenUnavailable === "advisory" && !isForged, result: null, error };
    }
  }

  /** The license's record. Read-only: it registers no IP address and grants nothing. */
  async lookup(licenseKey: string): Promise<LicenseRecord> {
    const response = await this.#send({
      method: "GET",
      path: `/api/v1/license/${encodeURIComponent(licenseKey)}`,
      headers: this.#headers(),
    });
    if (response.status === 404 && parsed(textOf(response))?.statusCode === 404)
      throw new NotFoundError("The product has no license with this key.", response.requestId);
    const license = response.status === 200 ? readLicense(textOf(response)) : null;
    if (license === null) throw this.#unusable(response);
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
  watch(licenseKey: string, options: WatchOptions): Watch {
    const { clock, random } = this.#settings;
    const validate = () => this.validate(licenseKey, { ...options, fresh: true });
    return new Watch(validate, options, { clock, random });
  }

  /** Clears the cache. It does not lift a reached daily limit. */
  forget(): void {
    this.#cache.clear();
  }

  async #validate(
    key: string,
    licenseKey: string,
    version: string | null,
    deviceId: string | null,
  ): Promise<ValidateResult> {
    try {
      const { result, isSandbox } = await this.#requestVerdict(licenseKey, version, deviceId);
      this.#cache.set(key, result, result.valid ? this.#cacheMs(result) : 0);
      // The sandbox says nothing about real licenses.
      if (isSandbox) return result;
      if (result.valid) await this.#grace.recordGrant(licenseKey, key, result);
      else await this.#grace.recordRejection(licenseKey);
      return result;
    } catch (error) {
      const isUnreachable =
        error instanceof ConnectionError || (error instanceof ServerError && error.status >= 500);
      const graceResult = isUnreachable ? await this.#grace.graceResult(licenseKey, key) : null;
      if (graceResult === null) throw error;
      return graceResult;
    }
  }

  async #requestVerdict(
    licenseKey: string,
    version: string | null,
    deviceId: string | null,
  ): Promise<{ readonly result: ValidateResult; readonly isSandbox: boolean }> {
    const { signing, clock } = this.#settings;
    const nonce = randomBytes(18).toString("base64url");
    const response = await this.#send({
      method: "POST",
      path: "/api/v1/validate",
      headers: {
        ...this.#headers(),
        "content-type": "application/json",
        ...(signing === null ? {} : { "x-countersign-nonce": nonce }),
      },
      body: JSON.stringify({
        license_key: licenseKey,
        ...(version === null ? {} : { version }),
        ...(deviceId === null ? {} : { device_id: deviceId }),
      }),
    });
    if (response.status !== 200) throw this.#unusable(response);
    if (signing !== null) {
      const nowUnixSeconds = clock.wallMs() / 1_000;
      const problem = signatureProblem(response.body, { ...signing, licenseKey, nonce, nowUnixSeconds });
      if (problem !== null) throw new SignatureError(problem, response.requestId);
    }
    const result = readResult(textOf(response), new Date(clock.wallMs()), response.requestId);
    if (result === null) throw this.#unusable(response);
    return { result, isSandbox: isFromSandbox(response) };
  }

  async #send(request: ApiRequest): Promise<ApiResponse> {
    const { allowSandbox, apiKey } = this.#settings;
    if (!allowSandbox && apiKey.startsWith(testKeyPrefix))
      throw new SandboxError("The API key is a test API key, which is not allowed here.", null);
    this.#rateLimitGate.check();
    const response = await send(request, this.#settings);
    const isSandbox = isFromSandbox(response);
    if (isSandbox && !allowSandbox)
      throw new SandboxError("The response is from the sandbox, so it grants nothing.", response.requestId);
    if (response.status === 401)
      throw new AuthenticationError(
        "The server rejected the API key. Check that it is complete, belongs to this product and has not been rotated.",
        response.requestId,
      );
    if (response.status === 429) {
      const seconds = retryAfterSeconds(response);
      // The sandbox has no limit: other calls can continue.
      if (!isSandbox) this.#rateLimitGate.close(seconds, response.requestId);
      throw this.#rateLimitGate.error(seconds, response.requestId);
    }
    return response;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#settings.apiKey}`, accept: "application/json" };
  }

  #unusable({ status, requestId }: ApiResponse): ServerError {
    const hint =
      status === 404 || status < 400 ? " Check that baseUrl is the URL of a Countersign server." : "";
    return new ServerError(
      `The server sent an unusable response (HTTP ${status}).${hint}`,
      status,
      requestId,
    );
  }

  /** Never past the license's expiry. */
  #cacheMs({ expires }: ValidateResult): number {
    const maxMs = this.#settings.cacheSeconds * 1_000;
    return expires === null ? maxMs : Math.min(maxMs, expires.getTime() - this.#settings.clock.wallMs());
  }
}

const testKeyPrefix = "cskt_";

function isFromSandbox({ headers }: ApiResponse): boolean {
  return headers.get("x-countersign-sandbox") === "true";
}

function textOf(response: ApiResponse): string {
  return new TextDecoder().decode(response.body);
}

/** At most a day; a minute if the server gives no time. */
function retryAfterSeconds(response: ApiResponse): number {
  const seconds = Number(response.headers.get("retry-after") ?? parsed(textOf(response))?.retry_after);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds), 86_400) : 60;
}
