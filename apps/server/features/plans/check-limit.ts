import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import { organizationLimits } from "@countersign/store/queries/plans/organizations";
import { countPendingInvitations } from "@countersign/store/queries/plans/used";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { Problem } from "../../http/problem.ts";
import { countUsed, type LimitName, limitIn, planOf } from "./limits.ts";

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
