import { missingPermissions, type Permission } from "@countersign/domain/members/permissions";
import { useOrganization } from "./current-organization.ts";

/** The permissions of the signed-in user in the current organization. */
export function usePermissions(): ReadonlySet<Permission> {
  return new Set(useOrganization().permissions);
}

/** Users cannot grant or remove a role that has permissions they lack. */
export function hasAllPermissionsOf(
  held: ReadonlySet<Permission>,
  role: { permissions: readonly Permission[] },
): boolean {
  return missingPermissions(held, role.permissions).length === 0;
}
