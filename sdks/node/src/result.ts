/** Every known status. A newer server may return others: they are passed through, and grant nothing. */
export type KnownStatus =
  | "active"
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

/** Any string, though editors still suggest the known ones. */
export type ValidateStatus = KnownStatus | (string & {});

/** The server's verdict on a license. Grant access only if `valid` is true; `status` says why not. */
export interface ValidateResult {
  readonly valid: boolean;
  readonly status: ValidateStatus;
  /** Null for lifetime licenses, and if there is no such license. */
  readonly expires: Date | null;
  /** Whether this call registered the caller's IP address with the license. */
  readonly ipRegistered: boolean | null;
  readonly ipCount: number | null;
  readonly maxIps: number | null;
  readonly version: string | null;
  readonly versionValid: boolean | null;
  /** The product's custom response. */
  readonly custom: Readonly<Record<string, unknown>> | null;
  /** Where it comes from: the server, the cache, or the grace period while the server is unreachable. */
  readonly source: "server" | "cache" | "grace";
  /** When the server returned it. */
  readonly checkedAt: Date;
  readonly requestId: string | null;
}

/** Null if it is not a validate response. */
export function readResult(body: string, checkedAt: Date, requestId: string | null): ValidateResult | null {
  const value = parsed(body);
  if (value === null || typeof value.valid !== "boolean" || typeof value.status !== "string") return null;
  return {
    // An unknown status never grants access.
    valid: value.valid && value.status === "active",
    status: value.status,
    expires: time(value.expires),
    ipRegistered: typeof value.ip_registered === "boolean" ? value.ip_registered : null,
    ipCount: number(value.ip_count),
    maxIps: number(value.max_ips),
    version: text(value.version),
    versionValid: typeof value.version_valid === "boolean" ? value.version_valid : null,
    custom: isRecord(value.custom) ? frozen(value.custom) : null,
    source: "server",
    checkedAt,
    requestId,
  };
}

/** Concurrent callers and later cache hits share the value, so none of them may change it. */
function frozen<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

export function parsed(body: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

export function time(value: unknown): Date | null {
  const date = typeof value === "string" ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
