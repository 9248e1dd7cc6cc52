import { registration } from "@countersign/domain/ip/registered";
import { matchForm } from "@countersign/domain/licenses/key";
import { searchText } from "@countersign/domain/licenses/search-text";
import type { Kysely } from "kysely";
import { prepared } from "../../prepared-query.ts";
import type { LicenseRow, LicenseTagRow } from "../../tables/licenses.ts";
import type { Tables } from "../../tables.ts";
import { coveringIp, nextLicenseChangeTime } from "./ips.ts";

export interface NewLicense {
  readonly id: string;
  readonly organizationId: string;
  readonly productId: string;
  readonly customerId: string | null;
  readonly key: string;
  /** Null for a lifetime license. */
  readonly expiresAtMs?: number | null;
  /** Null means that the license does not limit IP addresses. */
  readonly maxIps?: number | null;
  /** Off, but with a limit for when it is turned on. */
  readonly ipSystemEnabled?: boolean;
  readonly notes?: string | null;
  readonly pin?:
    | { readonly mode: "pinned"; readonly version: string }
    | { readonly mode: "range"; readonly min: string | null; readonly max: string | null }
    | null;
  readonly customOverride?: string | null;
  readonly revokedAtMs?: number | null;
  readonly revokedReason?: string | null;
  /** A term that starts on first use; `expiresAtMs` is omitted then. */
  readonly termMs?: number | null;
  readonly firstUsedAtMs?: number | null;
  readonly metadata?: string | null;
  readonly tags?: readonly string[];
  /** Only the key if omitted: see `searchText` in domain/licenses. */
  readonly searchText?: string;
  readonly createdAtMs?: number;
}

/** Both databases accept this many rows of this width in one statement. */
const rowsAtOnce = 500;

export async function createLicenses(db: Kysely<Tables>, licenses: readonly NewLicense[], nowMs: number) {
  for (let start = 0; start < licenses.length; start += rowsAtOnce) {
    const batch = licenses.slice(start, start + rowsAtOnce);
    const rows = batch.map((license) => licenseRow(license, nowMs));
    await db.insertInto("licenses").values(rows).execute();
    await addTags(db, batch.flatMap(tagRows));
  }
}

export function licenseRow(license: NewLicense, nowMs: number): LicenseRow {
  const expiresAt = license.expiresAtMs ?? null;
  const maxIps = license.maxIps ?? null;
  const pin = license.pin ?? null;
  return {
    id: license.id,
    organization_id: license.organizationId,
    product_id: license.productId,
    customer_id: license.customerId,
    license_key: license.key,
    license_key_match: matchForm(license.key),
    is_lifetime: expiresAt === null && (license.termMs ?? null) === null ? 1 : 0,
    expires_at: expiresAt,
    ip_system_enabled: (license.ipSystemEnabled ?? maxIps !== null) ? 1 : 0,
    max_ips: maxIps ?? 1,
    ip_count: 0,
    ips_updated_at: 0,
    notes: license.notes ?? null,
    version_pin_mode: pin?.mode ?? null,
    version_pinned: pin?.mode === "pinned" ? pin.version : null,
    version_range_min: pin?.mode === "range" ? pin.min : null,
    version_range_max: pin?.mode === "range" ? pin.max : null,
    custom_override: license.customOverride ?? null,
    block_count: 0,
    revoked_at: license.revokedAtMs ?? null,
    revoked_reason: license.revokedReason ?? null,
    created_at: license.createdAtMs ?? nowMs,
    updated_at: nowMs,
    first_used_at: license.firstUsedAtMs ?? null,
    term_ms: license.termMs ?? null,
    metadata: license.metadata ?? null,
    search_text: license.searchText ?? keyText(license.key),
  };
}

export function tagRows({ id, organizationId, tags = [] }: NewLicense): LicenseTagRow[] {
  return tags.map((tag) => ({ organization_id: organizationId, tag, license_id: id }));
}

export async function addTags(db: Kysely<Tables>, rows: readonly LicenseTagRow[]): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsAtOnce) {
    await db
      .insertInto("license_tags")
      .values(rows.slice(start, start + rowsAtOnce))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Which of these keys the product already has, in normalized form. */
export async function takenKeys(
  db: Kysely<Tables>,
  productId: string,
  matchForms: readonly string[],
): Promise<Map<string, string>> {
  const taken = new Map<string, string>();
  for (let start = 0; start < matchForms.length; start += rowsAtOnce) {
    const rows = await keysAmong(db, productId, matchForms.slice(start, start + rowsAtOnce));
    for (const row of rows) taken.set(row.license_key_match, row.id);
  }
  return taken;
}

const keysAmong = prepared((db, productId: string, matchForms: readonly string[]) =>
  db
    .selectFrom("licenses")
    .select(["license_key_match", "id"])
    .where("product_id", "=", productId)
    .where("license_key_match", "in", matchForms),
).all;

/** Adds an IP address by hand, as for an allow-list. Returns whether there was a free slot. */
export async function registerIp(
  db: Kysely<Tables>,
  licenseId: string,
  ip: string,
  nowMs: number,
): Promise<boolean> {
  const raised = await db
    .updateTable("licenses")
    .set((row) => ({ ip_count: row("ip_count", "+", 1), ips_updated_at: nextLicenseChangeTime(nowMs) }))
    .where("id", "=", licenseId)
    .whereRef("ip_count", "<", "max_ips")
    .where((is) => is.not(is.exists(coveringIp(is, licenseId, ip))))
    .executeTakeFirst();
  if (raised.numUpdatedRows === 0n) return false;
  await db
    .insertInto("license_ips")
    .values(registration(licenseId, ip, nowMs))
    .execute();
  return true;
}

function keyText(key: string): string {
  return searchText({ key, email: null, name: null, discordId: null, notes: null, tags: [] });
}
