import type { ImportDefaults, ImportedLicense } from "@countersign/domain/license-files/row";
import { searchText } from "@countersign/domain/licenses/search-text";
import type { Bulk, Database } from "../../store.ts";
import type { ImportRow, ImportUndoRow } from "../../tables/license-files.ts";
import type { LicenseRow } from "../../tables/licenses.ts";
import type { KnownCustomer } from "../customers/bulk.ts";
import { ipsOf, replaceIps, replaceTags } from "../licenses/ips.ts";
import { tagsOf } from "../licenses/search.ts";
import type { PreviousValues } from "./undo.ts";

/** A license that an import found by its key. */
export type ExistingLicense = Pick<LicenseRow, "id" | "license_key_match" | "ip_count" | "max_ips">;

/** Overwrites existing licenses with the values of rows, and leaves other values unchanged. */
export async function overwriteLicenses(
  db: Database,
  to: Destination,
  updates: readonly { readonly existing: ExistingLicense; readonly license: ImportedLicense }[],
  customerOf: (license: ImportedLicense) => KnownCustomer | null,
  { bulk, nowMs }: ImportDependencies,
): Promise<void> {
  if (updates.length === 0) return;
  const ids = updates.map(({ existing }) => existing.id);
  const rows = await db.selectFrom("licenses").selectAll().where("id", "in", ids).execute();
  const current = new Map(rows.map((row) => [row.id, row]));
  const tags = await tagsOf(db, ids);
  const ips = await ipsOf(db, ids);
  const customers = await customersOf(db, to.organizationId, rows);
  const undo: ImportUndoRow[] = [];
  for (const { existing, license } of updates) {
    const row = current.get(existing.id);
    if (row === undefined) throw new Error("A license that was locked is not there.");
    const oldTags = tags.get(row.id) ?? [];
    const customer = customerOf(license) ?? customers.get(row.customer_id ?? "") ?? null;
    const changes = changesTo(row, license, customer, license.tags ?? oldTags, nowMs);
    await db.updateTable("licenses").set(changes).where("id", "=", row.id).execute();
    if (license.tags !== undefined) await replaceTags(db, to.organizationId, row.id, license.tags);
    const oldIps = ips.get(row.id) ?? [];
    if (license.ips !== undefined) {
      const known = new Map(oldIps.map(({ ip, registeredAt }) => [ip, registeredAt]));
      await replaceIps(
        db,
        row.id,
        license.ips.map((ip, index) => ({
          ip,
          registeredAt: license.ipsRegisteredAtMs?.[index] ?? known.get(ip) ?? nowMs,
        })),
      );
    }
    const before: PreviousValues = {
      columns: Object.fromEntries(
        Object.keys(changes).map((column) => [column, row[column as keyof LicenseRow]]),
      ),
      ...(license.tags === undefined ? {} : { tags: oldTags }),
      ...(license.ips === undefined ? {} : { ips: oldIps }),
    };
    undo.push({
      import_id: to.importId,
      license_id: row.id,
      before: JSON.stringify(before),
      written_at: changes.updated_at ?? nowMs,
    });
  }
  await bulk.insert(db, "import_undo", undo);
}

function changesTo(
  row: LicenseRow,
  license: ImportedLicense,
  customer: KnownCustomer | null,
  tags: readonly string[],
  nowMs: number,
): Partial<LicenseRow> {
  const { expiry, pin } = license;
  const notes = license.notes === undefined ? row.notes : license.notes;
  return {
    ...(license.customer === null || customer === null ? {} : { customer_id: customer.id }),
    ...(expiry === undefined
      ? {}
      : { is_lifetime: expiry.isLifetime ? 1 : 0, expires_at: expiry.expiresAtMs, term_ms: expiry.termMs }),
    ...(license.ipSystemEnabled === undefined ? {} : { ip_system_enabled: license.ipSystemEnabled ? 1 : 0 }),
    ...(license.maxIps === undefined ? {} : { max_ips: license.maxIps }),
    ...(license.ips === undefined ? {} : { ip_count: license.ips.length }),
    ...(license.notes === undefined ? {} : { notes }),
    ...(pin === undefined
      ? {}
      : {
          version_pin_mode: pin.mode,
          version_pinned: pin.pinned,
          version_range_min: pin.min,
          version_range_max: pin.max,
        }),
    ...(license.customOverride === undefined ? {} : { custom_override: license.customOverride }),
    ...(license.metadata === undefined ? {} : { metadata: license.metadata }),
    ...(license.revokedAtMs === undefined
      ? {}
      : {
          // A license that is already revoked keeps its time, if the file gives none.
          revoked_at: license.revokedAtMs === nowMs ? (row.revoked_at ?? nowMs) : license.revokedAtMs,
          ...(license.revokedAtMs === null ? { revoked_reason: null } : {}),
        }),
    ...(license.revokedReason === undefined || license.revokedAtMs === null
      ? {}
      : { revoked_reason: license.revokedReason }),
    ...(license.createdAtMs === undefined ? {} : { created_at: license.createdAtMs }),
    ...(license.firstUsedAtMs === undefined ? {} : { first_used_at: license.firstUsedAtMs }),
    search_text: searchText({
      key: row.license_key,
      email: customer?.email ?? null,
      name: customer?.name ?? null,
      discordId: customer?.discordId ?? null,
      notes,
      tags,
    }),
    updated_at: Math.max(nowMs, row.updated_at + 1, row.ips_updated_at + 1),
  };
}

async function customersOf(
  db: Database,
  organizationId: string,
  rows: readonly LicenseRow[],
): Promise<Map<string, KnownCustomer>> {
  const ids = [...new Set(rows.flatMap((row) => row.customer_id ?? []))];
  if (ids.length === 0) return new Map();
  const customers = await db
    .selectFrom("organization_customers")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("customer_id", "in", ids)
    .execute();
  return new Map(
    customers.map((row) => [
      row.customer_id,
      { id: row.customer_id, email: row.email, name: row.name, discordId: row.discord_id },
    ]),
  );
}

/** Where licenses are to go, and by which rules. */
export interface Destination {
  readonly importId: string;
  readonly organizationId: string;
  readonly productId: string;
  readonly defaults: ImportDefaults;
  readonly onExisting: ImportRow["on_existing"];
  /** The customer of new licenses for which the file names none. */
  readonly defaultCustomerEmail: string | null;
}

export interface ImportDependencies {
  readonly bulk: Bulk;
  readonly newId: () => string;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly nowMs: number;
}
