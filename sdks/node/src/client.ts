import { randomBytes } from "node:crypto";
import { Cache } from "./cache.ts";
import {
  AuthenticationError,
  ConnectionError,
  CountersignError,
  NotFoundError,
  ServerError,
  SignatureError,
} from "./errors.ts";
import { Grace } from "./grace.ts";
import { Latch } from "./latch.ts";
import { type LicenseRecord, readLicense } from "./license.ts";
import { type CountersignOptions, readOptions, type Settings } from "./options.ts";
import { parsed, readResult, type ValidateResult } from "./result.ts";
import { signatureProblem } from "./signature.ts";
import { ask, type Question, type Reply } from "./transport.ts";
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
  readonly #latch: Latch;
  readonly #cache: Cache<ValidateResult>;
  readonly #grace: Grace;
  readonly #underWay = new Map<string, Promise<ValidateResult>>();

  constructor(options: CountersignOptions = {}) {
    const settings = readOptions(options);
    const { clock, cacheEntries, graceSeconds, graceStore, apiKey } = settings;
    this.#settings = settings;
    this.#latch = new Latch(clock);
    this.#cache = new Cache(cacheEntries, clock.steadyMs);
    this.#grace = new Grace(graceSeconds, graceStore, apiKey, clock, cacheEntries);
  }

  /**
   * The server's verdict on a license. A rejection is a result, not an error; a thrown `CountersignError` means that
   * there is no verdict.
   */
  async validate(licenseKey: string, options: ValidateOptions = {}): Promise<ValidateResult> {
    if (typeof licenseKey !== "string" || licenseKey.trim() === "")
      throw new TypeError("licenseKey should be the customer's license key.");
    const version = options.version ?? this.#settings.version;
    const deviceId = options.deviceId ?? this.#settings.deviceId;
    const key = JSON.stringify([licenseKey, version, deviceId]);
    const known = options.fresh === true ? undefined : this.#cache.get(key);
    if (known !== undefined) return { ...known, source: "cache", ipRegistered: null };
    const underWay = this.#underWay.get(key);
    if (underWay !== undefined) return underWay;
    const asking = this.#validate(key, licenseKey, version, deviceId).finally(() =>
      this.#underWay.delete(key),
    );
    this.#underWay.set(key, asking);
    return asking;
  }

  /** The same as a yes-or-no decision, which never throws because the server is unavailable. */
  async check(licenseKey: string, options: ValidateOptions = {}): Promise<Decision> {
    try {
      const result = await this.validate(licenseKey, options);
      return { allowed: result.valid, result, error: null };
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      // A forged response is never allowed, in either mode.
      const isForged = error instanceof SignatureError;
      return { allowed: this.#settings.whenUnavailable === "advisory" && !isForged, result: null, error };
    }
  }

  /** The license's record. Read-only: it registers no IP address and grants nothing. */
  async lookup(licenseKey: string): Promise<LicenseRecord> {
    const reply = await this.#ask({
      method: "GET",
      path: `/api/v1/license/${encodeURIComponent(licenseKey)}`,
      headers: this.#headers(),
    });
    if (reply.status === 404 && parsed(textOf(reply))?.statusCode === 404)
      throw new NotFoundError("There is no such license under this product.", reply.requestId);
    const license = reply.status === 200 ? readLicense(textOf(reply)) : null;
    if (license === null) throw this.#unusable(reply);
    return license;
  }

  /**
   * Validates periodically, and reports changes of the verdict. Ends with `stop()`, and does not keep the app alive.
   */
  watch(licenseKey: string, options: WatchOptions): Watch {
    const { clock, random } = this.#settings;
    const validate = () => this.validate(licenseKey, { ...options, fresh: true });
    return new Watch(validate, options, { clock, random });
  }

  /** Clears the cache, but not the daily limit that was reached. */
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
      const result = await this.#askVerdict(licenseKey, version, deviceId);
      this.#cache.set(key, result, result.valid ? this.#cacheMs(result) : 0);
      if (result.valid) await this.#grace.granted(licenseKey, key, result);
      else await this.#grace.refused(licenseKey);
      return result;
    } catch (error) {
      const isAway =
        error instanceof ConnectionError || (error instanceof ServerError && error.status >= 500);
      const lastWord = isAway ? await this.#grace.lastWord(licenseKey, key) : null;
      if (lastWord === null) throw error;
      return lastWord;
    }
  }

  async #askVerdict(
    licenseKey: string,
    version: string | null,
    deviceId: string | null,
  ): Promise<ValidateResult> {
    const { signing, clock } = this.#settings;
    const nonce = randomBytes(18).toString("base64url");
    const reply = await this.#ask({
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
    if (reply.status !== 200) throw this.#unusable(reply);
    if (signing !== null) {
      const nowUnixSeconds = clock.wallMs() / 1_000;
      const problem = signatureProblem(reply.body, { ...signing, licenseKey, nonce, nowUnixSeconds });
      if (problem !== null) throw new SignatureError(problem, reply.requestId);
    }
    const result = readResult(textOf(reply), new Date(clock.wallMs()), reply.requestId);
    if (result === null) throw this.#unusable(reply);
    return result;
  }

  async #ask(question: Question): Promise<Reply> {
    this.#latch.check();
    const reply = await ask(question, this.#settings);
    if (reply.status === 401)
      throw new AuthenticationError(
        "The API key is not accepted. Is it this product's, complete, and not rotated since?",
        reply.requestId,
      );
    if (reply.status === 429) throw this.#latch.shut(secondsIn(reply), reply.requestId);
    return reply;
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#settings.apiKey}`, accept: "application/json" };
  }

  #unusable({ status, requestId }: Reply): ServerError {
    const hint = status === 404 || status < 400 ? " Is baseUrl the address of a Countersign server?" : "";
    return new ServerError(`The server's answer (${status}) cannot be used.${hint}`, status, requestId);
  }

  /** Never past the license's expiry. */
  #cacheMs({ expires }: ValidateResult): number {
    const mostMs = this.#settings.cacheSeconds * 1_000;
    return expires === null ? mostMs : Math.min(mostMs, expires.getTime() - this.#settings.clock.wallMs());
  }
}

function textOf(reply: Reply): string {
  return new TextDecoder().decode(reply.body);
}

/** Until midnight UTC at the latest; a minute if the server does not say. */
function secondsIn(reply: Reply): number {
  const said = Number(reply.headers.get("retry-after") ?? parsed(textOf(reply))?.retry_after);
  return Number.isFinite(said) && said > 0 ? Math.min(Math.ceil(said), 86_400) : 60;
}
