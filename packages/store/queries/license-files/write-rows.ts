import { dayMs } from "@countersign/domain/dates/lengths";
import { registration } from "@countersign/domain/ip/registered";
import type { ImportDefaults, ImportedLicense, RowError } from "@countersign/domain/license-files/row";
import { generateLicenseKey, matchForm } from "@countersign/domain/licenses/key";
import { searchText } from "@countersign/domain/licenses/search-text";
import type { Bulk, Database } from "../../store.ts";
import type { LicenseIpRow, LicenseRow, LicenseTagRow } from "../../tables/licenses.ts";
import { customersInBulk, identifierOf, type KnownCustomer } from "../customers/bulk.ts";
import {
  type Destination,
  type ExistingLicense,
  type ImportDependencies,
  overwriteLicenses,
} from "./overwrite.ts";

export interface NumberedLicense {
  readonly row: number;
  readonly license: ImportedLicense;
}

export type NumberedError = RowError & { readonly row: number };

/** What to do with some rows. */
export interface Sorted {
  readonly creates: readonly NumberedLicense[];
  readonly updates: readonly { readonly existing: ExistingLicense; readonly license: ImportedLicense }[];
  readonly skipped: number;
  readonly errors: readonly NumberedError[];
}

/** Compares rows with the product's existing licenses. Changes nothing. */
export async function sortRows(
  db: Database,
  bulk: Bulk,
  to: Destination,
  rows: readonly NumberedLicense[],
): Promise<Sorted> {
  const existing = await existingLicenses(db, bulk, to.productId, rows);
  const creates: NumberedLicense[] = [];
  const updates: Sorted["updates"][number][] = [];
  const errors: NumberedError[] = [];
  let skipped = 0;
  for (const numbered of rows) {
    const { row, license } = numbered;
    const known = license.keyMatch === null ? undefined : existing.get(license.keyMatch);
    if (known === undefined) {
      const created = withCustomer(license, to.defaultCustomerEmail);
      const error = cannotCreate(created, to.defaults);
      if (error === null) creates.push({ row, license: created });
      else errors.push({ row, ...error });
    } else if (to.onExisting === "skip") {
      skipped += 1;
    } else if (to.onExisting === "fail") {
      errors.push({
        row,
        field: "license_key",
        code: "license_key_taken",
        params: { license_key: license.key ?? "" },
      });
    } else {
      const error = cannotUpdate(license, known);
      if (error === null) updates.push({ existing: known, license });
      else errors.push({ row, ...error });
    }
  }
  return { creates, updates, skipped, errors };
}

/** An existing license keeps its customer. */
function withCustomer(license: ImportedLicense, email: string | null): ImportedLicense {
  return license.customer !== null || email === null
    ? license
    : { ...license, customer: { email, name: null, discordId: null } };
}

/** Locks the licenses of these rows until they are overwritten. */
export async function lockExisting(
  db: Database,
  bulk: Bulk,
  to: Destination,
  rows: readonly NumberedLicense[],
): Promise<void> {
  if (to.onExisting !== "update") return;
  const existing = await existingLicenses(db, bulk, to.productId, rows);
  const ids = [...existing.values()].map((license) => license.id);
  if (ids.length > 0) await bulk.lockLicenses(db, ids);
}

/** Another request took one of the keys at the same moment: classify the rows again. */
export class KeyTaken extends Error {}

/** Writes what was classified in the same transaction. Returns the IDs of created licenses. */
export async function writeSorted(
  db: Database,
  to: Destination,
  { creates, updates }: Sorted,
  means: ImportDependencies,
): Promise<string[]> {
  const people = [...creates, ...updates].flatMap(({ license }) => license.customer ?? []);
  const customers = await customersInBulk(db, to.organizationId, people, means);
  const customerOf = (license: ImportedLicense) =>
    license.customer === null ? null : (customers.get(identifierOf(license.customer)) ?? null);
  const created = await create(db, to, creates, customerOf, means);
  await overwriteLicenses(db, to, updates, customerOf, means);
  return created;
}

async function existingLicenses(
  db: Database,
  bulk: Bulk,
  productId: string,
  rows: readonly NumberedLicense[],
): Promise<Map<string, ExistingLicense>> {
  const keys = rows.flatMap(({ license }) => license.keyMatch ?? []);
  if (keys.length === 0) return new Map();
  const licenses = await db
    .selectFrom("licenses")
    .select(["id", "license_key_match", "ip_count", "max_ips"])
    .where(bulk.among("license_key_match", keys))
    .where("product_id", "=", productId)
    .execute();
  return new Map(licenses.map((row) => [row.license_key_match, row]));
}

