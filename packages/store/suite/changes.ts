import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import type { Store } from "../store.ts";
import type { LicenseRow, OrganizationRow, ProductRow } from "../tables.ts";

/** Changes made directly in the tables, equivalent to those of the management API. */

export async function changeOrganization(
  { store, organizationId }: TestOrganization,
  change: Partial<OrganizationRow>,
) {
  await store.transaction((db) =>
    db.updateTable("organizations").set(change).where("id", "=", organizationId).execute(),
  );
}

export async function changeProduct({ store, productId }: TestOrganization, change: Partial<ProductRow>) {
  await store.transaction((db) =>
    db.updateTable("products").set(change).where("id", "=", productId).execute(),
  );
}

export async function changeLicense(store: Store, licenseId: string, change: Partial<LicenseRow>) {
  await store.transaction((db) =>
    db.updateTable("licenses").set(change).where("id", "=", licenseId).execute(),
  );
}

export async function deleteLicense(store: Store, licenseId: string) {
  await store.transaction(async (db) => {
    await db.deleteFrom("license_ips").where("license_id", "=", licenseId).execute();
    await db.deleteFrom("licenses").where("id", "=", licenseId).execute();
  });
}

/** Removes every registered IP address of the license. */
export async function resetIps(store: Store, licenseId: string) {
  await store.transaction(async (db) => {
    await db.deleteFrom("license_ips").where("license_id", "=", licenseId).execute();
    await db.updateTable("licenses").set({ ip_count: 0 }).where("id", "=", licenseId).execute();
  });
}
