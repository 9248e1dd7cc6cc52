import type { ownOrganization } from "@countersign/contract/manage/organizations";
import { sortedPermissions } from "@countersign/domain/members/permissions";
import { dailyLimit } from "@countersign/domain/quota/limit";
import type { OrganizationRow } from "@countersign/store/tables";
import type { z } from "zod";
import type { OrganizationAccess } from "../../http/manage/actor.ts";
import { iso } from "../../http/manage/page.ts";

export function showOrganization(row: OrganizationRow) {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    plan: row.plan,
    daily_limit_override: row.daily_limit_override,
    daily_limit: dailyLimit({
      plan: row.plan,
      billing: row.billing_state,
      dailyLimitOverride: row.daily_limit_override,
    }),
    signed_validation: row.signed_validation === 1,
    billing_state: row.billing_state,
    suspended_at: iso(row.suspended_at),
    suspension_reason: row.suspension_reason,
    delete_after: iso(row.delete_after),
    owner_id: row.owner_id,
    locale: row.locale,
    time_zone: row.time_zone,
    daily_emails_override: row.daily_emails_override,
    grace_ends_at: iso(row.grace_ends_at),
    plan_ends_at: iso(row.plan_ends_at),
    had_version_module: row.had_version_module === 1,
    version_checks_on_downgrade: row.version_checks_on_downgrade,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}

export function showOwnOrganization(
  row: OrganizationRow,
  organizationAccess: OrganizationAccess,
): z.input<typeof ownOrganization> {
  return {
    ...showOrganization(row),
    is_owner: organizationAccess.isOwner,
    permissions: sortedPermissions(organizationAccess.permissions),
    impersonated_until: iso(organizationAccess.impersonatedUntilMs ?? null),
  };
}
