import type { Database } from "../store.ts";

/** What access control asks: by whom, about what, with which role. */

export async function tokenByHash(db: Database, hash: string) {
  return db
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
    .where("access_tokens.revoked_at", "is", null)
    .executeTakeFirst();
}

export async function touchToken(db: Database, tokenId: string, nowMs: number): Promise<void> {
  await db.updateTable("access_tokens").set({ last_used_at: nowMs }).where("id", "=", tokenId).execute();
}

export async function organizationById(db: Database, id: string) {
  return db.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Deleted products are gone for the management API. */
export async function productById(db: Database, id: string) {
  return db
    .selectFrom("products")
    .selectAll()
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

/** The licenses of a deleted product went with it. */
export async function licenseById(db: Database, id: string) {
  return db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .selectAll("licenses")
    .where("licenses.id", "=", id)
    .where("products.deleted_at", "is", null)
    .executeTakeFirst();
}

/**
 * The row as it is now, held until the transaction ends: whoever else wants to change it waits, and then sees what
 * this one wrote. An update that changes nothing is how both databases say that.
 */
export async function lockedOrganization(db: Database, id: string) {
  return db
    .updateTable("organizations")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

export async function lockedProduct(db: Database, id: string) {
  return db
    .updateTable("products")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .returningAll()
    .executeTakeFirst();
}

export async function lockedLicense(db: Database, id: string) {
  return db
    .updateTable("licenses")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/** The permissions of a member's role, as JSON text; nothing for somebody who is no member. */
export async function memberPermissions(db: Database, organizationId: string, userId: string) {
  const row = await db
    .selectFrom("members")
    .innerJoin("roles", "roles.id", "members.role_id")
    .select("roles.permissions")
    .where("members.organization_id", "=", organizationId)
    .where("members.user_id", "=", userId)
    .executeTakeFirst();
  return row?.permissions ?? null;
}