function cannotCreate(license: ImportedLicense, defaults: ImportDefaults): RowError | null {
  if (license.customer === null) {
    return { field: "customer_email", code: "customer_missing", params: {} };
  }
  // IP addresses with times were registered before: max_ips may have been lowered since.
  if (license.ipsRegisteredAtMs !== undefined) return null;
  const maxIps = license.maxIps ?? defaults.maxIps;
  const enabled = license.ipSystemEnabled ?? defaults.ipSystemEnabled;
  return enabled ? tooManyIps(license.ips?.length ?? 0, maxIps) : null;
}

function cannotUpdate(license: ImportedLicense, existing: ExistingLicense): RowError | null {
  // As by hand, max_ips can be set below the number of registered IP addresses, which then stay; but no more are added.
  if (license.ipSystemEnabled === false || license.ips === undefined) return null;
  if (license.ipsRegisteredAtMs !== undefined) return null;
  return tooManyIps(license.ips.length, license.maxIps ?? existing.max_ips);
}

function tooManyIps(count: number, maxIps: number): RowError | null {
  if (count <= maxIps) return null;
  return { field: "ips", code: "too_many_ips", params: { ips: count, max: maxIps } };
}

async function create(
  db: Database,
  to: Destination,
  creates: readonly NumberedLicense[],
  customerOf: (license: ImportedLicense) => KnownCustomer | null,
  means: ImportDependencies,
): Promise<string[]> {
  const licenses: LicenseRow[] = [];
  const tags: LicenseTagRow[] = [];
  const ips: LicenseIpRow[] = [];
  for (const { license } of creates) {
    const row = newRow(to, license, customerOf(license), means);
    licenses.push(row);
    for (const tag of license.tags ?? [])
      tags.push({ organization_id: to.organizationId, tag, license_id: row.id });
    license.ips?.forEach((ip, index) => {
      const registeredAt = license.ipsRegisteredAtMs?.[index] ?? means.nowMs;
      ips.push(registration(row.id, ip, registeredAt));
    });
  }
  const created = await means.bulk.insert(
    db,
    "licenses",
    licenses,
    "(license_key_match, product_id) do nothing",
  );
  if (created < licenses.length) throw new KeyTaken();
  await means.bulk.insert(db, "license_tags", tags);
  await means.bulk.insert(db, "license_ips", ips);
  const ids = licenses.map(({ id }) => id);
  const undo = ids.map((id) => ({
    import_id: to.importId,
    license_id: id,
    before: null,
    written_at: means.nowMs,
  }));
  await means.bulk.insert(db, "import_undo", undo);
  return ids;
}

function newRow(
  { organizationId, productId, defaults }: Destination,
  license: ImportedLicense,
  customer: KnownCustomer | null,
  { newId, randomBytes, nowMs }: ImportDependencies,
): LicenseRow {
  const key = license.key ?? generateLicenseKey(randomBytes);
  const createdAtMs = license.createdAtMs ?? nowMs;
  const expiry = license.expiry ?? defaultExpiry(defaults, nowMs);
  const ipCount = license.ips?.length ?? 0;
  const maxIps = license.maxIps ?? defaults.maxIps;
  const notes = license.notes ?? null;
  return {
    id: newId(),
    organization_id: organizationId,
    product_id: productId,
    customer_id: customer?.id ?? null,
    license_key: key,
    license_key_match: license.keyMatch ?? matchForm(key),
    is_lifetime: expiry.isLifetime ? 1 : 0,
    expires_at: expiry.expiresAtMs,
    ip_system_enabled: (license.ipSystemEnabled ?? defaults.ipSystemEnabled) ? 1 : 0,
    // A license that does not limit IP addresses can have more than it otherwise could.
    max_ips: license.ipsRegisteredAtMs === undefined ? Math.max(maxIps, ipCount) : maxIps,
    ip_count: ipCount,
    ips_updated_at: 0,
    notes,
    version_pin_mode: license.pin?.mode ?? null,
    version_pinned: license.pin?.pinned ?? null,
    version_range_min: license.pin?.min ?? null,
    version_range_max: license.pin?.max ?? null,
    custom_override: license.customOverride ?? null,
    block_count: 0,
    revoked_at: license.revokedAtMs ?? null,
    revoked_reason: license.revokedReason ?? null,
    created_at: createdAtMs,
    updated_at: nowMs,
    first_used_at: license.firstUsedAtMs ?? null,
    term_ms: expiry.termMs,
    metadata: license.metadata ?? null,
    search_text: searchText({
      key,
      email: customer?.email ?? null,
      name: customer?.name ?? null,
      discordId: customer?.discordId ?? null,
      notes,
      tags: license.tags ?? [],
    }),
  };
}

function defaultExpiry({ expiresInDays }: ImportDefaults, nowMs: number) {
  if (expiresInDays === null) return { isLifetime: true, expiresAtMs: null, termMs: null };
  return { isLifetime: false, expiresAtMs: nowMs + expiresInDays * dayMs, termMs: null };
}
