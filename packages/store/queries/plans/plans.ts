import { type Plan, plans } from "@countersign/domain/quota/limit";
import { sql } from "kysely";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { PlanRow } from "../../tables/billing.ts";
import { unindexed } from "../conditions.ts";

/** The smallest first. */
export async function allPlans(db: Database): Promise<PlanRow[]> {
  const rows = await db.selectFrom("plans").selectAll().execute();
  return rows.sort((one, other) => plans.indexOf(one.id) - plans.indexOf(other.id));
}

const readPlan = prepared((db, id: Plan) => db.selectFrom("plans").selectAll().where("id", "=", id)).first;

/** The migrations create every plan, and none can be deleted. */
export async function planById(db: Database, id: Plan): Promise<PlanRow> {
  const row = await readPlan(db, id);
  if (row === undefined) throw new Error(`The plan ${id} is missing from the database.`);
  return row;
}

/** The current row, locked until the transaction ends. */
export async function lockedPlan(db: Database, id: Plan): Promise<PlanRow> {
  return db
    .updateTable("plans")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updatePlan(
  db: Database,
  id: Plan,
  changes: Partial<Omit<PlanRow, "id">>,
): Promise<void> {
  await db.updateTable("plans").set(changes).where("id", "=", id).execute();
}

/** After a cancelled subscription, an organization is on Free: see `effectivePlan` in domain/quota. */
function organizationsOn(db: Database, plan: Plan) {
  return db
    .selectFrom("organizations")
    .select("id")
    .where((is) =>
      plan === "free"
        ? is.or([is(unindexed("plan"), "=", plan), is("billing_state", "=", "cancelled")])
        : is.and([is("plan", "=", plan), is("billing_state", "<>", "cancelled")]),
    )
    .where("deleted_at", "is", null)
    .orderBy("id");
}

/** The plan whose limits apply to the organization `o`: see `effectivePlan` in domain/quota. */
export const effectivePlanOfO = sql<Plan>`case when o.billing_state = 'cancelled' then 'free' else o.plan end`;

/** The limits of an organization: its own, and those of its plan. */
export const organizationLimits = prepared((db, id: string) =>
  db
    .selectFrom("organizations as o")
    .innerJoin("plans as plan", (join) => join.on("plan.id", "=", effectivePlanOfO))
    .select([
      "o.max_products_override",
      "o.max_licenses_override",
      "o.max_members_override",
      "o.max_webhooks_override",
      "plan.max_products",
      "plan.max_licenses",
      "plan.max_members",
      "plan.max_webhooks",
    ])
    .where("o.id", "=", id),
).first;

/** Organizations after `afterId` whose daily limit is that of the plan. */
export async function organizationsWithLimitOf(
  db: Database,
  plan: Plan,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const rows = await organizationsOn(db, plan)
    .where("daily_limit_override", "is", null)
    .where("id", ">", afterId)
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Notes for organizations of the plan that they have had the version module, and returns how many that were. Called
 * until none is left.
 */
export async function keepVersionModule(db: Database, plan: Plan, limit: number): Promise<number> {
  const organizations = organizationsOn(db, plan).where("had_version_module", "=", 0).limit(limit);
  const result = await db
    .updateTable("organizations")
    .set({ had_version_module: 1 })
    .where("id", "in", organizations)
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

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
