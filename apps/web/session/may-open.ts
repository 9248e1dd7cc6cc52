import type { Permission } from "@countersign/domain/members/permissions";
import { navigationItems } from "./navigation.ts";

/** The signed-in user's access to an organization. */
interface Allowed {
  readonly is_owner: boolean;
  readonly permissions: readonly Permission[];
}

/** Pages that require other permissions than the list they belong to. */
const further: Readonly<Record<string, readonly Permission[]>> = {
  "licenses/new": ["licenses:create"],
  "licenses/import": ["licenses:import"],
  "products/new": ["products:manage"],
  "roles/new": ["roles:edit"],
  "webhooks/new": ["webhooks:manage"],
  "settings/portal": [],
  "ip-blocks": ["licenses:view", "ip_blocks:manage"],
};

const needed: ReadonlyMap<string, readonly Permission[]> = new Map([
  ...navigationItems.flat().map(({ path, any }) => [path, any] as const),
  ...Object.entries(further),
]);

/** Whether the signed-in user can use a page of the organization, by its path. */
export function mayOpen(organization: Allowed, path: string): boolean {
  const [first = "", second = ""] = path.split("/").filter((part) => part !== "");
  const any = needed.get(`${first}/${second}`) ?? needed.get(first) ?? [];
  return any.length === 0 || isAllowed(organization, any);
}

/** Whether the user has any of these permissions. */
export function isAllowed({ is_owner: isOwner, permissions }: Allowed, any: readonly Permission[]): boolean {
  return isOwner || any.some((permission) => permissions.includes(permission));
}

/** The same for changes: a suspended organization can only be viewed and exported, and paid for if a payment is overdue. */
export function mayDo(organization: Allowed & Suspended, any: readonly Permission[]): boolean {
  const isUnpaid = organization.billing_state === "suspended";
  if (organization.suspended_at === null && !isUnpaid) return isAllowed(organization, any);
  const left = any.filter(
    (permission) =>
      /:(view|export)$/.test(permission) ||
      (permission === "billing:manage" && organization.suspended_at === null),
  );
  return left.length > 0 && isAllowed(organization, left);
}

/** Whether the server refuses every change of the organization, also those that members need no permission for. */
export function isReadOnly(
  organization: Suspended & { readonly impersonated_until: string | null },
): boolean {
  const { suspended_at, billing_state, impersonated_until } = organization;
  return suspended_at !== null || billing_state === "suspended" || impersonated_until !== null;
}

interface Suspended {
  readonly suspended_at: string | null;
  readonly billing_state: "active" | "grace" | "suspended" | "cancelled";
}
