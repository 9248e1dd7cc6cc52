import type { Expiry } from "../licenses/expiry.ts";
import { matchForm, parseImportedKey } from "../licenses/key.ts";
import { noPin, type Pin, readPin } from "../licenses/version-pin.ts";
import type { ImportField } from "./columns.ts";
import * as values from "./values.ts";
import { type ValueFault, Wrong } from "./values.ts";

/** A row of a file, by field. An omitted field says nothing; null or an empty string means "none". */
export type Cells = { readonly [F in ImportField]?: unknown };

/** The product's defaults for what a row omits. */
export interface ImportDefaults {
  readonly maxIps: number;
  readonly ipSystemEnabled: boolean;
  readonly expiresInDays: number | null;
  readonly ipv6Prefix: 64 | 128;
  /** The time zone for dates without a time. */
  readonly timeZone: string;
}

/** What a row says about a license. Undefined means not specified: an existing license keeps its value. */
export interface ImportedLicense {
  readonly key: string | null;
  readonly keyMatch: string | null;
  readonly customer: ImportedCustomer | null;
  readonly expiry: Expiry | undefined;
  readonly ipSystemEnabled: boolean | undefined;
  readonly maxIps: number | undefined;
  readonly ips: readonly string[] | undefined;
  /** When each of the IP addresses was registered, in the same order. */
  readonly ipsRegisteredAtMs: readonly number[] | undefined;
  readonly notes: string | null | undefined;
  readonly pin: Pin | undefined;
  readonly customOverride: string | null | undefined;
  readonly metadata: string | null | undefined;
  readonly tags: readonly string[] | undefined;
  readonly revokedAtMs: number | null | undefined;
  readonly revokedReason: string | null | undefined;
  readonly createdAtMs: number | undefined;
  readonly firstUsedAtMs: number | null | undefined;
}

interface ImportedCustomer {
  readonly email: string | null;
  readonly name: string | null;
  readonly discordId: string | null;
}

/** What is wrong with a row, in which field. */
export type RowError = { readonly field: string } & RowFault;

export type RowFault =
  | ValueFault
  | { readonly code: "customer_missing" | "not_json" | "unknown_member"; readonly params: object }
  | { readonly code: "license_key_taken"; readonly params: { readonly license_key: string } }
  | { readonly code: "other_product_in_file"; readonly params: { readonly first: string } }
  | { readonly code: "record_not_in_file"; readonly params: { readonly type: string } }
  | { readonly code: "key_in_earlier_row"; readonly params: { readonly row: number } }
  | { readonly code: "duplicate_member"; readonly params: { readonly name: ImportField } }
  | {
      readonly code: "too_many_cells";
      readonly params: { readonly cells: number; readonly columns: number };
    }
  | {
      readonly code: "over_license_limit";
      readonly params: { readonly plan: string; readonly limit: number };
    }
  | { readonly code: "too_many_ips"; readonly params: { readonly ips: number; readonly max: number } };

type ReadRow =
  | { readonly ok: true; readonly license: ImportedLicense }
  | { readonly ok: false; readonly errors: readonly RowError[] };

/** Checks a row against the rules for a manually created license. */
export function readRow(cells: Cells, defaults: ImportDefaults, nowMs: number): ReadRow {
  const row = new Row(cells);
  const readTime = (value: unknown) => values.readTime(value, defaults.timeZone);
  const license: ImportedLicense = {
    ...key(row),
    customer: customer(row),
    expiry: expiry(row, defaults.timeZone),
    ...ipControls(row, defaults),
    notes: row.optional("notes", (value) => values.readText(value, 10_000)),
    pin: pin(row),
    customOverride: row.optional("custom_override", values.readCustomOverride),
    metadata: row.optional("metadata", values.readMetadata),
    tags: tags(row),
    ...revocation(row, readTime, nowMs),
    createdAtMs: row.optional("created_at", readTime) ?? undefined,
    firstUsedAtMs: row.optional("first_used_at", readTime),
  };
  return row.errors.length === 0 ? { ok: true, license } : { ok: false, errors: row.errors };
}

