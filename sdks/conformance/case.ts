import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OutcomeRow } from "../../tests/http/outcome-rows.ts";

/** One case of the suite, as in the JSON files of this folder and in `GET /suite`. */
export interface Case {
  readonly name: string;
  readonly client?: ClientSettings;
  readonly answers: readonly Answer[];
  readonly steps: readonly Step[];
  readonly sent?: readonly Sent[];
  readonly different_headers?: string;
}

/**
 * The client's settings. Each SDK has an option of the same name, in its own spelling. `grace_store` is true for a store
 * that survives restarts.
 */
export interface ClientSettings {
  readonly api_key?: string;
  readonly signing?: SigningSettings;
  readonly timeout_ms?: number;
  readonly retries?: number;
  readonly cache_seconds?: number;
  readonly cache_entries?: number;
  readonly not_found_cache_seconds?: number;
  readonly grace_seconds?: number;
  readonly grace_store?: true;
  readonly when_unavailable?: "closed" | "advisory";
  readonly allow_sandbox?: boolean;
  readonly version?: string;
  readonly device_id?: string;
  /** A suffix of the User-Agent header. */
  readonly user_agent?: string;
}

export interface SigningSettings {
  readonly product_id: string;
  readonly secrets: readonly string[];
  readonly tolerance_seconds?: number;
}

/**
 * One action. The client's clocks stand still between steps; a pause of the client moves both by its length, and takes
 * no time.
 */
export interface Step {
  readonly validate?: CallOptions;
  readonly check?: CallOptions;
  readonly lookup?: CallOptions;
  /** The result that needs no request, or null. */
  readonly cached?: CallOptions;
  /** Starts the call of this step under a name, and does not wait for its result. */
  readonly start?: string;
  /** Waits for the call of that name. */
  readonly finish?: string;
  readonly advance_seconds?: number;
  readonly clock?: "wall" | "steady";
  readonly expect?: Expectation;
  readonly times_at_once?: number;
  /** Waits until this many requests have arrived in all, and fails if there are more. */
  readonly requests?: number;
  /** A new process; with these settings changed. */
  readonly restart?: true | ClientSettings;
  readonly forget?: true;
  readonly tamper_with_grace?: readonly [string, string];
}

/** One of them. The members that are listed are compared, in `rate_limit` and `headers` too. */
export interface Expectation {
  readonly result?: Members | null;
  readonly decision?: Members;
  readonly license?: Members;
  readonly error?: Members;
}

type Members = Readonly<Record<string, unknown>>;

interface CallOptions {
  /** Defaults to `defaultKey`; null for a missing key. */
  readonly license_key?: string | null;
  readonly version?: string;
  readonly device_id?: string;
  readonly fresh?: boolean;
  readonly timeout_ms?: number;
  readonly retries?: number;
}

/** What a request must contain. */
export interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A regular expression per header. */
  readonly header_patterns?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly has_header?: string;
  readonly has_no_header?: string;
}

/** Without a body, 401 and 429 have the one that a Countersign sends: `refusals`. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A validate response: these members, and the default ones for the rest. */
  readonly validate?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly text?: string;
  readonly sign?: Signing;
  /** Delays the response, so that all concurrent calls start before it. */
  readonly after_ms?: number;
  /** Delays the response until the case has received this many requests in all. */
  readonly after_requests?: number;
  /** Compresses the body. */
  readonly gzip?: true;
  /** Sends 103 Early Hints before the response. */
  readonly early_hints?: true;
  /** Nests arrays this deep in the custom response. */
  readonly custom_levels?: number;
  /** Appends spaces, which are valid in JSON, until the body has this many bytes before its compression. */
  readonly body_bytes?: number;
  /** A real server responds, after this setup. The setup also applies to the following answers. */
  readonly real?: ServerSetup;
  /** Replaces these values of the request before it is forwarded to the real server. */
  readonly send_instead?: { readonly nonce?: string; readonly license_key?: string };
  /** Replaces the first text with the second in the body of a real response. */
  readonly replace?: readonly [string, string];
  /** Sends the real server's response to the first request again. */
  readonly replay?: boolean;
  /**
   * The connection is cut before or within the response, or there never is a response, or the bytes of the request are
   * sent back instead.
   */
  readonly fault?: "cut" | "cut_body" | "hang" | "echo";
}

