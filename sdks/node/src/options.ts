import { type Clock, systemClock } from "./clock.ts";
import type { GraceStore } from "./grace.ts";

export interface SigningOptions {
  /** The product's ID, as shown in the dashboard. */
  readonly productId: string;
  /**
   * The product's signing secret in hex; during a rotation the old and the new one, as a list or separated by a comma.
   * Defaults to the environment variable `COUNTERSIGN_SIGNING_SECRETS`.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /** How far the server's clock and this one can differ. Defaults to 300 seconds. */
  readonly toleranceSeconds?: number | undefined;
}

export interface CountersignOptions {
  /** The product's API key, `csk_…`. Defaults to the environment variable `COUNTERSIGN_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The URL of the server, such as `https://licenses.example.com`. Defaults to `COUNTERSIGN_URL`. */
  readonly baseUrl?: string | undefined;
  /** For the whole call, including the retry. Defaults to 5,000. */
  readonly timeoutMs?: number | undefined;
  /** If set, a response without a valid signature is rejected with a `SignatureError`. */
  readonly signing?: SigningOptions | undefined;
  /** How long a valid license is cached. Defaults to 300; 0 disables caching. */
  readonly cacheSeconds?: number | undefined;
  /** The maximum number of cached licenses. Defaults to 1,000. */
  readonly cacheEntries?: number | undefined;
  /** How long a valid license stays valid while the server is unreachable. Defaults to 0, which is off. */
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
  /** Sent with every validation, for the seller's information. It does not affect the verdict. */
  readonly deviceId?: string | undefined;
  /** Sent with every validation, unless the call specifies another. */
  readonly version?: string | undefined;
  /** For tests, and for proxies that need a custom `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** For tests. */
  readonly clock?: Clock | undefined;
  /** For tests. */
  readonly random?: (() => number) | undefined;
}

type OptionsWithDefaults = Omit<CountersignOptions, "signing" | "graceStore" | "deviceId" | "version">;

/** All options, with defaults filled in. */
export type Settings = {
  readonly [Name in keyof OptionsWithDefaults]-?: Exclude<OptionsWithDefaults[Name], undefined>;
} & {
  readonly signing: { productId: string; secrets: readonly string[]; toleranceSeconds: number } | null;
  readonly graceStore: GraceStore | null;
  readonly deviceId: string | null;
  readonly version: string | null;
};

const maxGraceSeconds = 30 * 86_400;

/** Throws a `TypeError` that names the option and says what it must be. */
export function readOptions(options: CountersignOptions): Settings {
  const environment = globalThis.process?.env ?? {};
  const apiKey = options.apiKey ?? environment.COUNTERSIGN_API_KEY ?? "";
  if (!/^\S+$/.test(apiKey)) {
    throw new TypeError("apiKey must be the product's API key (csk_…). Pass it, or set COUNTERSIGN_API_KEY.");
  }
  return {
    apiKey,
    baseUrl: readUrl(options.baseUrl ?? environment.COUNTERSIGN_URL),
    timeoutMs: within("timeoutMs", options.timeoutMs ?? 5_000, 1, 120_000),
    signing: options.signing === undefined ? null : readSigning(options.signing),
    cacheSeconds: within("cacheSeconds", options.cacheSeconds ?? 300, 0, 86_400),
    cacheEntries: within("cacheEntries", options.cacheEntries ?? 1_000, 0, 1_000_000),
    graceSeconds: within("graceSeconds", options.graceSeconds ?? 0, 0, maxGraceSeconds),
    graceStore: options.graceStore ?? null,
    whenUnavailable: options.whenUnavailable ?? "closed",
    allowSandbox: options.allowSandbox === true,
    deviceId: options.deviceId ?? null,
    version: options.version ?? null,
    fetch: options.fetch ?? globalThis.fetch,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

function readUrl(given: string | undefined): string {
  const url = given !== undefined && URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      "baseUrl must be the URL of the Countersign server, such as https://licenses.example.com. Pass it, or set COUNTERSIGN_URL.",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

function readSigning(options: SigningOptions) {
  const { productId, toleranceSeconds = 300 } = options;
  const secrets = options.secrets ?? globalThis.process?.env.COUNTERSIGN_SIGNING_SECRETS ?? [];
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
    toleranceSeconds: within("signing.toleranceSeconds", toleranceSeconds, 1, 3_600),
  };
}

function within(name: string, value: number, min: number, max: number): number {
  if (typeof value === "number" && value >= min && value <= max) return value;
  throw new TypeError(`${name} must be a number from ${min} to ${max}, not ${value}.`);
}
