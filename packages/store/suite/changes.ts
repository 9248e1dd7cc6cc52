import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import type { Database, Store } from "../store.ts";
import type { LicenseRow, OrganizationRow, ProductRow } from "../tables.ts";

/** Changes made directly in the tables, equivalent to those of the management API. */

export async function changeOrganization(org: TestOrganization, change: Partial<OrganizationRow>) {
  await changeRow(org.store, "organizations", org.organizationId, change);
}

export async function changeProduct({ store, productId }: TestOrganization, change: Partial<ProductRow>) {
  await changeRow(store, "products", productId, change);
}

export async function changeLicense(store: Store, licenseId: string, change: Partial<LicenseRow>) {
  await changeRow(store, "licenses", licenseId, change);
}

type ChangedTable = "organizations" | "products" | "licenses";

export async function changeRow(store: Store, table: ChangedTable, id: string, change: object) {
  const update = (db: Database) =>
    db
      .updateTable(table as "licenses")
      .set(change)
      .where("id", "=", id);
  await store.transaction((db) => update(db).execute());
}

/** Sets the expiry of the keys of the product. */
export async function expireApiKeys({ store, productId }: TestOrganization, atMs: number) {
  const keys = (db: Database) => db.updateTable("product_api_keys").where("product_id", "=", productId);
  await store.transaction((db) => keys(db).set({ expires_at: atMs }).execute());
}

export async function deleteLicense(store: Store, licenseId: string) {
  await resetIps(store, licenseId);
  await store.transaction((db) => db.deleteFrom("licenses").where("id", "=", licenseId).execute());
}

/** Removes every registered IP address of the license. */
export async function resetIps(store: Store, licenseId: string) {
  await store.transaction(async (db) => {
    await db.deleteFrom("license_ips").where("license_id", "=", licenseId).execute();
    await db.updateTable("licenses").set({ ip_count: 0 }).where("id", "=", licenseId).execute();
  });
}
