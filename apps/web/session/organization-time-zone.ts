import type { Answer } from "../api/client.ts";
import { ask, queryClient } from "../api/queries.ts";

/** The time zone of the organization in the URL; null if there is none. */
export function organizationTimeZone(): string | null {
  const slug = /^\/o\/([^/]+)/.exec(window.location.pathname)?.[1];
  if (slug === undefined) return null;
  const { queryKey } = ask("listOrganizations", { query: { limit: 200 } });
  const mine = queryClient.getQueryData<Answer<"listOrganizations">>(queryKey);
  return mine?.data.find((organization) => organization.slug === slug)?.time_zone ?? null;
}
