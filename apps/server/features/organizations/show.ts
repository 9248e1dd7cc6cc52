import type { ownOrganization } from "@countersign/contract/manage/organizations";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { sortedPermissions } from "@countersign/domain/members/permissions";
import { effectivePlan } from "@countersign/domain/quota/limit";
import type { PlanRow } from "@countersign/store/tables/billing";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import type { z } from "zod";
import type { OrganizationAccess } from "../../api/actor.ts";

/** `plans` are all plans: see `allPlans`. */
export function showOrganization(row: OrganizationRow, plans: readonly PlanRow[]) {
  const plan = plans.find(({ id }) => id === effectivePlan(row.plan, row.billing_state));
  if (plan === undefined) throw new Error(`The plan ${row.plan} is missing.`);
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    plan: row.plan,
    daily_limit_override: row.daily_limit_override,
    daily_limit: row.daily_limit_override ?? plan.daily_limit,
    signed_validation: row.signed_validation === 1,
    billing_state: row.billing_state,
    suspended_at: isoTime(row.suspended_at),
    suspension_reason: row.suspension_reason,
    delete_after: isoTime(row.delete_after),
    owner_id: row.owner_id,
    locale: row.locale,
    time_zone: row.time_zone,
    daily_emails_override: row.daily_emails_override,
    grace_ends_at: isoTime(row.grace_ends_at),
    plan_ends_at: isoTime(row.plan_ends_at),
    had_version_module: row.had_version_module === 1,
    version_checks_on_downgrade: row.version_checks_on_downgrade,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

export function showOwnOrganization(
  row: OrganizationRow,
  organizationAccess: OrganizationAccess,
  plans: readonly PlanRow[],
): z.input<typeof ownOrganization> {
  return {
    ...showOrganization(row, plans),
    is_owner: organizationAccess.isOwner,
    permissions: sortedPermissions(organizationAccess.permissions),
    impersonated_until: isoTime(organizationAccess.impersonatedUntilMs ?? null),
  };
}
