import type { Plan } from "@countersign/domain/quota/limit";
import type { Database } from "../../store.ts";
import type { OrganizationBillingRow, StripeEventRow, StripePriceRow } from "../../tables/billing.ts";
import type { OrganizationRow } from "../../tables/organizations.ts";

export type PriceTerms = Omit<StripePriceRow, "price_id">;

export async function storedPrice(db: Database, terms: PriceTerms): Promise<string | undefined> {
  const row = await db
    .selectFrom("stripe_prices")
    .select("price_id")
    .where("mode", "=", terms.mode)
    .where("plan", "=", terms.plan)
    .where("interval_unit", "=", terms.interval_unit)
    .where("currency", "=", terms.currency)
    .where("amount", "=", terms.amount)
    .executeTakeFirst();
  return row?.price_id;
}

export async function storePrice(db: Database, row: StripePriceRow): Promise<void> {
  await db
    .insertInto("stripe_prices")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["mode", "plan", "interval_unit", "currency", "amount"])
        .doUpdateSet({ price_id: row.price_id }),
    )
    .execute();
}

/** The plans of those prices that were created here. */
export async function plansOfPrices(
  db: Database,
  priceIds: readonly string[],
): Promise<ReadonlyMap<string, Plan>> {
  if (priceIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("stripe_prices")
    .select(["price_id", "plan"])
    .where("price_id", "in", priceIds)
    .execute();
  return new Map(rows.map((row) => [row.price_id, row.plan]));
}

export async function wasProcessed(db: Database, eventId: string): Promise<boolean> {
  const row = await db.selectFrom("stripe_events").select("id").where("id", "=", eventId).executeTakeFirst();
  return row !== undefined;
}

/** An event that arrives several times at once is recorded once. */
export async function recordStripeEvent(db: Database, row: StripeEventRow): Promise<void> {
  await db
    .insertInto("stripe_events")
    .values(row)
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
}

/** A customer has one organization. In Stripe's test server all customers can have the same ID. */
const maxOfCustomer = 20;

export async function organizationsOfCustomer(
  db: Database,
  customerId: string,
): Promise<Pick<OrganizationRow, "id" | "deleted_at">[]> {
  return db
    .selectFrom("organization_billing")
    .innerJoin("organizations", "organizations.id", "organization_billing.organization_id")
    .select(["organizations.id", "organizations.deleted_at"])
    .where("organization_billing.stripe_customer_id", "=", customerId)
    .orderBy("organizations.id")
    .limit(maxOfCustomer)
    .execute();
}

/** The number of a fetch that is about to start, and for which customer. Undefined without a customer. */
export async function takeSyncTicket(
  db: Database,
  organizationId: string,
): Promise<{ readonly ticket: number; readonly customerId: string } | undefined> {
  const row = await db
    .updateTable("organization_billing")
    .set((column) => ({ sync_started: column("sync_started", "+", 1) }))
    .where("organization_id", "=", organizationId)
    .where("stripe_customer_id", "is not", null)
    .returning(["sync_started", "stripe_customer_id"])
    .executeTakeFirst();
  if (row === undefined || row.stripe_customer_id === null) return undefined;
  return { ticket: row.sync_started, customerId: row.stripe_customer_id };
}

/** Those to compare with Stripe, the longest overdue first. */
export async function dueSyncs(db: Database, nowMs: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("organization_billing")
    .select("organization_id")
    .where("sync_due_at", "<=", nowMs)
    .orderBy("sync_due_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.organization_id);
}

/** Postpones a comparison that is due, and returns its row. Undefined if another node was faster. */
export async function claimSync(
  db: Database,
  organizationId: string,
  nowMs: number,
  nextMs: number,
): Promise<OrganizationBillingRow | undefined> {
  return db
    .updateTable("organization_billing")
    .set({ sync_due_at: nextMs })
    .where("organization_id", "=", organizationId)
    .where("sync_due_at", "<=", nowMs)
    .returningAll()
    .executeTakeFirst();
}

/** After the subscriptions of a deleted organization were cancelled. */
export async function removeBillingOfDeleted(
  db: Database,
  organizationId: string,
  customerId: string,
): Promise<void> {
  await db
    .deleteFrom("organization_billing")
    .where("organization_id", "=", organizationId)
    .where("stripe_customer_id", "=", customerId)
    .execute();
}
