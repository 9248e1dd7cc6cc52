import type { Plan } from "@countersign/domain/quota/limit";
import type { BillingState } from "@countersign/domain/validate/facts";
import type { Kysely } from "kysely";
import type { OrganizationRow, Tables } from "../tables.ts";

export interface NewOrganization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly plan: Plan;
  readonly dailyLimitOverride?: number | null;
}

export async function createOrganization(db: Kysely<Tables>, organization: NewOrganization, nowMs: number) {
  await db.insertInto("organizations").values(organizationRow(organization, nowMs)).execute();
}

/** Creates it only if no other organization has its slug, and returns whether that was so. */
export async function createOrganizationIfSlugIsFree(
  db: Kysely<Tables>,
  organization: NewOrganization,
  nowMs: number,
): Promise<boolean> {
  const inserted = await db
    .insertInto("organizations")
    .values(organizationRow(organization, nowMs))
    .onConflict((conflict) => conflict.column("slug").doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

function organizationRow(organization: NewOrganization, nowMs: number): OrganizationRow {
  return {
    id: organization.id,
    name: organization.name,
    slug: organization.slug,
    plan: organization.plan,
    daily_limit_override: organization.dailyLimitOverride ?? null,
    signed_validation: 1,
    suspended_at: null,
    suspension_reason: null,
    billing_state: "active",
    ip_blocks_revision: 0,
    customer_block_count: 0,
    created_at: nowMs,
    updated_at: nowMs,
  };
}

export async function organizationBySlug(db: Kysely<Tables>, slug: string) {
  return db.selectFrom("organizations").selectAll().where("slug", "=", slug).executeTakeFirst();
}

export async function suspendOrganization(db: Kysely<Tables>, id: string, reason: string, nowMs: number) {
  await db
    .updateTable("organizations")
    .set({ suspended_at: nowMs, suspension_reason: reason, updated_at: nowMs })
    .where("id", "=", id)
    .execute();
}

export async function setBillingState(db: Kysely<Tables>, id: string, state: BillingState, nowMs: number) {
  await db
    .updateTable("organizations")
    .set({ billing_state: state, updated_at: nowMs })
    .where("id", "=", id)
    .execute();
}
