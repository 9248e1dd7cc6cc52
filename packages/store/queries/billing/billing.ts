import type { Database } from "../../store.ts";
import type { OrganizationBillingRow } from "../../tables/billing.ts";
import type { OrganizationRow } from "../../tables/organizations.ts";
import { lockedOrganization } from "../organizations/organizations.ts";

/** Undefined for an organization that has never paid and whose plan was never changed. */
export async function billingOf(
  db: Database,
  organizationId: string,
): Promise<OrganizationBillingRow | undefined> {
  return db
    .selectFrom("organization_billing")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
}

export interface LockedBilling {
  readonly organization: OrganizationRow;
  readonly billing: OrganizationBillingRow;
}

/**
 * An organization and how it pays, locked until the transaction ends. The lock is that of the organization's row, so
 * whatever else changes its terms or checks its limits waits too.
 */
export async function lockedBilling(
  db: Database,
  organizationId: string,
): Promise<LockedBilling | undefined> {
  const organization = await lockedOrganization(db, organizationId);
  if (organization === undefined) return undefined;
  await db
    .insertInto("organization_billing")
    .values({ organization_id: organizationId, updated_at: organization.updated_at })
    .onConflict((conflict) => conflict.column("organization_id").doNothing())
    .execute();
  const billing = await billingOf(db, organizationId);
  if (billing === undefined) throw new Error("The row that was just created is missing.");
  return { organization, billing };
}

export async function updateBilling(
  db: Database,
  organizationId: string,
  changes: Partial<OrganizationBillingRow>,
): Promise<void> {
  await db
    .updateTable("organization_billing")
    .set(changes)
    .where("organization_id", "=", organizationId)
    .execute();
}

/** The organizations for which the billing clock has something to do, the longest overdue first. */
export async function dueBillings(db: Database, nowMs: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom("organization_billing")
    .select("organization_id")
    .where("due_at", "<=", nowMs)
    .orderBy("due_at")
    .limit(limit)
    .execute();
  return rows.map((row) => row.organization_id);
}

/** How many products of the organization check versions. */
export async function countVersionChecks(db: Database, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom("products")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("organization_id", "=", organizationId)
    .where("version_module_enabled", "=", 1)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(count);
}
