import type { Database } from "../../store.ts";
import type { OrganizationBillingRow } from "../../tables/billing.ts";
import type { OrganizationRow } from "../../tables/organizations.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";

/** Queries of the operator about the payments of many organizations. */

export async function billingsOf(
  db: Database,
  organizationIds: readonly string[],
): Promise<Map<string, OrganizationBillingRow>> {
  if (organizationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("organization_billing")
    .selectAll()
    .where("organization_id", "in", organizationIds)
    .execute();
  return new Map(rows.map((row) => [row.organization_id, row]));
}

/** The requests of one day that count towards the limits, by organization. */
export async function usageOfDay(
  db: Database,
  organizationIds: readonly string[],
  day: number,
): Promise<Map<string, number>> {
  if (organizationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("products")
    // SQLite joins in this order: it would otherwise read the day of all products.
    .crossJoin("daily_usage")
    .select((is) => ["products.organization_id", is.fn.sum<number>("daily_usage.used").as("used")])
    .where("products.organization_id", "in", organizationIds)
    .whereRef("daily_usage.product_id", "=", "products.id")
    .where("daily_usage.day", "=", day)
    .groupBy("products.organization_id")
    .execute();
  return new Map(rows.map((row) => [row.organization_id, Number(row.used)]));
}

/** What subscriptions bring in, by currency, interval and status. */
export async function subscriptionSums(db: Database) {
  const rows = await db
    .selectFrom("organization_billing")
    .innerJoin("organizations", "organizations.id", "organization_billing.organization_id")
    .select((is) => [
      "subscription_currency as currency",
      "subscription_interval as interval",
      "subscription_status as status",
      is.fn.sum<number>("subscription_amount").as("amount"),
      is.fn.countAll<number>().as("count"),
    ])
    .where("subscription_id", "is not", null)
    .where("organizations.deleted_at", "is", null)
    .groupBy(["subscription_currency", "subscription_interval", "subscription_status"])
    .execute();
  return rows.map((row) => ({ ...row, amount: Number(row.amount ?? 0), count: Number(row.count) }));
}

/** Organizations by plan and payment state, read in slices: no index has both. */
export async function countsByPlan(db: Database) {
  const counts = new Map<string, PlanCount>();
  for (let after = ""; ; await yieldToEventLoop()) {
    const rows = await db
      .selectFrom("organizations")
      .select(["id", "plan", "billing_state", "deleted_at"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(organizationsAtOnce)
      .execute();
    for (const { plan, billing_state, deleted_at } of rows) {
      if (deleted_at !== null) continue;
      const key = `${plan} ${billing_state}`;
      counts.set(key, { plan, billing_state, count: (counts.get(key)?.count ?? 0) + 1 });
    }
    if (rows.length < organizationsAtOnce) return [...counts.values()];
    after = rows.at(-1)?.id ?? after;
  }
}

const organizationsAtOnce = 2_000;

type PlanCount = Pick<OrganizationRow, "plan" | "billing_state"> & { readonly count: number };
