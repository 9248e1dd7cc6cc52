import { changeRows } from "../../../tests/support/stored-rows.ts";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import type { Store } from "../store.ts";
import type { LicenseRow } from "../tables/licenses.ts";
import type { OrganizationRow } from "../tables/organizations.ts";
import type { ProductRow } from "../tables/products.ts";

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
  await store.transaction((db) => changeRows(db, table, { id }, change));
}

/** Sets the expiry of the keys of the product. */
export async function expireApiKeys({ store, productId }: TestOrganization, atMs: number) {
  const ofProduct = { product_id: productId };
  await store.transaction((db) => changeRows(db, "product_api_keys", ofProduct, { expires_at: atMs }));
}

/** Removes every registered IP address of the license. */
export async function resetIps(store: Store, licenseId: string) {
  await store.transaction(async (db) => {
    await db.deleteFrom("license_ips").where("license_id", "=", licenseId).execute();
    await db.updateTable("licenses").set({ ip_count: 0 }).where("id", "=", licenseId).execute();
  });
}
