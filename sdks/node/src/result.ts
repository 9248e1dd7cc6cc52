import { count, isRecord, read, text, time } from "./json.ts";
import type { RateLimit } from "./rate-limit.ts";

/** Every reason that a license is rejected for. */
export type RejectedStatus =
  | "license_not_found"
  | "revoked"
  | "expired"
  | "ip_blocked"
  | "ip_limit_reached"
  | "ip_not_registered"
  | "version_not_allowed"
  | "product_not_found"
  | "product_archived"
  | "product_disabled"
  | "org_suspended"
  | "billing_suspended";

/** Every known status. A newer server may return others: they are passed through, and grant nothing. */
export type KnownStatus = "active" | RejectedStatus;

/** A status of a newer server. Declared only: it narrows away when `status` is compared with a known one. */
export declare enum OtherStatus {
  Other = "",
}

export type ValidateStatus = KnownStatus | OtherStatus;

/** What every result has, whatever the verdict. */
export interface ResultMembers<Custom> {
  /** Null for lifetime licenses, and if there is no such license. */
  readonly expires: Date | null;
  /** Whether this call registered the caller's IP address with the license. */
  readonly ipRegistered: boolean | null;
  readonly ipCount: number | null;
  readonly maxIps: number | null;
  readonly version: string | null;
  readonly versionValid: boolean | null;
  /** The product's custom response. */
  readonly custom: Custom | null;
  /**
   * Where it comes from: the server, the cache, the grace period while there is no usable response, or the client itself
   * for a key that no license can have.
   */
  readonly source: "server" | "cache" | "grace" | "local";
  /** When the server returned it. */
  readonly checkedAt: Date;
  readonly requestId: string | null;
  /** The daily limit after this request; null without a limit, and if no request was sent. */
  readonly rateLimit: RateLimit | null;
  /** What was wrong with the request, for the app's developer. */
  readonly problem: string | null;
  /** The server's clock minus this one. Null unless responses are signed. */
  readonly clockSkewSeconds: number | null;
}

/** The license is valid. */
export interface ActiveResult<Custom> extends ResultMembers<Custom> {
  readonly valid: true;
  readonly status: "active";
}

/** The license is rejected. */
export interface RejectedResult<Custom> extends ResultMembers<Custom> {
  readonly valid: false;
  readonly status: RejectedStatus;
}

/** The license is rejected, for a reason that this version of the SDK does not know. */
export interface OtherResult<Custom> extends ResultMembers<Custom> {
  readonly valid: false;
  readonly status: OtherStatus;
}

export type CustomResponse = Readonly<Record<string, unknown>>;

/** The server's verdict on a license. Grant access only if `valid` is true; `status` says why not. */
export type ValidateResult<Custom = CustomResponse> =
  | ActiveResult<Custom>
  | RejectedResult<Custom>
  | OtherResult<Custom>;

/** What is known about a response besides its body. */
export type ResponseMembers = Pick<
  ResultMembers<unknown>,
  "checkedAt" | "requestId" | "rateLimit" | "problem" | "clockSkewSeconds"
>;

/** Null if it is not a validate response. */
export function readResult<Custom>(body: string, response: ResponseMembers): ValidateResult<Custom> | null {
  return read(body, (value) => {
    if (typeof value.valid !== "boolean" || typeof value.status !== "string") return null;
    return frozen({
      // An unknown status never grants access.
      valid: value.valid && value.status === "active",
      status: value.status,
      expires: time(value.expires),
      ipRegistered: typeof value.ip_registered === "boolean" ? value.ip_registered : null,
      ipCount: count(value.ip_count),
      maxIps: count(value.max_ips),
      version: text(value.version),
      versionValid: typeof value.version_valid === "boolean" ? value.version_valid : null,
      custom: isRecord(value.custom) ? value.custom : null,
      source: "server",
      ...response,
    }) as ValidateResult<Custom>;
  });
}

/** The result for a key that no license can have. */
export function localResult<Custom>(nowMs: number): ValidateResult<Custom> {
  return frozen({
    valid: false,
    status: "license_not_found",
    expires: null,
    ipRegistered: null,
    ipCount: null,
    maxIps: null,
    version: null,
    versionValid: null,
    custom: null,
    source: "local",
    checkedAt: new Date(nowMs),
    requestId: null,
    rateLimit: null,
    problem: null,
    clockSkewSeconds: null,
  });
}

/** The same verdict, returned again without a request. */
export function withoutRequest<Custom>(
  result: ValidateResult<Custom>,
  source: "cache" | "grace",
): ValidateResult<Custom> {
  return Object.freeze({ ...result, source, ipRegistered: null, rateLimit: null });
}

/** For one caller: others share the result, and a `Date` cannot be frozen. */
export function withOwnDates<Custom>(result: ValidateResult<Custom>): ValidateResult<Custom> {
  const { expires, checkedAt } = result;
  return Object.freeze({
    ...result,
    expires: expires === null ? null : new Date(expires),
    checkedAt: new Date(checkedAt),
  });
}

/** Concurrent callers and later cache hits share the value, so none of them may change it. */
export function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}