/** The state of the server before an answer. */
export interface ServerSetup {
  /** The server is `countersign sandbox --signed`, which needs no other setup. */
  readonly sandbox_server?: true;
  /** The name of a row in the table of the server's own tests, or the members of such a row. */
  readonly outcome?: string | Partial<OutcomeRow>;
  /** One identical license per key. Defaults to `defaultKey`. */
  readonly keys?: readonly string[];
  /** The licenses expire this long after the start of the case. */
  readonly expires_after_seconds?: number;
  readonly daily_limit?: number;
  /**
   * The secrets that the client has: the product's current one, also the next one, only a wrong one, or that of the
   * sandbox. Or a list of secrets, with the ID of this product or of another.
   */
  readonly signing?: "current" | "current and next" | "wrong" | "sandbox" | KnownSecrets;
  /** The secret that the product signs with, in hex; null if it does not sign. */
  readonly signs_with?: string | null;
  /** The client has a wrong API key, one that has expired, or the product's test API key. */
  readonly api_key?: "wrong" | "expired" | "test";
  readonly client_is_ahead_seconds?: number;
}

interface KnownSecrets {
  readonly secrets: readonly string[];
  readonly tolerance_seconds?: number;
  readonly product?: "another";
}

export interface Signing {
  readonly secret: string;
  readonly product_id: string;
  readonly key_id?: string;
  readonly age_seconds?: number;
  /** Replaces the nonce that the client sent. */
  readonly nonce?: string;
  readonly license_key?: string;
  readonly purpose?: string;
  /** Replaces the first text with the second in the signed body. */
  readonly replace?: readonly [string, string];
}

/** One webhook delivery, and the expected result. */
export interface Delivery {
  readonly name: string;
  readonly now: string;
  readonly secrets: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly body_is_parsed?: true;
  readonly expect: object;
}

/** A license key, and the expected URL of its page in the portal. No server is involved. */
interface PortalUrl {
  readonly name: string;
  readonly base_url: string;
  readonly license_key: string | null;
  readonly expect: { readonly url: string } | { readonly error: { readonly kind: "invalid_argument" } };
}

/** What a machine and its app say about their ID, and the expected device ID. No server is involved. */
interface DeviceIdCase {
  readonly name: string;
  readonly app: string;
  /** The content of /etc/machine-id and of /var/lib/dbus/machine-id; null without the file. */
  readonly machine_ids: readonly [string | null, string | null];
  readonly hostname: string;
  /** COUNTERSIGN_DEVICE_ID. */
  readonly environment: string | null;
  /** The argument of the call. */
  readonly override: string | null;
  readonly expect: { readonly device_id: string };
}

/** A delivery that an app signs in its own tests, and the expected headers. */
interface SignedWebhook {
  readonly name: string;
  readonly secret: string;
  readonly id: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
  readonly expect: { readonly headers: Readonly<Record<string, string>> };
}

/** The time at which scripted cases start. */
export const start = "2026-06-01T12:00:00.000Z";
export const defaultKey = "ABCD-EFGH-JKMN-PQRS";

/** The members of a scripted validate response, unless its case sets others. */
export const defaultMembers = {
  valid: true,
  status: "active",
  expires: null,
  ip_registered: false,
  ip_count: 1,
  max_ips: 3,
  version: null,
  version_valid: null,
  custom: null,
  signature: null,
};

/** The bodies of a Countersign that refuses a request, by status. They have no `retry_after`. */
export const refusals: Readonly<Record<number, { readonly status: string }>> = {
  401: refusal("invalid_api_key"),
  429: refusal("rate_limit_exceeded"),
};

/** Whether the answer is a refusal of a Countersign, and not of something in front of it. */
export function isRefusal({ status = 200, json, text }: Answer): boolean {
  const refusal = refusals[status];
  if (refusal === undefined || text !== undefined) return false;
  return typeof json !== "object" || json === null || ("status" in json && json.status === refusal.status);
}

function refusal(status: string) {
  return { valid: false, status, message: "No." };
}

interface SuiteFile {
  readonly about: string;
  readonly cases?: readonly Case[];
  readonly webhooks?: readonly Delivery[];
  readonly signed_webhooks?: readonly SignedWebhook[];
  readonly portal_urls?: readonly PortalUrl[];
  readonly device_ids?: readonly DeviceIdCase[];
}

/** The content of the JSON files in this folder, by file name. */
export function suiteFiles(): [string, SuiteFile][] {
  return readdirSync(import.meta.dir)
    .filter((name) => name.endsWith(".json"))
    .map((name) => [name, JSON.parse(readFileSync(join(import.meta.dir, name), "utf8"))]);
}
