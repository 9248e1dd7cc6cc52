import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { LicenseRow } from "../../tables.ts";

/** The queries of access control: who, for which resource, with which role. */

export const tokenByHash = prepared((db, hash: string) =>
  db
    .selectFrom("access_tokens")
    .leftJoin("users", "users.id", "access_tokens.user_id")
    .select([
      "access_tokens.id",
      "access_tokens.name",
      "access_tokens.user_id",
      "access_tokens.organization_id",
      "access_tokens.permissions",
      "access_tokens.expires_at",
      "access_tokens.last_used_at",
      "users.name as user_name",
      "users.email as user_email",
      "users.is_platform_admin",
      "users.suspended_at as user_suspended_at",
    ])
    .where("access_tokens.hash", "=", hash)
    .where("access_tokens.revoked_at", "is", null),
).first;

export async function touchToken(db: Database, tokenId: string, nowMs: number): Promise<void> {
  await db.updateTable("access_tokens").set({ last_used_at: nowMs }).where("id", "=", tokenId).execute();
}

export const organizationById = prepared((db, id: string) =>
  db.selectFrom("organizations").selectAll().where("id", "=", id),
).first;

/** Deleted products do not exist for the management API. */
export const productById = prepared((db, id: string) =>
  db.selectFrom("products").selectAll().where("id", "=", id).where("deleted_at", "is", null),
).first;

/** The license in a path, with what decides who can see it. A handler that needs the license itself reads it. */
export type LicenseReference = Pick<
  LicenseRow,
  "id" | "organization_id" | "product_id" | "customer_id" | "license_key"
>;

export const licenseReference = prepared((db, id: string) =>
  db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .select([
      "licenses.id",
      "licenses.organization_id",
      "licenses.product_id",
      "licenses.customer_id",
      "licenses.license_key",
    ])
    .where("licenses.id", "=", id)
    .where("products.deleted_at", "is", null),
).first;

/** The licenses of a deleted product were deleted with it. */
export const licenseById = prepared((db, id: string) =>
  db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .selectAll("licenses")
    .where("licenses.id", "=", id)
    .where("products.deleted_at", "is", null),
).first;

/**
 * The current row, locked until the transaction ends: other writers wait, and then see the changes. An update that
 * changes nothing does this on both databases.
 */
export const lockedOrganization = prepared((db, id: string) =>
  db
    .updateTable("organizations")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll(),
).first;

export const lockedProduct = prepared((db, id: string) =>
  db
    .updateTable("products")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .returningAll(),
).first;

export const lockedLicense = prepared((db, id: string) =>
  db
    .updateTable("licenses")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll(),
).first;

const roleOf = prepared((db, organizationId: string, userId: string) =>
  db
    .selectFrom("members")
    .innerJoin("roles", "roles.id", "members.role_id")
    .select("roles.permissions")
    .where("members.organization_id", "=", organizationId)
    .where("members.user_id", "=", userId),
).first;

/** The permissions of a member's role, as JSON. Nothing if the user is not a member. */
export async function memberPermissions(db: Database, organizationId: string, userId: string) {
  return (await roleOf(db, organizationId, userId))?.permissions ?? null;
}
