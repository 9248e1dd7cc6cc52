import type { Database } from "../../store.ts";

/** A license as an email to its customer describes it. */
export type LicenseEmailFacts = Omit<Row, "email"> & { readonly email: string };

/** In the order of their IDs; licenses whose customer has no email address in the organization's record are omitted. */
export async function licenseEmailFacts(
  db: Database,
  licenseIds: readonly string[],
): Promise<LicenseEmailFacts[]> {
  const licenses: LicenseEmailFacts[] = [];
  for (let start = 0; start < licenseIds.length; start += licensesAtOnce) {
    const rows = await someRows(db, licenseIds.slice(start, start + licensesAtOnce));
    for (const { email, ...facts } of rows) if (email !== null) licenses.push({ ...facts, email });
  }
  return licenses;
}

const licensesAtOnce = 500;

type Row = Awaited<ReturnType<typeof someRows>>[number];

function someRows(db: Database, licenseIds: readonly string[]) {
  return db
    .selectFrom("licenses as l")
    .innerJoin("products as p", "p.id", "l.product_id")
    .innerJoin("organizations as o", "o.id", "l.organization_id")
    .leftJoin("organization_branding as b", "b.organization_id", "o.id")
    .innerJoin("organization_customers as c", (join) =>
      join.onRef("c.organization_id", "=", "l.organization_id").onRef("c.customer_id", "=", "l.customer_id"),
    )
    .select([
      "l.id",
      "l.license_key",
      "l.expires_at",
      "l.term_ms",
      "l.revoked_at",
      "l.organization_id",
      "l.customer_id",
      "p.name as product",
      "p.deliver_license_by_email",
      "p.license_email_text",
      "p.expiring_soon_email",
      "o.name as organization",
      // As its customers know it.
      (is) => is.fn.coalesce("b.display_name", "o.name").as("sender"),
      "b.support_email as reply_to",
      "o.suspended_at",
      "o.billing_state",
      "o.owner_id",
      "o.time_zone",
      "o.daily_emails_override",
      (is) => is.fn.coalesce("p.locale", "o.locale").as("locale"),
      "c.email",
    ])
    .where("l.id", "in", licenseIds)
    .where("p.deleted_at", "is", null)
    .where("o.deleted_at", "is", null)
    .orderBy("l.id")
    .execute();
}
