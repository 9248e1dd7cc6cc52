import { isDeepStrictEqual } from "node:util";
import type { OutcomeRow } from "../../tests/http/outcome-rows.ts";
import { defaultMembers, start } from "./case.ts";

/** The state of a real server that produces a certain response. */
export interface ServerState {
  readonly outcome: Partial<OutcomeRow>;
  /** If the license expires during its case: how long after the start of the case. */
  readonly expires_after_seconds?: number;
}

export type Members = Readonly<Record<string, unknown>>;

const callerIp = "127.0.0.1";
const past = Date.UTC(2020, 0, 2, 3, 4, 5, 6);
const nearMs = 7 * 86_400_000;

/** The database contents for each verdict, in addition to those for the other members. */
const verdicts: Readonly<Record<string, Partial<OutcomeRow>>> = {
  active: {},
  license_not_found: { license: null },
  revoked: { license: { revokedAtMs: past } },
  expired: {},
  ip_blocked: { isCallerBlocked: true },
  ip_limit_reached: {},
  ip_not_registered: { product: { auto_register_ip_on_validate: 0 } },
  version_not_allowed: {},
  product_not_found: { isProductDeleted: true },
  product_archived: { product: { status: "archived" } },
  product_disabled: { product: { status: "disabled" } },
  org_suspended: { organization: { suspended_at: past } },
  billing_suspended: { organization: { billing_state: "suspended" } },
};

export function isKnownStatus(status: unknown): boolean {
  return typeof status === "string" && status in verdicts;
}

/** Null for a response that no Countersign sends. */
export function stateFor(scripted: Members): ServerState | null {
  const members: ValidateMembers = { ...defaultMembers, ...scripted };
  const verdict = verdicts[members.status];
  const isComplete = Object.keys(members).length === Object.keys(defaultMembers).length;
  if (verdict === undefined || !isComplete || members.valid !== (members.status === "active")) return null;
  if (!isCount(members.ip_count, maxRegisteredIps) || !isCount(members.max_ips)) return null;
  const custom = customOf(members);
  const expiry = expiryOf(members);
  if (custom === null || expiry === null) return null;
  const license =
    verdict.license === null ? null : { maxIps: members.max_ips, ...verdict.license, ...expiry.license };
  return {
    outcome: {
      ...verdict,
      license,
      product: { ...verdict.product, ...expiry.product, ...custom, ...versionModule(members) },
      versions: versionsOf(members),
      registeredIps: license === null ? [] : registeredFor(members),
    },
    ...(expiry.afterSeconds === undefined ? {} : { expires_after_seconds: expiry.afterSeconds }),
  };
}

/** More IP addresses than a case needs are not registered. */
const maxRegisteredIps = 100;

function isCount(value: unknown, max = Number.MAX_SAFE_INTEGER): boolean {
  return value === null || (Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= max);
}

interface ValidateMembers {
  readonly valid: boolean;
  readonly status: string;
  readonly expires: string | null;
  readonly ip_registered: boolean | null;
  readonly ip_count: number | null;
  readonly max_ips: number | null;
  readonly version: string | null;
  readonly version_valid: boolean | null;
  readonly custom: unknown;
}

/** Null with a placeholder: the server fills it in, so the response would differ. */
function customOf({ custom, valid }: ValidateMembers): OutcomeRow["product"] | null {
  if (custom === null) return {};
  const text = JSON.stringify(custom);
  if (typeof custom !== "object" || Array.isArray(custom) || text.includes("{{")) return null;
  // JSON has no number that is not finite.
  if (!isDeepStrictEqual(JSON.parse(text), custom)) return null;
  return { custom_response_enabled: 1, custom_response: text, custom_response_on_refusal: valid ? 0 : 1 };
}

interface Expiry {
  readonly license?: { readonly expiresAtMs: number };
  readonly product?: { readonly expiry_enforcement: 0 };
  readonly afterSeconds?: number;
}

/**
 * A time near the start of the case is one that the case waits for, so it is relative to the actual start. Other times
 * are used as written.
 */
function expiryOf({ expires, status }: ValidateMembers): Expiry | null {
  if (expires === null) return status === "expired" ? { afterSeconds: -1 } : {};
  const atMs = Date.parse(expires);
  const afterMs = atMs - Date.parse(start);
  // A server sends milliseconds in UTC.
  if (!isServerTime(expires) || (status === "expired" && afterMs > 0)) return null;
  return {
    ...(Math.abs(afterMs) < nearMs ? { afterSeconds: afterMs / 1_000 } : { license: { expiresAtMs: atMs } }),
    ...(status !== "expired" && afterMs <= 0 ? { product: { expiry_enforcement: 0 } } : {}),
  };
}

/** A server sends milliseconds in UTC. */
function isServerTime(text: unknown): boolean {
  const date = new Date(String(text));
  return !Number.isNaN(date.getTime()) && date.toISOString() === text;
}

function versionModule({ version_valid: isValid, status }: ValidateMembers): OutcomeRow["product"] {
  if (isValid === null) return {};
  const isReported = isValid === false && status === "active";
  return { version_module_enabled: 1, ...(isReported ? { version_enforcement: "report" } : {}) };
}

function versionsOf({
  version,
  version_valid: isValid,
}: ValidateMembers): NonNullable<OutcomeRow["versions"]> {
  if (version === null) return {};
  return { [version]: isValid === true ? "allowed" : "latest" };
}

function registeredFor({
  status,
  ip_registered: isNew,
  ip_count: count,
  max_ips: most,
}: ValidateMembers): string[] {
  if (count === null || most === null) return [];
  const withThis = count === 0 ? [] : [callerIp, ...otherIps(count - 1)];
  switch (status) {
    case "ip_limit_reached":
      return otherIps(most);
    case "ip_not_registered":
      return otherIps(count);
    case "active":
      return isNew ? otherIps(count - 1) : withThis;
    default:
      return withThis;
  }
}

/** The state for the record that a lookup returns. */
export function stateForRecord(record: Members): ServerState | null {
  const text = (name: string) => (typeof record[name] === "string" ? record[name] : null);
  const time = (name: string) => (text(name) === null ? null : Date.parse(text(name) ?? ""));
  const key = text("license_key");
  const email = text("customer_email");
  const times = ["expires_at", "revoked_at", "created_at", "updated_at"].map((name) => record[name] ?? null);
  const counts = [record.max_ips ?? null, record.current_unique_ip_count];
  if (key === null || !counts.every((one) => isCount(one, maxRegisteredIps))) return null;
  if (!times.every((one) => one === null || isServerTime(one))) return null;
  return {
    outcome: {
      license: {
        key,
        expiresAtMs: time("expires_at"),
        revokedAtMs: time("revoked_at"),
        maxIps: typeof record.max_ips === "number" ? record.max_ips : null,
        notes: text("notes"),
        pin: pinOf(record.version_pin_mode, text),
      },
      // A record contains versions only if the product's version module is enabled.
      product: { version_module_enabled: record.version_pin_mode === null ? 0 : 1 },
      registeredIps: otherIps(Number(record.current_unique_ip_count)),
      ...(email === null ? {} : { customer: { email, name: text("customer_name") ?? "" } }),
    },
  };
}

function pinOf(mode: unknown, text: (name: string) => string | null) {
  switch (mode) {
    case "pinned":
      return { mode, version: text("version_pinned") ?? "" } as const;
    case "range":
      return { mode, min: text("version_range_min"), max: text("version_range_max") } as const;
    default:
      return null;
  }
}

/** This many IP addresses other than the caller's. */
function otherIps(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `192.0.2.${number + 1}`);
}
