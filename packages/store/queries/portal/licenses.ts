import { prepared } from "../../prepared-query.ts";

/**
 * A license that its customer can see: the product is not deleted and shows its licenses in the portal. With the
 * identifier of its customer, which decides whose it is.
 */
export const portalLicenseReference = prepared((db, id: string) =>
  db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .innerJoin("organizations", "organizations.id", "licenses.organization_id")
    .innerJoin("customers", "customers.id", "licenses.customer_id")
    .leftJoin("organization_customers", (join) =>
      join
        .onRef("organization_customers.customer_id", "=", "customers.id")
        .onRef("organization_customers.organization_id", "=", "licenses.organization_id"),
    )
    .select([
      "licenses.id",
      "licenses.organization_id",
      "licenses.product_id",
      "licenses.license_key",
      "customers.id as customer_id",
      "customers.email as identity_email",
      "customers.discord_id as identity_discord_id",
      "organization_customers.name as customer_name",
    ])
    .where("licenses.id", "=", id)
    .where("products.deleted_at", "is", null)
    .where("products.portal_enabled", "=", 1)
    .where("organizations.deleted_at", "is", null),
).first;
