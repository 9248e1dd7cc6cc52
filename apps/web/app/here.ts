import type { Permission } from "@countersign/domain/members/permissions";
import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Item } from "../api/client.ts";
import { ask } from "../api/queries.ts";
import { lastOrganization } from "./last-organization.ts";
import { isAllowed, mayDo } from "./may-open.ts";

export type Organization = Item<"listOrganizations">;

/** Who is signed in. */
export function useMe() {
  return useSuspenseQuery(ask("getMe")).data;
}

export function useOrganizations(): readonly Organization[] {
  return useSuspenseQuery(ask("listOrganizations", { query: { limit: 200 } })).data.data;
}

/** The organization that the address names, or null where it names none that one can see. */
export function useOrganizationOrNull(): Organization | null {
  const { organization: slug } = useParams({ strict: false });
  const organizations = useOrganizations();
  return organizations.find((organization) => organization.slug === slug) ?? null;
}

/** Where no organization is named, as on the pages of one's account: the one where one was last. */
export function useNearOrganization(): Organization | null {
  const here = useOrganizationOrNull();
  const organizations = useOrganizations();
  const last = organizations.find(({ slug }) => slug === lastOrganization());
  return here ?? last ?? (organizations.length === 1 ? (organizations[0] ?? null) : null);
}

/** For pages below an organization, which are only shown when it is there. */
export function useOrganization(): Organization {
  const organization = useOrganizationOrNull();
  if (organization === null) throw new Error("This page belongs to an organization.");
  return organization;
}

/** Whether they may look at what belongs to this, which they still may where nothing can be changed. */
export function useMaySee(): (...any: readonly Permission[]) => boolean {
  const organization = useOrganizationOrNull();
  return (...any) => organization !== null && isAllowed(organization, any);
}

/** Whether whoever is signed in may do this here. What they may not do is not offered; the server refuses it anyway. */
export function useMay(): (...any: readonly Permission[]) => boolean {
  const organization = useOrganizationOrNull();
  return (...any) => organization !== null && mayDo(organization, any);
}
