import { sql } from "kysely";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { TransferRow } from "../../tables/portal.ts";

export const transferById = prepared((db, id: string) =>
  db.selectFrom("transfers").selectAll().where("id", "=", id),
).first;

export async function addTransfer(db: Database, row: TransferRow): Promise<void> {
  await db.insertInto("transfers").values(row).execute();
}

/** The decision on a transfer that still waits; undefined if it no longer does. */
export async function decideTransfer(
  db: Database,
  id: string,
  decision: Pick<TransferRow, "state" | "decided_by" | "decided_by_name" | "reason"> &
    Partial<Pick<TransferRow, "to_customer_id">>,
  nowMs: number,
): Promise<TransferRow | undefined> {
  return db
    .updateTable("transfers")
    .set({
      ...decision,
      decided_at: nowMs,
      updated_at: sql<number>`case when updated_at >= ${nowMs} then updated_at + 1 else ${nowMs} end`,
    })
    .where("id", "=", id)
    .where("state", "=", "pending")
    .returningAll()
    .executeTakeFirst();
}

export const pendingTransferOf = prepared((db, licenseId: string) =>
  db.selectFrom("transfers").selectAll().where("license_id", "=", licenseId).where("state", "=", "pending"),
).first;

/** Those of the licenses that have a pending transfer. */
export async function licensesInTransfer(db: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom("transfers")
    .select("license_id")
    .where("license_id", "in", ids)
    .where("state", "=", "pending")
    .execute();
  return new Set(rows.map(({ license_id }) => license_id));
}

/** When the last transfers of a license were requested, newest first. */
export async function lastRequests(db: Database, licenseId: string, limit: number): Promise<number[]> {
  const rows = await db
    .selectFrom("transfers")
    .select("requested_at")
    .where("license_id", "=", licenseId)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return rows.map((row) => row.requested_at);
}

/** Null if it was never transferred. Of one license at most one transfer waits, so the last one is the latest. */
export async function lastTransferredAt(db: Database, licenseId: string): Promise<number | null> {
  const [last] = await lastTransfers(db, [licenseId]);
  return last?.decided_at ?? null;
}

/** The last approved transfer of each of these licenses. */
export async function lastTransfers(db: Database, licenseIds: readonly string[]): Promise<TransferRow[]> {
  if (licenseIds.length === 0) return [];
  return db
    .selectFrom("licenses as l")
    .innerJoin("transfers as t", (join) =>
      join.on((is) =>
        is(
          "t.id",
          "=",
          is
            .selectFrom("transfers as last")
            .select("last.id")
            .whereRef("last.license_id", "=", "l.id")
            .where("last.state", "=", "approved")
            .orderBy("last.id", "desc")
            .limit(1),
        ),
      ),
    )
    .selectAll("t")
    .where("l.id", "in", licenseIds)
    .execute();
}

/**
 * Those of these licenses' transfers that wait although the license was deleted, or belongs to another customer than
 * the one who requested it.
 */
export async function outdatedTransfers(db: Database, licenseIds: readonly string[]): Promise<TransferRow[]> {
  const found: TransferRow[] = [];
  for (let start = 0; start < licenseIds.length; start += licensesAtOnce)
    found.push(...(await outdated(db, licenseIds.slice(start, start + licensesAtOnce))));
  return found;
}

const licensesAtOnce = 500;

const outdated = prepared((db, licenseIds: readonly string[]) =>
  db
    .selectFrom("transfers as t")
    .leftJoin("licenses as l", "l.id", "t.license_id")
    .selectAll("t")
    .where("t.license_id", "in", licenseIds)
    .where("t.state", "=", "pending")
    .where((is) =>
      is.or([is("l.customer_id", "is", null), is("l.customer_id", "!=", is.ref("t.from_customer_id"))]),
    )
    .orderBy("t.license_id"),
).all;

/** The transfers of a portal account that wait. */
export async function pendingTransfersOfPerson(db: Database, personId: string): Promise<TransferRow[]> {
  return db
    .selectFrom("transfers")
    .selectAll()
    .where("requested_by", "=", personId)
    .where("state", "=", "pending")
    .orderBy("license_id")
    .execute();
}

/** Those of them whose license belongs to a customer that the account has not, or no longer, proven to be. */
export async function lostTransfersOfPerson(db: Database, personId: string): Promise<TransferRow[]> {
  return db
    .selectFrom("transfers as t")
    .selectAll("t")
    .where("t.requested_by", "=", personId)
    .where("t.state", "=", "pending")
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom("customers as c")
            .innerJoin("portal_identities as i", (join) =>
              join
                .on("i.person_id", "=", personId)
                .on((on) =>
                  on.or([
                    on.and([on("i.kind", "=", "email"), on("i.value", "=", on.ref("c.email"))]),
                    on.and([on("i.kind", "=", "discord"), on("i.value", "=", on.ref("c.discord_id"))]),
                  ]),
                ),
            )
            .select("c.id")
            .whereRef("c.id", "=", "t.from_customer_id"),
        ),
      ),
    )
    .orderBy("t.license_id")
    .execute();
}

/** The transfers stay; that they were requested by this portal account is no longer recorded. */
export async function removeRequester(db: Database, personId: string): Promise<void> {
  await db
    .updateTable("transfers")
    .set({ requested_by: null })
    .where("requested_by", "=", personId)
    .execute();
}

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

/** Which of these customers the organization has current IP blocks for. */
export async function blockedCustomers(
  db: Database,
  organizationId: string,
  customerIds: readonly string[],
  nowMs: number,
): Promise<Set<string>> {
  if (customerIds.length === 0) return new Set();
  const rows = await db
    .selectFrom("ip_blocks")
    .select("scope_id")
    .distinct()
    .where("tier", "=", "customer")
    .where("organization_id", "=", organizationId)
    .where("scope_id", "in", customerIds)
    .where((is) => is.or([is("expires_at", "is", null), is("expires_at", ">", nowMs)]))
    .execute();
  return new Set(rows.map((row) => row.scope_id));
}
