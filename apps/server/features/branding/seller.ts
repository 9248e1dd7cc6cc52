import type { seller } from "@countersign/contract/portal/shapes";
import type { Database } from "@countersign/store/store";
import type { z } from "zod";

export type Seller = z.input<typeof seller>;

/** Organizations as their customers see them, by their IDs. Deleted ones are left out. */
export async function showSellers(
  db: Database,
  organizationIds: readonly string[],
): Promise<Map<string, Seller>> {
  if (organizationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("organizations as o")
    .leftJoin("organization_branding as b", "b.organization_id", "o.id")
    .select(["o.id", "o.name", "o.slug", "o.locale as organization_locale", "o.suspended_at"])
    .select(["b.display_name", "b.logo_type", "b.logo_hash", "b.accent_color", "b.support_email"])
    .select(["b.support_url", "b.links", "b.locale"])
    .where("o.id", "in", [...new Set(organizationIds)])
    .where("o.deleted_at", "is", null)
    .execute();
  return new Map(
    rows.map((row): [string, Seller] => [
      row.id,
      {
        organization_id: row.id,
        name: row.display_name ?? row.name,
        slug: row.slug,
        logo_url: logoUrl(row),
        accent_color: row.accent_color,
        accent_color_dark: null,
        accent_text_dark: null,
        support_email: row.support_email,
        support_url: row.support_url,
        links: row.links === null ? [] : (JSON.parse(row.links) as Seller["links"]),
        locale: row.locale ?? row.organization_locale,
        is_suspended: row.suspended_at !== null,
      },
    ]),
  );
}

function logoUrl({
  logo_hash: hash,
  logo_type: type,
}: {
  logo_hash: string | null;
  logo_type: string | null;
}) {
  return hash === null ? null : `/api/portal/v1/logos/${hash}.${type === "image/png" ? "png" : "svg"}`;
}
