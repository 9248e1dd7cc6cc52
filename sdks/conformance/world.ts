import type { OutcomeRow } from "../../tests/http/outcome-rows.ts";
import { start, usual } from "./case.ts";

/** What there has to be on a real server so that it answers in a certain way. */
export interface World {
  readonly outcome: Partial<OutcomeRow>;
  /** Where the license ends by the time that passes in its case: so long after the case began. */
  readonly ends_after_seconds?: number;
}

export type Members = Readonly<Record<string, unknown>>;

const here = "127.0.0.1";
const past = Date.UTC(2020, 0, 2, 3, 4, 5, 6);
const nearMs = 7 * 86_400_000;

/** What the database has to hold for each verdict, beside what the other members say. */
const verdicts: Readonly<Record<string, Partial<OutcomeRow>>> = {
  active: {},
  license_not_found: { license: null },
  revoked: { license: { revokedAtMs: past } },
  expired: {},
  ip_blocked: { block: { tier: "license" } },
  ip_limit_reached: {},
  ip_not_registered: { product: { auto_register_ip_on_validate: 0 } },
  version_not_allowed: {},
  product_not_found: { deleted: true },
  product_archived: { product: { status: "archived" } },
  product_disabled: { product: { status: "disabled" } },
  org_suspended: { organization: { suspended_at: past } },
  billing_suspended: { organization: { billing_state: "suspended" } },
};

export function isKnownStatus(status: unknown): boolean {
  return typeof status === "string" && status in verdicts;
}

/** Null for what a Countersign never says. */
export function worldOf(members: Members): World | null {
  const said: Said = { ...usual, ...members };
  const verdict = verdicts[said.status];
  const isComplete = Object.keys(said).length === Object.keys(usual).length;
  if (verdict === undefined || !isComplete || said.valid !== (said.status === "active")) return null;
  const custom = customOf(said);
  const end = endOf(said);
  if (custom === null || end === null) return null;
  const license =
    verdict.license === null ? null : { maxIps: said.max_ips, ...verdict.license, ...end.license };
  return {
    outcome: {
      ...verdict,
      license,
      product: { ...verdict.product, ...end.product, ...custom, ...versionGate(said) },
      versions: versionsOf(said),
      registered: license === null ? [] : registeredFor(said),
    },
    ...(end.afterSeconds === undefined ? {} : { ends_after_seconds: end.afterSeconds }),
  };
}

interface Said {
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

/** A template is filled in before it is sent, so a text with a placeholder cannot come back as it is. */
function customOf({ custom, valid }: Said): OutcomeRow["product"] | null {
  if (custom === null) return {};
  const text = JSON.stringify(custom);
  if (typeof custom !== "object" || Array.isArray(custom) || text.includes("{{")) return null;
  return {
    custom_response_enabled: 1,
    custom_response: text,
    custom_response_on_refusal: valid ? 0 : 1,
  };
}

interface End {
  readonly license?: { readonly expiresAtMs: number };
  readonly product?: { readonly expiry_enforcement: 0 };
  readonly afterSeconds?: number;
}

/**
 * A time near the beginning of its case is one that the case waits for, and counts from when the case really begins.
 * One that is far away stays as it is written.
 */
function endOf({ expires, status }: Said): End | null {
  if (expires === null) return status === "expired" ? { afterSeconds: -1 } : {};
  const atMs = Date.parse(expires);
  const afterMs = atMs - Date.parse(start);
  if (Number.isNaN(atMs) || (status === "expired" && afterMs > 0)) return null;
  return {
    ...(Math.abs(afterMs) < nearMs ? { afterSeconds: afterMs / 1_000 } : { license: { expiresAtMs: atMs } }),
    ...(status !== "expired" && afterMs <= 0 ? { product: { expiry_enforcement: 0 } } : {}),
  };
}

function versionGate({ version_valid: isValid, status }: Said): OutcomeRow["product"] {
  if (isValid === null) return {};
  const isReported = isValid === false && status === "active";
  return { version_module_enabled: 1, ...(isReported ? { version_enforcement: "report" } : {}) };
}

function versionsOf({ version, version_valid: isValid }: Said): NonNullable<OutcomeRow["versions"]> {
  if (version === null) return {};
  return { [version]: isValid === true ? "allowed" : "latest" };
}

function registeredFor({ status, ip_registered: isNew, ip_count: count, max_ips: most }: Said): string[] {
  if (count === null || most === null) return [];
  const withThis = count === 0 ? [] : [here, ...others(count - 1)];
  switch (status) {
    case "ip_limit_reached":
      return others(most);
    case "ip_not_registered":
      return others(count);
    case "active":
      return isNew ? others(count - 1) : withThis;
    default:
      return withThis;
  }
}

/** The same for a record that is looked up. */
export function worldOfRecord(record: Members): World | null {
  const text = (name: string) => (typeof record[name] === "string" ? record[name] : null);
  const time = (name: string) => (text(name) === null ? null : Date.parse(text(name) ?? ""));
  const key = text("license_key");
  const email = text("customer_email");
  if (key === null) return null;
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
      // A record tells of versions only where the product minds them.
      product: { version_module_enabled: record.version_pin_mode === null ? 0 : 1 },
      registered: others(Number(record.current_unique_ip_count)),
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

/** So many addresses that are not this one. */
function others(count: number): string[] {
  return Array.from({ length: count }, (_, number) => `192.0.2.${number + 1}`);
}
