import { missingPermissions, type Permission } from "@countersign/domain/members/permissions";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Answer, Item } from "../api/client.ts";
import { ask, queryClient } from "../api/queries.ts";
import { isAllowed, mayDo } from "./navigation.ts";

export type Organization = Item<"listOrganizations">;

/** The signed-in user. */
export function useMe() {
  return useSuspenseQuery(ask("getMe")).data;
}

export function useOrganizations(): readonly Organization[] {
  return useSuspenseQuery(ask("listOrganizations", { query: { limit: 200 } })).data.data;
}

/** The organization in the URL; null if there is none or the user cannot see it. */
export function useOrganizationOrNull(): Organization | null {
  const { organization: slug } = useParams({ strict: false });
  const organizations = useOrganizations();
  return organizations.find((organization) => organization.slug === slug) ?? null;
}

/** On pages without an organization, such as the account: the one that was last visited. */
export function useCurrentOrLastOrganization(): Organization | null {
  const open = useOrganizationOrNull();
  const organizations = useOrganizations();
  const last = organizations.find(({ slug }) => slug === lastOrganization());
  return open ?? last ?? (organizations.length === 1 ? (organizations[0] ?? null) : null);
}

/** For pages of an organization, which are only shown if it exists. */
export function useOrganization(): Organization {
  const organization = useOrganizationOrNull();
  if (organization === null) throw new Error("This page belongs to an organization.");
  return organization;
}

/** Whether the user can view this. Also true where nothing can be changed. */
export function useMaySee(): (...any: readonly Permission[]) => boolean {
  const organization = useOrganizationOrNull();
  return (...any) => organization !== null && isAllowed(organization, any);
}

/** Whether the signed-in user can do this here. Other actions are hidden; the server refuses them anyway. */
export function useMay(): (...any: readonly Permission[]) => boolean {
  const organization = useOrganizationOrNull();
  return (...any) => organization !== null && mayDo(organization, any);
}

/** The organization in the URL, for what is not in a component; null if there is none. */
export function organizationInUrl(): Organization | null {
  const slug = /^\/o\/([^/]+)/.exec(window.location.pathname)?.[1];
  const { queryKey } = ask("listOrganizations", { query: { limit: 200 } });
  const listed = queryClient.getQueryData<Answer<"listOrganizations">>(queryKey);
  return listed?.data.find((organization) => organization.slug === slug) ?? null;
}

const kept = "countersign.organization";

/** The last visited organization is opened first. */
export function saveLastOrganization(slug: string): void {
  localStorage.setItem(kept, slug);
}

export function lastOrganization(): string | null {
  return localStorage.getItem(kept);
}

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
