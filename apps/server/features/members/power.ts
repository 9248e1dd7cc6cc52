import { checkPowerChange } from "@countersign/domain/members/permissions";
import { roleOf } from "@countersign/store/queries/roles/roles";
import type { Database } from "@countersign/store/store";
import type { RoleRow } from "@countersign/store/tables/organizations";
import { permissionSet } from "../../api/access.ts";
import { invalid, Problem } from "../../http/problem.ts";
import type { LockedOrganization } from "./lock.ts";

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
