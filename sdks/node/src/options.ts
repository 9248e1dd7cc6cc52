import { type Clock, systemClock } from "./clock.ts";
import type { GraceStore } from "./grace-store.ts";
import type { Logger, RequestInfo, ResponseInfo } from "./reporter.ts";

export interface SigningOptions {
  /** The product's ID, as shown in the dashboard. */
  readonly productId: string;
  /**
   * The product's signing secret in hex; during a rotation the old and the new one, as a list or separated by a comma.
   * Defaults to the environment variable `COUNTERSIGN_SIGNING_SECRETS`.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /** A larger difference between the server's clock and this one is logged. Defaults to 300 seconds. */
  readonly toleranceSeconds?: number | undefined;
}

export interface CountersignOptions {
  /** The product's API key, `csk_…`. Defaults to the environment variable `COUNTERSIGN_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The URL of the server, such as `https://license.example.com`. Defaults to `COUNTERSIGN_URL`. */
  readonly baseUrl?: string | undefined;
  /** For the whole call, including retries. Defaults to 5,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is sent again after a failed connection or a 5xx. Defaults to 1; at most 5. */
  readonly retries?: number | undefined;
  /** If set, a response without a valid signature is rejected with a `SignatureError`. */
  readonly signing?: SigningOptions | undefined;
  /** How long a valid license is cached. Defaults to 300; 0 disables caching. */
  readonly cacheSeconds?: number | undefined;
  /** How long an unknown key is remembered. Defaults to 30; at most 3,600; 0 disables it. */
  readonly notFoundCacheSeconds?: number | undefined;
  /** The maximum number of cached licenses, and of remembered unknown keys. Defaults to 1,000. */
  readonly cacheEntries?: number | undefined;
  /** How long a valid license stays valid without a usable response. Defaults to 0, which is off. */
  readonly graceSeconds?: number | undefined;
  /** Stores the grace period across restarts. Defaults to memory. */
  readonly graceStore?: GraceStore | undefined;
  /** What `check` allows without a verdict: nothing (`closed`), or everything (`advisory`). */
  readonly whenUnavailable?: "closed" | "advisory" | undefined;
  /**
   * Accepts test API keys (`cskt_…`) and responses of the sandbox. For tests only: the fixed license keys of the sandbox
   * are valid for everyone. Defaults to false, which rejects them with a `SandboxError`.
   */
  readonly allowSandbox?: boolean | undefined;
  /** Sent with every validation, for the seller's information. Grace periods are bound to it. */
  readonly deviceId?: string | undefined;
  /** Sent with every validation, unless the call specifies another. */
  readonly version?: string | undefined;
  /** Receives retries, failures and the use of grace periods. Defaults to none. */
  readonly logger?: Logger | undefined;
  /** Called before each attempt to send a request. */
  readonly onRequest?: ((info: RequestInfo) => void) | undefined;
  /** Called after each attempt, with or without a response. */
  readonly onResponse?: ((info: ResponseInfo) => void) | undefined;
  /** Appended to the User-Agent header, such as `shop/7.1`. */
  readonly userAgent?: string | undefined;
  /**
   * Added to the options of every `fetch`, such as undici's `dispatcher` for a proxy, or `headers` that a gateway in
   * front of the server requires. What the client sets itself cannot be set here.
   */
  readonly fetchOptions?: Readonly<Record<string, unknown>> | undefined;
  /** For tests, and for proxies that need a custom `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** For tests. */
  readonly clock?: Clock | undefined;
  /** For tests. */
  readonly random?: (() => number) | undefined;
}

type NullByDefault =
  | "signing"
  | "graceStore"
  | "deviceId"
  | "version"
  | "logger"
  | "onRequest"
  | "onResponse"
  | "userAgent";
type OptionsWithDefaults = Omit<CountersignOptions, NullByDefault>;

/** All options, with defaults filled in. */
export type Settings = {
  readonly [Name in keyof OptionsWithDefaults]-?: Exclude<OptionsWithDefaults[Name], undefined>;
} & {
  readonly [Name in Exclude<NullByDefault, "signing">]: Exclude<CountersignOptions[Name], undefined> | null;
} & {
  readonly signing: { productId: string; secrets: readonly string[]; toleranceSeconds: number } | null;
};

const maxGraceSeconds = 30 * 86_400;

