import type { Database } from "../../store.ts";
import type { BrandingRow } from "../../tables/organizations.ts";

/** The logo's bytes are read only to serve them. */
export type StoredBranding = Omit<BrandingRow, "logo">;

/** Undefined if the organization has not chosen anything yet. */
export async function brandingOf(db: Database, organizationId: string): Promise<StoredBranding | undefined> {
  return db
    .selectFrom("organization_branding")
    .select(columns)
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
}

/** Organizations with what they chose, by which their customers recognize them. Deleted ones are left out. */
export async function brandedOrganizations(db: Database, organizationIds: readonly string[]) {
  const branded: Awaited<ReturnType<typeof someBranded>> = [];
  const ids = [...new Set(organizationIds)];
  for (let start = 0; start < ids.length; start += organizationsAtOnce)
    branded.push(...(await someBranded(db, ids.slice(start, start + organizationsAtOnce))));
  return branded;
}

export type BrandedOrganization = Awaited<ReturnType<typeof someBranded>>[number];

function someBranded(db: Database, ids: readonly string[]) {
  return db
    .selectFrom("organizations as o")
    .leftJoin("organization_branding as b", "b.organization_id", "o.id")
    .select(["o.id", "o.name", "o.slug", "o.locale as organization_locale"])
    .select(["o.suspended_at", "o.billing_state"])
    .select(["b.display_name", "b.logo_type", "b.logo_hash", "b.accent_color", "b.support_email"])
    .select(["b.support_url", "b.links", "b.locale"])
    .where("o.id", "in", ids)
    .where("o.deleted_at", "is", null)
    .execute();
}

/** The ID of an organization that customers can find in the portal: one with a product that is shown there. */
export async function portalOrganizationBySlug(db: Database, slug: string): Promise<string | null> {
  const organization = await db
    .selectFrom("organizations as o")
    .select("o.id")
    .where("o.slug", "=", slug)
    .where("o.deleted_at", "is", null)
    .where((is) =>
      is.exists(
        is
          .selectFrom("products as p")
          .select("p.id")
          .whereRef("p.organization_id", "=", "o.id")
          .where("p.deleted_at", "is", null)
          .where("p.portal_enabled", "=", 1),
      ),
    )
    .executeTakeFirst();
  return organization?.id ?? null;
}

/** Two organizations with the same logo have the same bytes. */
export async function logoByHash(db: Database, hash: string) {
  return db
    .selectFrom("organization_branding")
    .select(["logo", "logo_type"])
    .where("logo_hash", "=", hash)
    .limit(1)
    .executeTakeFirst();
}

/** The organization's row must be locked: the first change inserts the row. */
export async function saveBranding(
  db: Database,
  organizationId: string,
  changes: Partial<Omit<BrandingRow, "organization_id" | "updated_at">>,
  updatedAtMs: number,
): Promise<void> {
  const row = { ...changes, updated_at: updatedAtMs };
  await db
    .insertInto("organization_branding")
    .values({ ...unbranded, organization_id: organizationId, ...row })
    .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(row))
    .execute();
}

/** An organization that has not chosen anything. */
export const unbranded = {
  display_name: null,
  logo_type: null,
  logo: null,
  logo_hash: null,
  accent_color: null,
  support_email: null,
  support_url: null,
  links: "[]",
  locale: null,
} satisfies Omit<BrandingRow, "organization_id" | "updated_at">;

const columns = [
  "organization_id",
  "display_name",
  "logo_type",
  "logo_hash",
  "accent_color",
  "support_email",
  "support_url",
  "links",
  "locale",
  "updated_at",
] as const;

const organizationsAtOnce = 500;
