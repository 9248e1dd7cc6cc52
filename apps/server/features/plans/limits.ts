import type { limitNames } from "@countersign/contract/manage/billing";
import { effectivePlan } from "@countersign/domain/quota/limit";
import { everyLicenseOf } from "@countersign/store/queries/licenses/filter";
import { storedCount } from "@countersign/store/queries/licenses/stored-counts";
import { planById } from "@countersign/store/queries/plans/plans";
import { countMembers, countProducts } from "@countersign/store/queries/plans/used";
import { countEndpoints } from "@countersign/store/queries/webhooks/endpoints";
import type { Database } from "@countersign/store/store";
import type { PlanRow } from "@countersign/store/tables/billing";
import type { OrganizationRow } from "@countersign/store/tables/organizations";

export type LimitName = (typeof limitNames)[number];

interface LimitUse {
  readonly name: LimitName;
  readonly used: number;
  /** Null for no limit. */
  readonly limit: number | null;
}

const columns = {
  products: ["max_products_override", "max_products"],
  licenses: ["max_licenses_override", "max_licenses"],
  members: ["max_members_override", "max_members"],
  webhooks: ["max_webhooks_override", "max_webhooks"],
} as const satisfies Record<LimitName, readonly [keyof OrganizationRow, keyof PlanRow]>;

/** The plan whose limits apply: Free after a subscription was cancelled. */
export async function planOf(
  db: Database,
  organization: Pick<OrganizationRow, "plan" | "billing_state">,
): Promise<PlanRow> {
  return planById(db, effectivePlan(organization.plan, organization.billing_state));
}

/** What the operator set for the organization, otherwise its plan's limit. Null for no limit. */
export function limitIn(
  plan: Pick<PlanRow, (typeof columns)[LimitName][1]>,
  organization: Pick<OrganizationRow, (typeof columns)[LimitName][0]>,
  name: LimitName,
): number | null {
  const [override, ofPlan] = columns[name];
  return organization[override] ?? plan[ofPlan];
}

/** What an organization has, and how much of it its plan allows. Invitations are not members yet. */
export async function limitsInUse(db: Database, organization: OrganizationRow): Promise<LimitUse[]> {
  const plan = await planOf(db, organization);
  const inUse: LimitUse[] = [];
  for (const name of Object.keys(columns) as LimitName[]) {
    const limit = limitIn(plan, organization, name);
    inUse.push({ name, used: await countUsed(db, organization, name), limit });
  }
  return inUse;
}

/** Exact, even in a transaction that has added some itself. */
export async function countUsed(
  db: Database,
  { id, owner_id: ownerId }: OrganizationRow,
  name: LimitName,
): Promise<number> {
  switch (name) {
    case "products":
      return countProducts(db, id);
    case "licenses":
      return storedCount(db, everyLicenseOf(id), 0);
    case "members":
      return (ownerId === null ? 0 : 1) + (await countMembers(db, id));
    case "webhooks":
      return countEndpoints(db, id);
  }
}
