import type { seller } from "@countersign/contract/portal/shapes";
import { type BrandedOrganization, brandedOrganizations } from "@countersign/store/queries/branding/branding";
import type { Database } from "@countersign/store/store";
import { isSuspended } from "@countersign/store/tables/organizations";
import type { z } from "zod";
import { showAccent, showLinks, showLogoUrl } from "./show.ts";

export type Seller = z.input<typeof seller>;

/** Organizations as their customers see them, by their IDs. Deleted ones are left out. */
export async function showSellers(
  db: Database,
  organizationIds: readonly string[],
): Promise<Map<string, Seller>> {
  const rows = await brandedOrganizations(db, organizationIds);
  return new Map(rows.map((row) => [row.id, showSeller(row)]));
}

function showSeller(row: BrandedOrganization): Seller {
  return {
    organization_id: row.id,
    name: row.display_name ?? row.name,
    slug: row.slug,
    logo_url: showLogoUrl(row),
    ...showAccent(row.accent_color),
    support_email: row.support_email,
    support_url: row.support_url,
    links: showLinks(row.links),
    locale: row.locale ?? row.organization_locale,
    is_suspended: isSuspended(row),
  };
}
