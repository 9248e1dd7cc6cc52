import type { Database } from "../../store.ts";
import { openEndpoint } from "../webhooks/endpoints.ts";

/** Pages of an organization's data, each starting after the last row of the previous one. */

export async function customersToExport(
  db: Database,
  organizationId: string,
  after: { readonly created_at: number; readonly customer_id: string } | null,
  limit: number,
) {
  let query = db
    .selectFrom("organization_customers")
    .select(["customer_id", "email", "name", "discord_id", "created_at", "updated_at"])
    .where("organization_id", "=", organizationId);
  if (after !== null) {
    query = query
      .where("created_at", ">=", after.created_at)
      .where((is) =>
        is.or([is("created_at", ">", after.created_at), is("customer_id", ">", after.customer_id)]),
      );
  }
  return query.orderBy("created_at").orderBy("customer_id").limit(limit).execute();
}

export async function licensesToExport(
  db: Database,
  organizationId: string,
  after: { readonly created_at: number; readonly id: string } | null,
  limit: number,
) {
  let query = db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .selectAll("licenses")
    .where("licenses.organization_id", "=", organizationId)
    .where("products.deleted_at", "is", null);
  if (after !== null) {
    // An index can seek to the first half alone.
    query = query
      .where("licenses.created_at", ">=", after.created_at)
      .where((is) =>
        is.or([is("licenses.created_at", ">", after.created_at), is("licenses.id", ">", after.id)]),
      );
  }
  return query.orderBy("licenses.created_at").orderBy("licenses.id").limit(limit).execute();
}

export async function ipsOfLicenses(db: Database, licenseIds: readonly string[]) {
  if (licenseIds.length === 0) return [];
  return db.selectFrom("license_ips").selectAll().where("license_id", "in", licenseIds).execute();
}

export async function tagsOfLicenses(db: Database, licenseIds: readonly string[]) {
  if (licenseIds.length === 0) return [];
  return db
    .selectFrom("license_tags")
    .select(["license_id", "tag"])
    .where("license_id", "in", licenseIds)
    .orderBy("tag")
    .execute();
}

export async function versionsOfProducts(db: Database, productIds: readonly string[]) {
  if (productIds.length === 0) return [];
  return db.selectFrom("product_versions").selectAll().where("product_id", "in", productIds).execute();
}

export async function downloadsOfProducts(db: Database, productIds: readonly string[]) {
  if (productIds.length === 0) return [];
  return db
    .selectFrom("product_downloads")
    .selectAll()
    .where("product_id", "in", productIds)
    .orderBy("product_id")
    .orderBy("position")
    .execute();
}

export async function blocksToExport(
  db: Database,
  organizationId: string,
  afterId: string | null,
  limit: number,
) {
  let query = db.selectFrom("ip_blocks").selectAll().where("organization_id", "=", organizationId);
  if (afterId !== null) query = query.where("id", ">", afterId);
  return query.orderBy("id").limit(limit).execute();
}

/** No secrets and headers. */
export async function webhooksToExport(
  db: Database,
  organizationId: string,
  after: { readonly created_at: number; readonly id: string } | null,
  limit: number,
) {
  let query = db
    .selectFrom("webhook_endpoints")
    .select(["id", "sealed_url", "description", "format", "event_types", "product_ids", "status"])
    .select(["disabled_reason", "disabled_at", "auto_reenable", "created_at", "updated_at"])
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null);
  if (after !== null) {
    query = query
      .where("created_at", ">=", after.created_at)
      .where((is) => is.or([is("created_at", ">", after.created_at), is("id", ">", after.id)]));
  }
  const rows = await query.orderBy("created_at").orderBy("id").limit(limit).execute();
  return rows.map((row) => openEndpoint(db, row));
}
