import type { Database } from "../store.ts";
import type { OrganizationRow } from "../tables.ts";
import { lockedOrganization } from "./access.ts";

/** Those whose time is up and that still hold something, whoever began to remove them. */
export async function organizationsToRemove(
  db: Database,
  nowMs: number,
): Promise<Pick<OrganizationRow, "id" | "deleted_at">[]> {
  return db
    .selectFrom("organizations")
    .select(["id", "deleted_at"])
    .where("delete_after", "<=", nowMs)
    .orderBy("delete_after")
    .limit(100)
    .execute();
}

/**
 * The moment of deletion: nobody belongs to it any more, its products are gone, its slug is free. Returns what it was,
 * or nothing when its deletion was taken back meanwhile, or somebody else was quicker.
 */
export async function closeOrganization(
  db: Database,
  id: string,
  nowMs: number,
): Promise<OrganizationRow | undefined> {
  const before = await lockedOrganization(db, id);
  const isDue = (before?.delete_after ?? Number.POSITIVE_INFINITY) <= nowMs && before?.deleted_at === null;
  if (!isDue) return undefined;
  // With a character that no slug can have: nobody can take it first and keep this from being deleted.
  await db
    .updateTable("organizations")
    .set({ deleted_at: nowMs, owner_id: null, slug: `~deleted-${id}`, updated_at: nowMs })
    .where("id", "=", id)
    .execute();
  await db
    .updateTable("products")
    .set({ deleted_at: nowMs, updated_at: nowMs })
    .where("organization_id", "=", id)
    .where("deleted_at", "is", null)
    .execute();
  await db
    .updateTable("products")
    .set({ custom_response: null, custom_response_enabled: 0 })
    .where("organization_id", "=", id)
    .execute();
  for (const table of ["members", "invitations", "roles", "access_tokens"] as const) {
    await db.deleteFrom(table).where("organization_id", "=", id).execute();
  }
  return before;
}

/** Removes some of what is left of it; returns whether anything was. Several nodes take turns. */
export async function removeSome(db: Database, organizationId: string, atMost: number): Promise<boolean> {
  await lockedOrganization(db, organizationId);
  const licenses = await db
    .selectFrom("licenses")
    .select("id")
    .where("organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  if (licenses.length > 0) {
    const ids = licenses.map((license) => license.id);
    await db.deleteFrom("license_ips").where("license_id", "in", ids).execute();
    await db.deleteFrom("license_tags").where("license_id", "in", ids).execute();
    await db.deleteFrom("licenses").where("id", "in", ids).execute();
    return true;
  }
  const blocks = await db
    .selectFrom("ip_blocks")
    .select("id")
    .where("organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  if (blocks.length > 0) {
    const ids = blocks.map((block) => block.id);
    await db.deleteFrom("ip_blocks").where("id", "in", ids).execute();
    return true;
  }
  const customers = await db
    .selectFrom("organization_customers")
    .select("customer_id")
    .where("organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  if (customers.length > 0) {
    const ids = customers.map((customer) => customer.customer_id);
    await db
      .deleteFrom("organization_customers")
      .where("organization_id", "=", organizationId)
      .where("customer_id", "in", ids)
      .execute();
    return true;
  }
  return false;
}

/** Nothing is left but its row, the rows of its products and their keys, and the audit log. */
export async function finishRemoval(db: Database, organizationId: string): Promise<void> {
  for (const table of ["import_pieces", "import_undo"] as const) {
    await db
      .deleteFrom(table)
      .where("import_id", "in", (imports) =>
        imports.selectFrom("imports").select("id").where("organization_id", "=", organizationId),
      )
      .execute();
  }
  await db.deleteFrom("imports").where("organization_id", "=", organizationId).execute();
  await db
    .deleteFrom("product_versions")
    .where("product_id", "in", (products) =>
      products.selectFrom("products").select("id").where("organization_id", "=", organizationId),
    )
    .execute();
  await db
    .updateTable("organizations")
    .set((row) => ({
      delete_after: null,
      customer_block_count: 0,
      ip_blocks_revision: row("ip_blocks_revision", "+", 1),
    }))
    .where("id", "=", organizationId)
    .execute();
}
