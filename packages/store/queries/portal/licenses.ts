import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { PortalActionRow } from "../../tables/portal.ts";

/**
 * A license that its customer can see: the product is not deleted and shows its licenses in the portal. With the
 * identifier of its customer, which decides whose it is.
 */
export const portalLicenseReference = prepared((db, id: string) =>
  visibleLicenses(db)
    .innerJoin("customers", "customers.id", "licenses.customer_id")
    .leftJoin("organization_customers", (join) =>
      join
        .onRef("organization_customers.customer_id", "=", "customers.id")
        .onRef("organization_customers.organization_id", "=", "licenses.organization_id"),
    )
    .select([
      "licenses.id",
      "licenses.organization_id",
      "licenses.product_id",
      "licenses.license_key",
      "customers.id as customer_id",
      "customers.email as identity_email",
      "customers.discord_id as identity_discord_id",
      "organization_customers.name as customer_name",
    ])
    .where("licenses.id", "=", id),
).first;

const rowsById = prepared((db, ids: readonly string[]) =>
  visibleLicenses(db)
    .selectAll("licenses")
    .select(["products.name as product_name", "products.status as product_status"])
    .where("licenses.id", "in", ids),
).all;

export type PortalLicenseRow = Awaited<ReturnType<typeof rowsById>>[number];

/** In the order of the IDs, without those that customers cannot see. */
export async function portalLicenses(db: Database, ids: readonly string[]): Promise<PortalLicenseRow[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await rowsById(db, ids)).map((row) => [row.id, row]));
  return ids.flatMap((id) => rows.get(id) ?? []);
}

/** What someone has proven to own. */
export interface ProvenIdentities {
  readonly emails: readonly string[];
  readonly discordIds: readonly string[];
}

const maxFound = 10;
/** A key is unique within a product only, and anyone can import any key. */
const maxWithOneKey = 1_000;

/** Those of the person's licenses that have this key. Someone else's key takes the same steps as an unknown one. */
export async function portalLicensesByKey(
  db: Database,
  keyMatch: string,
  { emails, discordIds }: ProvenIdentities,
): Promise<string[]> {
  const rows = await db
    .selectFrom((from) =>
      from
        .selectFrom("licenses")
        .select(["id", "customer_id"])
        .where("license_key_match", "=", keyMatch)
        .limit(maxWithOneKey)
        .as("with_key"),
    )
    .innerJoin("customers", "customers.id", "with_key.customer_id")
    .select("with_key.id")
    .where((is) =>
      is.or([
        ...(emails.length === 0 ? [] : [is("customers.email", "in", emails)]),
        ...(discordIds.length === 0 ? [] : [is("customers.discord_id", "in", discordIds)]),
      ]),
    )
    .orderBy("with_key.id", "desc")
    .limit(maxFound)
    .execute();
  return rows.map(({ id }) => id);
}

function visibleLicenses(db: Database) {
  return db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .innerJoin("organizations", "organizations.id", "licenses.organization_id")
    .where("products.deleted_at", "is", null)
    .where("products.portal_enabled", "=", 1)
    .where("organizations.deleted_at", "is", null);
}

/** What customers did themselves to a license since then, oldest first. Budgets keep this short. */
export async function portalActions(
  db: Database,
  licenseId: string,
  action: PortalActionRow["action"],
  sinceMs: number,
) {
  return db
    .selectFrom("portal_actions")
    .select(["at as atMs", "count"])
    .where("license_id", "=", licenseId)
    .where("action", "=", action)
    .where("at", ">", sinceMs)
    .orderBy("at")
    .execute();
}

export async function addPortalAction(db: Database, row: PortalActionRow): Promise<void> {
  await db.insertInto("portal_actions").values(row).execute();
}
