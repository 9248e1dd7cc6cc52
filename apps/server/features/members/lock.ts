import type { Permission } from "@countersign/domain/members/permissions";
import { memberPermissions } from "@countersign/store/queries/members/members";
import { lockedOrganization } from "@countersign/store/queries/organizations/organizations";
import type { Database } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { permissionSet } from "../../api/access.ts";
import { accessOf, type OrganizationAccess } from "../../api/actor.ts";
import type { OrganizationContext } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";

export interface LockedOrganization {
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
