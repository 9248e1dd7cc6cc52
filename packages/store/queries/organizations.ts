import type { Plan } from "@countersign/domain/quota/limit";
import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

export interface NewOrganization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly plan: Plan;
  readonly dailyLimitOverride?: number | null;
}

export async function createOrganization(db: Kysely<Tables>, organization: NewOrganization, nowMs: number) {
  await db
    .insertInto("organizations")
    .values({
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
    })
    .execute();
}

export async function organizationBySlug(db: Kysely<Tables>, slug: string) {
  return db.selectFrom("organizations").selectAll().where("slug", "=", slug).executeTakeFirst();
}
