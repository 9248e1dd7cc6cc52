import { type Clock, systemClock } from "./clock.ts";
import type { GraceStore } from "./grace.ts";

export interface SigningOptions {
  /** The product's id, as the dashboard shows it. */
  readonly productId: string;
  /**
   * The product's signing secret by hex; during a rotation the old and the new one, as a list or with a comma between
   * them. The environment's `COUNTERSIGN_SIGNING_SECRETS` when left out.
   */
  readonly secrets?: string | readonly string[] | undefined;
  /** How far the server's clock and this one may be apart. 300 seconds when left out. */
  readonly toleranceSeconds?: number | undefined;
}

export interface CountersignOptions {
  /** The product's API key, `csk_…`. The environment's `COUNTERSIGN_API_KEY` when left out. */
  readonly apiKey?: string | undefined;
  /** Where Countersign runs, such as `https://licenses.example.com`. `COUNTERSIGN_URL` when left out. */
  readonly baseUrl?: string | undefined;
  /** For the whole call, a second try included. 5,000 when left out. */
  readonly timeoutMs?: number | undefined;
  /** With it, an answer that is not signed, or not right, is refused with a `SignatureError`. */
  readonly signing?: SigningOptions | undefined;
  /** How long a license that was valid counts as valid without asking again. 300 when left out; 0 asks every time. */
  readonly cacheSeconds?: number | undefined;
  /** How many licenses are remembered. 1,000 when left out. */
  readonly cacheEntries?: number | undefined;
  /** How long a license that was valid goes on being so while the server cannot be reached. 0, off, when left out. */
  readonly graceSeconds?: number | undefined;
  /** Where the grace outlives the process. In memory when left out. */
  readonly graceStore?: GraceStore | undefined;
  /** What `check` allows when no verdict can be had: nothing (`closed`), or everything (`advisory`). */
  readonly whenUnavailable?: "closed" | "advisory" | undefined;
  /** Sent with every validation, for the seller to see. It decides nothing. */
  readonly deviceId?: string | undefined;
  /** Sent with every validation, where the call names no other. */
  readonly version?: string | undefined;
  /** For tests, and for proxies that need a `fetch` of their own. */
  readonly fetch?: typeof fetch | undefined;
  /** For tests. */
  readonly clock?: Clock | undefined;
  /** For tests. */
  readonly random?: (() => number) | undefined;
}

type Known = Omit<CountersignOptions, "signing" | "graceStore" | "deviceId" | "version">;

/** All options, with what is usual where nothing was said. */
export type Settings = { readonly [Name in keyof Known]-?: Exclude<Known[Name], undefined> } & {
  readonly signing: { productId: string; secrets: readonly string[]; toleranceSeconds: number } | null;
  readonly graceStore: GraceStore | null;
  readonly deviceId: string | null;
  readonly version: string | null;
};

const longestGraceSeconds = 30 * 86_400;

/** Throws a `TypeError` that names the option, and what it should be. */
export function readOptions(options: CountersignOptions): Settings {
  const environment = globalThis.process?.env ?? {};
  const apiKey = options.apiKey ?? environment.COUNTERSIGN_API_KEY ?? "";
  if (!/^\S+$/.test(apiKey)) {
    throw new TypeError(
      "apiKey should be the product's API key (csk_…), given here or as COUNTERSIGN_API_KEY.",
    );
  }
  return {
    apiKey,
    baseUrl: readUrl(options.baseUrl ?? environment.COUNTERSIGN_URL),
    timeoutMs: within("timeoutMs", options.timeoutMs ?? 5_000, 1, 120_000),
    signing: options.signing === undefined ? null : readSigning(options.signing),
    cacheSeconds: within("cacheSeconds", options.cacheSeconds ?? 300, 0, 86_400),
    cacheEntries: within("cacheEntries", options.cacheEntries ?? 1_000, 0, 1_000_000),
    graceSeconds: within("graceSeconds", options.graceSeconds ?? 0, 0, longestGraceSeconds),
    graceStore: options.graceStore ?? null,
    whenUnavailable: options.whenUnavailable ?? "closed",
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
      "baseUrl should be where Countersign runs, such as https://licenses.example.com, given here or as COUNTERSIGN_URL.",
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}

function readSigning(options: SigningOptions) {
  const { productId, toleranceSeconds = 300 } = options;
  const secrets = options.secrets ?? globalThis.process?.env.COUNTERSIGN_SIGNING_SECRETS ?? [];
  const list = typeof secrets === "string" ? secrets.split(",").map((secret) => secret.trim()) : secrets;
  if (typeof productId !== "string" || productId === "")
    throw new TypeError("signing.productId should be the product's id, as the dashboard shows it.");
  if (list.length === 0 || !list.every((secret) => /^[0-9a-fA-F]{64}$/.test(secret)))
    throw new TypeError(
      "signing.secrets should be 64 hexadecimal digits each, as the dashboard shows them, given here or as COUNTERSIGN_SIGNING_SECRETS.",
    );
  return {
    productId,
    secrets: list,
    toleranceSeconds: within("signing.toleranceSeconds", toleranceSeconds, 1, 3_600),
  };
}

function within(name: string, value: number, least: number, most: number): number {
  if (typeof value === "number" && value >= least && value <= most) return value;
  throw new TypeError(`${name} should be a number from ${least} to ${most}, not ${value}.`);
}