/** Throws a `TypeError` that names the option and says what it must be. */
export function readOptions(options: CountersignOptions): Settings {
  const apiKey = options.apiKey ?? environment("COUNTERSIGN_API_KEY") ?? "";
  if (!/^[!-~]+$/.test(apiKey)) {
    throw new TypeError("apiKey must be the product's API key (csk_…). Pass it, or set COUNTERSIGN_API_KEY.");
  }
  return {
    apiKey,
    baseUrl: readUrl(options.baseUrl ?? environment("COUNTERSIGN_URL")),
    timeoutMs: readTimeout(options.timeoutMs ?? 5_000),
    retries: readRetries(options.retries ?? 1),
    signing: options.signing === undefined ? null : readSigning(options.signing),
    cacheSeconds: within("cacheSeconds", options.cacheSeconds ?? 300, 0, 86_400),
    notFoundCacheSeconds: within("notFoundCacheSeconds", options.notFoundCacheSeconds ?? 30, 0, 3_600),
    cacheEntries: within("cacheEntries", options.cacheEntries ?? 1_000, 0, 1_000_000),
    graceSeconds: within("graceSeconds", options.graceSeconds ?? 0, 0, maxGraceSeconds),
    graceStore: options.graceStore ?? null,
    whenUnavailable: options.whenUnavailable ?? "closed",
    allowSandbox: options.allowSandbox === true,
    deviceId: options.deviceId ?? null,
    version: options.version ?? null,
    logger: options.logger ?? null,
    onRequest: options.onRequest ?? null,
    onResponse: options.onResponse ?? null,
    userAgent: readUserAgent(options.userAgent),
    fetchOptions: readFetchOptions(options.fetchOptions ?? {}),
    // Looked up at each call, so that a replaced global `fetch` applies.
    fetch: options.fetch ?? ((...given: Parameters<typeof fetch>) => globalThis.fetch(...given)),
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  } as Settings;
}

export function readTimeout(timeoutMs: number): number {
  return within("timeoutMs", timeoutMs, 1, 120_000);
}

export function readRetries(retries: number): number {
  if (!Number.isInteger(retries)) throw new TypeError(`retries must be a whole number, not ${retries}.`);
  return within("retries", retries, 0, 5);
}

/** Edge runtimes have no `process`, or one without an environment. */
export function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name];
}

function readUrl(given: string | undefined): string {
  const url = parsedUrl(given);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      "baseUrl must be the URL of the Countersign server, such as https://license.example.com. Pass it, or set COUNTERSIGN_URL.",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

function parsedUrl(given: string | undefined): URL | null {
  try {
    return given === undefined ? null : new URL(given);
  } catch {
    return null;
  }
}

function readUserAgent(given: string | undefined): string | null {
  if (given === undefined || /^[\x20-\x7e]+$/.test(given)) return given ?? null;
  throw new TypeError("userAgent must be printable ASCII text.");
}

const setByClient = {
  options: ["method", "body", "redirect", "signal"],
  headers: ["authorization", "accept", "user-agent", "content-type", "x-countersign-nonce"],
};

/** Options that have no effect are refused, because nobody would notice. */
function readFetchOptions(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const headers: Record<string, string> = {};
  new Headers((options.headers ?? {}) as Record<string, string>).forEach((value, name) => {
    headers[name] = value;
  });
  const option = setByClient.options.find((name) => options[name] !== undefined);
  const header = setByClient.headers.find((name) => name in headers);
  if (option !== undefined) throw new TypeError(`fetchOptions.${option} is set by the client. Remove it.`);
  if (header !== undefined)
    throw new TypeError(`The header ${header} in fetchOptions.headers is set by the client. Remove it.`);
  return { ...options, headers };
}

function readSigning(options: SigningOptions) {
  const { productId, toleranceSeconds = 300 } = options;
  const secrets = options.secrets ?? environment("COUNTERSIGN_SIGNING_SECRETS") ?? [];
  const list = typeof secrets === "string" ? secrets.split(",").map((secret) => secret.trim()) : secrets;
  if (typeof productId !== "string" || productId === "")
    throw new TypeError("signing.productId must be the product's ID, as shown in the dashboard.");
  if (list.length === 0 || !list.every((secret) => /^[0-9a-fA-F]{64}$/.test(secret)))
    throw new TypeError(
      "signing.secrets must be 64 hexadecimal digits each, as shown in the dashboard. Pass them, or set COUNTERSIGN_SIGNING_SECRETS.",
    );
  return {
    productId,
    secrets: list,
    toleranceSeconds: within("signing.toleranceSeconds", toleranceSeconds, 1, 86_400),
  };
}

export function within(name: string, value: number, min: number, max: number): number {
  if (typeof value === "number" && value >= min && value <= max) return value;
  throw new TypeError(`${name} must be a number from ${min} to ${max}, not ${value}.`);
}
