import type { Database } from "../../store.ts";

/** What an organization has of the things that a plan limits, counted exactly. */

export async function countProducts(db: Database, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom("products")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("organization_id", "=", organizationId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Without the owner, who has no role. */
export async function countMembers(db: Database, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom("members")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Invitations that can still be accepted. */
export async function countPendingInvitations(
  db: Database,
  organizationId: string,
  nowMs: number,
): Promise<number> {
  const { count } = await db
    .selectFrom("invitations")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("organization_id", "=", organizationId)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", nowMs)
    .executeTakeFirstOrThrow();
  return Number(count);
}
