import type { Permission } from "@countersign/domain/members/permissions";
import { startingRoleLike } from "@countersign/domain/members/starting-roles";
import type { TFunction } from "i18next";
import { permissionGroups, permissionsOf } from "../../ui/permission-groups.ts";

/** A one-line summary of a role's current permissions. */
export function roleSummary(t: TFunction, allowed: readonly Permission[]): string {
  const like = startingRoleLike(allowed);
  if (like !== null) return t(`members:roles.${like}`);
  const groups = permissionGroups.filter((group) =>
    permissionsOf(group).some((permission) => allowed.includes(permission)),
  );
  if (groups.length === 0) return t("members:roles.nothing");
  return t("members:roles.some", {
    count: allowed.length,
    groups: groups.map((group) => t(`permissions:groups.${group}`)).join(", "),
  });
}
