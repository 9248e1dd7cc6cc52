import type { Answer } from "../api/client.ts";
import { ask, queryClient } from "../api/queries.ts";
import { mayOpen } from "../session/may-open.ts";
import { paths } from "../session/paths.ts";
import type { PageLink } from "../ui/page-link.ts";

/** The billing page of the organization in the URL; null if there is none or the user cannot open it. */
export function organizationBillingPath(): PageLink | null {
  const slug = /^\/o\/([^/]+)/.exec(window.location.pathname)?.[1];
  const { queryKey } = ask("listOrganizations", { query: { limit: 200 } });
  const mine = queryClient.getQueryData<Answer<"listOrganizations">>(queryKey);
  const organization = mine?.data.find((one) => one.slug === slug);
  if (organization === undefined || !mayOpen(organization, "settings/billing")) return null;
  return paths.billing(organization.slug);
}
