import { checkPowerChange, type Permission } from "@countersign/domain/members/permissions";
import { memberPermissions } from "@countersign/store/queries/members/members";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import { roleOf } from "@countersign/store/queries/roles/roles";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow, RoleRow } from "@countersign/store/tables/organizations";

import { permissionSet } from "../../api/access.ts";
import { accessOf, type OrganizationAccess } from "../../api/actor.ts";
import type { OrganizationContext } from "../../api/context.ts";
import { invalid, Problem } from "../../http/problem.ts";

interface LockedOrganization {
  readonly organization: OrganizationRow;
  readonly organizationAccess: OrganizationAccess;
}

/**
 * Locks the organization until the transaction ends, so that changes to its members, roles and invitations are
 * serialized, and checks the actor's permissions again: the previous change may have removed them.
 */
export async function lockOrganization(
  db: Database,
  context: OrganizationContext,
  may: Permission | null,
): Promise<LockedOrganization> {
  const { actor } = context;
  const organization = await lockedOrganization(db, context.organization.id);
  if (organization === undefined || organization.deleted_at !== null) throw new Problem("not_found");
  const role =
    actor.kind === "person" && organization.owner_id !== actor.userId
      ? await memberPermissions(db, organization.id, actor.userId)
      : null;
  const organizationAccess = accessOf(actor, organization, role === null ? null : permissionSet(role));
  if (organizationAccess === null) throw new Problem("not_found");
  if (may !== null && !organizationAccess.permissions.has(may)) throw missingPermission(may);
  return { organization, organizationAccess };
}

/** As the owner: someone else may have become the owner since the request was authorized. */
export async function lockAsOwner(db: Database, context: OrganizationContext): Promise<OrganizationRow> {
  const { organization, organizationAccess } = await lockOrganization(db, context, null);
  if (organizationAccess.isOwner) return organization;
  throw new Problem("owner_required");
}

export function missingPermission(permission: Permission): Problem {
  return new Problem("permission_missing", { permission });
}

interface Change {
  /** JSON arrays of permission codes, as stored; null if there is nothing. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Rejects a change that would grant or remove more than the actor has. */
export function checkPower({ organizationAccess }: LockedOrganization, change: Change): void {
  const result = checkPowerChange(organizationAccess.permissions, {
    from: change.from === null ? null : permissionSet(change.from),
    to: change.to === null ? null : permissionSet(change.to),
  });
  if (result.allowed) return;
  const permissions = result.missing;
  switch (result.because) {
    case "outranked":
      throw new Problem("outranked", { permissions });
    case "exceeds":
      throw new Problem("permissions_exceeded", { permissions });
  }
}

/** The role in a request body. Another organization's role is treated as one that does not exist. */
export async function roleNamed(db: Database, organizationId: string, roleId: string): Promise<RoleRow> {
  const role = await roleOf(db, organizationId, roleId);
  if (role === undefined) throw invalid("role_id", "not_a_role");
  return role;
}
