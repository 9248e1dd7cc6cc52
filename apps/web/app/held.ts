import { notHeld, type Permission } from "@countersign/domain/members/permissions";
import { useOrganization } from "./here.ts";

/** What whoever is signed in may do here, as a set. */
export function useHeld(): ReadonlySet<Permission> {
  return new Set(useOrganization().permissions);
}

/** Nobody gives or takes a role that allows more than they may do themselves. */
export function isWithin(
  held: ReadonlySet<Permission>,
  role: { permissions: readonly Permission[] },
): boolean {
  return notHeld(held, role.permissions).length === 0;
}
