import type { Permission } from "@countersign/domain/members/permissions";
import { places } from "./shell/navigation.ts";

/** What an organization says about whoever is signed in. */
export interface Allowed {
  readonly is_owner: boolean;
  readonly permissions: readonly Permission[];
}

/** Pages that need something else than the list they stand below. */
const further: Readonly<Record<string, readonly Permission[]>> = {
  "licenses/new": ["licenses:create"],
  "licenses/import": ["licenses:import"],
  "products/new": ["products:manage"],
  "roles/new": ["roles:edit"],
  "webhooks/new": ["webhooks:manage"],
  "ip-blocks": ["licenses:view", "ip_blocks:manage"],
};

const needed: ReadonlyMap<string, readonly Permission[]> = new Map([
  ...places.flat().map(({ path, any }) => [path, any] as const),
  ...Object.entries(further),
]);

/** Whether a page of the organization, by its path below it, is one that whoever is signed in can use. */
export function mayOpen(organization: Allowed, path: string): boolean {
  const [first = "", second = ""] = path.split("/").filter((part) => part !== "");
  const any = needed.get(`${first}/${second}`) ?? needed.get(first) ?? [];
  return any.length === 0 || isAllowed(organization, any);
}

/** Whether any of these is allowed there. */
export function isAllowed({ is_owner: isOwner, permissions }: Allowed, any: readonly Permission[]): boolean {
  return isOwner || any.some((permission) => permissions.includes(permission));
}

/** The same for doing something: in a suspended organization one can still look, and take what is there away. */
export function mayDo(organization: Allowed & Suspended, any: readonly Permission[]): boolean {
  if (organization.suspended_at === null) return isAllowed(organization, any);
  const onlyLooks = any.filter((permission) => /:(view|export)$/.test(permission));
  return onlyLooks.length > 0 && isAllowed(organization, onlyLooks);
}

interface Suspended {
  readonly suspended_at: string | null;
}
