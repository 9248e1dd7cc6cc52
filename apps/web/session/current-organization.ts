import type { Permission } from "@countersign/domain/members/permissions";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Item } from "../api/client.ts";
import { ask } from "../api/queries.ts";
import { lastOrganization } from "./last-organization.ts";
import { isAllowed, mayDo } from "./may-open.ts";

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
  const here = useOrganizationOrNull();
  const organizations = useOrganizations();
  const last = organizations.find(({ slug }) => slug === lastOrganization());
  return here ?? last ?? (organizations.length === 1 ? (organizations[0] ?? null) : null);
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
