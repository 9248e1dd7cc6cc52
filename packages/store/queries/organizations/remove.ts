import type { Database } from "../../store.ts";
import type { OrganizationRow } from "../../tables/organizations.ts";
import { lockedOrganization } from "./organizations.ts";

/** Those whose grace period is over and that still have data, whichever node started to remove them. */
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
 * The moment of deletion: it has no members, its products are deleted, its slug is free. Returns the previous row, or
 * nothing if its deletion was cancelled in the meantime, or another node was faster.
 */
export async function closeOrganization(
  db: Database,
  id: string,
  nowMs: number,
): Promise<OrganizationRow | undefined> {
  const before = await lockedOrganization(db, id);
  const isDue = (before?.delete_after ?? Number.POSITIVE_INFINITY) <= nowMs && before?.deleted_at === null;
  if (!isDue) return undefined;
  // Contains a character that no slug can contain, so that no other organization can take it and prevent the
  // deletion.
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
  await db
    .deleteFrom("product_sandbox_keys")
    .where("product_id", "in", (products) =>
      products.selectFrom("products").select("id").where("organization_id", "=", id),
    )
    .execute();
  await db
    .deleteFrom("idempotency_keys")
    .where("actor_id", "in", (tokens) =>
      tokens.selectFrom("access_tokens").select("id").where("organization_id", "=", id),
    )
    .execute();
  for (const table of [
    "members",
    "invitations",
    "roles",
    "access_tokens",
    "organization_branding",
    "impersonations",
  ] as const) {
    await db.deleteFrom(table).where("organization_id", "=", id).execute();
  }
  await closeBilling(db, id, nowMs);
  return before;
}

/** The row of a customer of Stripe stays until their subscriptions were cancelled there, which is due now. */
async function closeBilling(db: Database, id: string, nowMs: number): Promise<void> {
  await db
    .deleteFrom("organization_billing")
    .where("organization_id", "=", id)
    .where("stripe_customer_id", "is", null)
    .execute();
  await db
    .updateTable("organization_billing")
    .set({
      plan_note: null,
      subscription_id: null,
      subscription_status: null,
      subscription_plan: null,
      subscription_interval: null,
      subscription_amount: null,
      subscription_currency: null,
      period_ends_at: null,
      cancels_at: null,
      trial_ends_at: null,
      due_at: null,
      sync_due_at: nowMs,
      updated_at: nowMs,
    })
    .where("organization_id", "=", id)
    .execute();
}

export interface AuditPosition {
  readonly at: number;
  readonly id: string;
}

/**
 * Who did what and when stays recorded; what it was about is removed: names, and the values before and after, which
 * contain customer data. The organization's own entries, such as its deletion, stay complete. Returns where to
 * continue.
 */
export async function emptyAuditEntries(
  db: Database,
  organizationId: string,
  after: AuditPosition | null,
  atMost: number,
): Promise<AuditPosition | null> {
  let query = db.selectFrom("audit_log").select(["id", "at"]).where("organization_id", "=", organizationId);
  if (after !== null) {
    query = query
      .where("at", ">=", after.at)
      .where((is) => is.or([is("at", ">", after.at), is("id", ">", after.id)]));
  }
  const entries = await query.orderBy("at").orderBy("id").limit(atMost).execute();
  const last = entries.at(-1);
  if (last === undefined) return null;
  await db
    .updateTable("audit_log")
    .set({ subject_name: null, before: null, after: null })
    .where(
      "id",
      "in",
      entries.map((entry) => entry.id),
    )
    .where("subject_kind", "!=", "organization")
    .where((is) =>
      is.or([is("subject_name", "is not", null), is("before", "is not", null), is("after", "is not", null)]),
    )
    .execute();
  return last;
}

/** Nothing is left but its row, the rows of its products and their keys, and who did what in the audit log. */
export async function finishRemoval(db: Database, organizationId: string): Promise<void> {
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
