import type { limitNames } from "@countersign/contract/manage/billing";
import { effectivePlan } from "@countersign/domain/quota/limit";
import { everyLicenseOf } from "@countersign/store/queries/licenses/filter";
import { storedCount } from "@countersign/store/queries/licenses/stored-counts";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import {
  countMembers,
  countPendingInvitations,
  countProducts,
  organizationLimits,
  planById,
} from "@countersign/store/queries/plans/plans";
import { countEndpoints } from "@countersign/store/queries/webhooks/endpoints";
import type { Database } from "@countersign/store/store";
import type { PlanRow } from "@countersign/store/tables/billing";
import type { OrganizationRow } from "@countersign/store/tables/organizations";

import { Problem } from "../../http/problem.ts";

type LimitName = (typeof limitNames)[number];

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
function limitIn(
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
async function countUsed(
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

/** A limit, and how much of it an organization uses. */
export interface Limit {
  /** The name of the plan. */
  readonly plan: string;
  readonly limit: number;
  readonly used: number;
}

/**
 * Refuses to add to what an organization has if that would exceed its limit. Locks the organization until the
 * transaction ends, so that concurrent requests are counted one after the other; without a limit, nothing is locked.
 * Must be called before other rows are locked.
 */
export async function checkLimit(
  db: Database,
  organizationId: string,
  name: LimitName,
  adding = 1,
): Promise<void> {
  const limit = await lockedLimit(db, organizationId, name);
  if (limit !== null && limit.used + adding > limit.limit) throw limitReached(name, limit);
}

/** The same for an organization that the transaction has already locked. */
export async function checkLimitOfLocked(
  db: Database,
  organization: OrganizationRow,
  name: LimitName,
): Promise<void> {
  const limit = await currentLimit(db, organization, name);
  if (limit !== null && limit.used + 1 > limit.limit) throw limitReached(name, limit);
}

/** Invitations count as members: otherwise more could be sent than can be accepted. */
export async function checkInvitationLimit(
  db: Database,
  organization: OrganizationRow,
  nowMs: number,
): Promise<void> {
  const limit = await currentLimit(db, organization, "members");
  if (limit === null) return;
  const used = limit.used + (await countPendingInvitations(db, organization.id, nowMs));
  if (used + 1 > limit.limit) throw limitReached("members", { ...limit, used });
}

/** Null without a limit. Otherwise the organization is locked until the transaction ends. */
export async function lockedLimit(
  db: Database,
  organizationId: string,
  name: LimitName,
): Promise<Limit | null> {
  const row = await organizationLimits(db, organizationId);
  if (row === undefined || limitIn(row, row, name) === null) return null;
  const locked = await lockedOrganization(db, organizationId);
  return locked === undefined ? null : currentLimit(db, locked, name);
}

/** Null without a limit. Exact until the transaction ends if it has locked the organization. */
export async function currentLimit(
  db: Database,
  organization: OrganizationRow,
  name: LimitName,
): Promise<Limit | null> {
  const plan = await planOf(db, organization);
  const limit = limitIn(plan, organization, name);
  if (limit === null) return null;
  return { plan: plan.name, limit, used: await countUsed(db, organization, name) };
}

export function limitReached(name: LimitName, { plan, limit, used }: Limit): Problem {
  const params = { plan, limit, used };
  switch (name) {
    case "products":
      return new Problem("product_limit_reached", params);
    case "licenses":
      return new Problem("license_limit_reached", params);
    case "members":
      return new Problem("member_limit_reached", params);
    case "webhooks":
      return new Problem("webhook_plan_limit_reached", params);
  }
}

/**
 * Refuses to turn on version checks that the plan does not include but that would work, because the organization had
 * them on an earlier plan. Without an earlier plan they can be prepared: nothing is checked until the plan includes
 * them.
 */
export async function checkVersionModule(db: Database, organization: OrganizationRow): Promise<void> {
  if (organization.had_version_module === 0) return;
  const plan = await planOf(db, organization);
  if (plan.version_module === 0) throw new Problem("version_module_not_in_plan", { plan: plan.name });
}