/** The cells of a row, and the errors found so far. */
class Row {
  readonly #cells: Cells;
  readonly errors: RowError[] = [];

  constructor(cells: Cells) {
    this.#cells = cells;
  }

  states(field: ImportField): boolean {
    return this.#cells[field] !== undefined;
  }

  /** Undefined if the row does not specify it, null if it specifies none. */
  optional<T>(field: ImportField, read: (value: unknown) => T | Wrong): T | null | undefined {
    const value = this.#cells[field];
    if (value === undefined || value === null) return value;
    if (typeof value === "string" && value.trim() === "") return null;
    const result = read(value);
    if (!(result instanceof Wrong)) return result;
    this.wrong([field, ...result.path].join("."), result.fault);
    return null;
  }

  wrong(field: string, fault: ValueFault): void {
    this.errors.push({ field, ...fault });
  }
}

function key(row: Row): Pick<ImportedLicense, "key" | "keyMatch"> {
  const key = row.optional("license_key", (value) => {
    if (typeof value !== "string") return new Wrong({ code: "not_a_string", params: {} });
    const parsed = parseImportedKey(value);
    return parsed.ok ? parsed.key : new Wrong(parsed.fault);
  });
  return { key: key ?? null, keyMatch: key == null ? null : matchForm(key) };
}

function customer(row: Row): ImportedCustomer | null {
  const email = row.optional("customer_email", values.readEmail) ?? null;
  const discordId = row.optional("customer_discord_id", values.readDiscordId) ?? null;
  const name = row.optional("customer_name", (value) => values.readLine(value, 100));
  return email === null && discordId === null ? null : { email, discordId, name: name ?? null };
}

function expiry(row: Row, timeZone: string): Expiry | undefined {
  const lifetime = row.optional("is_lifetime", values.readFlag);
  const expiresAtMs = row.optional("expires_at", (value) => values.readEnd(value, timeZone));
  const term = row.optional("term_seconds", (value) => values.readWholeNumber(value, 1, maxTermSeconds));
  if (lifetime === undefined && expiresAtMs === undefined && term === undefined) return undefined;
  const termMs = term == null ? null : term * 1_000;
  if (lifetime === true && (expiresAtMs != null || termMs !== null)) {
    const other = expiresAtMs == null ? "term_seconds" : "expires_at";
    row.wrong("is_lifetime", { code: "conflicts_with", params: { other } });
  }
  if (lifetime === false && expiresAtMs == null && termMs === null) {
    row.wrong("expires_at", { code: "expiry_missing", params: {} });
  }
  if (termMs !== null && expiresAtMs != null && row.optional("first_used_at", () => 0) == null) {
    row.wrong("term_seconds", { code: "term_without_first_use", params: {} });
  }
  return { isLifetime: expiresAtMs == null && termMs === null, expiresAtMs: expiresAtMs ?? null, termMs };
}

function ipControls(
  row: Row,
  defaults: ImportDefaults,
): Pick<ImportedLicense, "ipSystemEnabled" | "maxIps" | "ips" | "ipsRegisteredAtMs"> {
  const maxIps = row.optional("max_ips", (value) => values.readWholeNumber(value, 1, 1_000_000));
  const enabled = row.optional("ip_system_enabled", values.readFlag);
  const ips = row.optional("ips", (value) => {
    const list = values.readList(value);
    if (list instanceof Wrong) return list;
    const read = list.map((ip) => values.readIp(ip, defaults.ipv6Prefix));
    return read.find((ip) => ip instanceof Wrong) ?? (read as string[]);
  });
  const times = row.optional("ips_registered_at", (value) => {
    const list = values.readList(value);
    if (list instanceof Wrong) return list;
    const read = list.map((value) => values.readTime(value, defaults.timeZone));
    return read.find((time) => time instanceof Wrong) ?? (read as number[]);
  });
  return {
    ipSystemEnabled: enabled ?? (maxIps == null ? undefined : true),
    maxIps: maxIps ?? undefined,
    ...registrations(row, ips === null ? [] : ips, times ?? undefined),
  };
}

