import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { TransferRow } from "../../tables/portal.ts";

/** A transfer with related data. */
export interface TransferView extends TransferRow {
  readonly product_name: string;
  readonly license_exists: 0 | 1;
  /** When the license was last transferred before this one was requested. */
  readonly last_transferred_at: number | null;
}

export interface TransferFilter {
  readonly organizationId: string;
  readonly state: TransferRow["state"] | null;
  readonly licenseId: string | null;
}

/** Newest first, without those of deleted products. */
export async function transferPage(
  db: Database,
  { organizationId, state, licenseId }: TransferFilter,
  page: { readonly beforeId: string | null; readonly limit: number },
): Promise<TransferView[]> {
  let query = views(db).where("t.organization_id", "=", organizationId);
  if (state !== null) query = query.where("t.state", "=", state);
  if (licenseId !== null) query = query.where("t.license_id", "=", licenseId);
  if (page.beforeId !== null) query = query.where("t.id", "<", page.beforeId);
  return query.orderBy("t.id", "desc").limit(page.limit).execute();
}

/** Undefined if its product was deleted. */
export async function transferView(db: Database, id: string): Promise<TransferView | undefined> {
  return views(db).where("t.id", "=", id).executeTakeFirst();
}

function views(db: Database) {
  return db
    .selectFrom("transfers as t")
    .innerJoin("products as p", "p.id", "t.product_id")
    .leftJoin("licenses as l", "l.id", "t.license_id")
    .selectAll("t")
    .select([
      "p.name as product_name",
      sql<0 | 1>`case when l.id is null then 0 else 1 end`.as("license_exists"),
      (is) =>
        is
          .selectFrom("transfers as before")
          .select((row) => row.fn.max("before.decided_at").as("at"))
          .whereRef("before.license_id", "=", "t.license_id")
          .whereRef("before.id", "!=", "t.id")
          .where("before.state", "=", "approved")
          .whereRef("before.decided_at", "<=", "t.requested_at")
          .as("last_transferred_at"),
    ])
    .where("p.deleted_at", "is", null);
}

/** A transfer as the portal shows it. */
export interface PortalTransferView extends TransferRow {
  readonly product_name: string;
  readonly seller_name: string;
}

/** What a portal account requested, newest first, without transfers of deleted products. */
export async function transfersOfPerson(
  db: Database,
  personId: string,
  page: { readonly beforeId: string | null; readonly limit: number },
): Promise<PortalTransferView[]> {
  let query = portalViews(db).where("t.requested_by", "=", personId);
  if (page.beforeId !== null) query = query.where("t.id", "<", page.beforeId);
  return query.orderBy("t.id", "desc").limit(page.limit).execute();
}

export async function portalTransferView(db: Database, id: string): Promise<PortalTransferView | undefined> {
  return portalViews(db).where("t.id", "=", id).executeTakeFirst();
}

function portalViews(db: Database) {
  return db
    .selectFrom("transfers as t")
    .innerJoin("products as p", "p.id", "t.product_id")
    .innerJoin("organizations as o", "o.id", "t.organization_id")
    .leftJoin("organization_branding as b", "b.organization_id", "o.id")
    .selectAll("t")
    .select(["p.name as product_name", (is) => is.fn.coalesce("b.display_name", "o.name").as("seller_name")])
    .where("p.deleted_at", "is", null)
    .where("o.deleted_at", "is", null);
}

/** For an organization's export: oldest first, without those of deleted products. */
export async function transfersToExport(
  db: Database,
  organizationId: string,
  afterId: string | null,
  limit: number,
): Promise<TransferView[]> {
  let query = views(db).where("t.organization_id", "=", organizationId);
  if (afterId !== null) query = query.where("t.id", ">", afterId);
  return query.orderBy("t.id").limit(limit).execute();
}

/** The next organization, by ID, with transfers that wait since `sinceMs` or later; none after the last. */
export async function nextOrganizationToRemind(
  db: Database,
  afterId: string,
  sinceMs: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom("transfers")
    .select("organization_id")
    .where("state", "=", "pending")
    .where("organization_id", ">", afterId)
    .where("requested_at", ">=", sinceMs)
    .orderBy("organization_id")
    .limit(1)
    .execute();
  return rows.map((row) => row.organization_id);
}

/** How many wait, at most `most`, without those of deleted products. */
export async function countPendingTransfers(
  db: Database,
  organizationId: string,
  most: number,
): Promise<number> {
  const { count } = await db
    .selectFrom((is) =>
      is
        .selectFrom("transfers as t")
        .innerJoin("products as p", "p.id", "t.product_id")
        .select("t.id")
        .where("t.organization_id", "=", organizationId)
        .where("t.state", "=", "pending")
        .where("p.deleted_at", "is", null)
        .limit(most)
        .as("waiting"),
    )
    .select((is) => is.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