/** Several addresses can count as one, which was registered with the first of them. */
function registrations(
  row: Row,
  ips: readonly string[] | undefined,
  times: readonly number[] | undefined,
): Pick<ImportedLicense, "ips" | "ipsRegisteredAtMs"> {
  const unique = ips === undefined ? undefined : [...new Set(ips)];
  if (times === undefined) return { ips: unique, ipsRegisteredAtMs: undefined };
  if (times.length !== ips?.length) {
    row.wrong("ips_registered_at", { code: "ip_times_mismatch", params: {} });
    return { ips: unique, ipsRegisteredAtMs: undefined };
  }
  const earliest = new Map<string, number>();
  ips.forEach((ip, index) => {
    earliest.set(ip, Math.min(earliest.get(ip) ?? Number.POSITIVE_INFINITY, times[index] ?? 0));
  });
  return { ips: [...earliest.keys()], ipsRegisteredAtMs: [...earliest.values()] };
}

function pin(row: Row): Pin | undefined {
  const version = (value: unknown) => values.readText(value, 64);
  const wanted = {
    mode: row.optional("version_pin_mode", (value): "pinned" | "range" | Wrong => {
      const mode = String(value).trim();
      if (mode === "pinned" || mode === "range") return mode;
      return new Wrong({ code: "not_one_of", params: { allowed: ["pinned", "range"] } });
    }),
    pinned: row.optional("version_pinned", version),
    min: row.optional("version_range_min", version),
    max: row.optional("version_range_max", version),
  };
  if (Object.values(wanted).every((value) => value === undefined)) return undefined;
  const answer = readPin(noPin, wanted);
  if (answer.ok) return answer.pin;
  row.wrong(answer.field, answer.fault);
  return undefined;
}

function tags(row: Row): readonly string[] | undefined {
  const list = row.optional("tags", (value) => {
    const read = values.readList(value);
    if (read instanceof Wrong) return read;
    if (read.length > maxTags) return new Wrong({ code: "too_many", params: { count: maxTags } });
    for (const [index, tag] of read.entries()) {
      const text = values.readLine(tag, maxTagLength);
      if (text instanceof Wrong) return new Wrong(text.fault, [index]);
    }
    return [...new Set(read)].sort();
  });
  return list === null ? [] : list;
}

/** A file can contain only `status`: revoked then means from now on. The other states follow from other fields. */
function revocation(
  row: Row,
  readTime: (value: unknown) => number | Wrong,
  nowMs: number,
): Pick<ImportedLicense, "revokedAtMs" | "revokedReason"> {
  const status = row.optional("status", (value) => {
    const word = String(value).trim().toLowerCase();
    if (statuses.includes(word)) return word;
    return new Wrong({ code: "not_one_of", params: { allowed: statuses } });
  });
  const revokedAtMs = row.optional("revoked_at", readTime);
  const revokedReason = row.optional("revoked_reason", (value) => values.readText(value, 500));
  if (status != null && status !== "revoked" && revokedAtMs != null)
    row.wrong("status", { code: "status_not_revoked", params: { status } });
  const isRevoked = revokedAtMs != null || status === "revoked";
  if (revokedReason != null && !isRevoked)
    row.wrong("revoked_reason", { code: "reason_without_revocation", params: {} });
  if (revokedAtMs != null) return { revokedAtMs, revokedReason };
  if (status === "revoked") return { revokedAtMs: nowMs, revokedReason };
  return { revokedAtMs: status == null ? revokedAtMs : null, revokedReason };
}

const statuses: readonly string[] = ["active", "expired", "revoked"];
const maxTermSeconds = 3_155_760_000;
const maxTags = 20;
const maxTagLength = 50;
