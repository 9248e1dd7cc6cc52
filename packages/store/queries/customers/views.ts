import type { Database } from "../../store.ts";
import type { OrganizationCustomerRow } from "../../tables/licenses.ts";
import { yieldToEventLoop } from "../../threads/yield-to-event-loop.ts";
import { endOfPrefix, type TextPosition, unindexed } from "../conditions.ts";
import { customerSearchText, nextChangeTime } from "./identify.ts";

/** A customer as recorded by one organization. Other organizations' records are never read here. */
export async function customerOf(db: Database, organizationId: string, customerId: string) {
  return db
    .selectFrom("organization_customers")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .executeTakeFirst();
}

/** Several of them, by their IDs. */
export async function customersByIds(db: Database, organizationId: string, ids: readonly string[]) {
  if (ids.length === 0) return new Map<string, OrganizationCustomerRow>();
  const rows = await db
    .selectFrom("organization_customers")
    .selectAll()
    .where("customer_id", "in", ids)
    .where("organization_id", "=", organizationId)
    .execute();
  return new Map(rows.map((row) => [row.customer_id, row]));
}

/** The same for one, locked until the transaction ends; see `lockedOrganization`. */
export async function lockedCustomer(db: Database, organizationId: string, customerId: string) {
  return db
    .updateTable("organization_customers")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .returningAll()
    .executeTakeFirst();
}

/** Newest first, those before a position in the list. */
export async function customersOf(
  db: Database,
  organizationId: string,
  before: { readonly createdAt: number; readonly id: string } | null,
  limit: number,
) {
  let query = db
    .selectFrom("organization_customers")
    .selectAll()
    .where("organization_id", "=", organizationId);
  if (before !== null) {
    const { createdAt, id } = before;
    query = query
      .where("created_at", "<=", createdAt)
      .where((is) => is.or([is("created_at", "<", createdAt), is("customer_id", "<", id)]));
  }
  return query.orderBy("created_at", "desc").orderBy("customer_id", "desc").limit(limit).execute();
}

/** Those whose email (or else name or Discord ID) starts with a lower-case text, in its order. */
export async function customersStartingWith(
  db: Database,
  organizationId: string,
  text: string,
  after: TextPosition | null,
  limit: number,
) {
  let query = db
    .selectFrom("organization_customers")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .where("search_text", ">=", after?.text ?? text)
    .where("search_text", "<", endOfPrefix(text));
  if (after !== null) {
    query = query.where((is) =>
      is.or([is("search_text", ">", after.text), is("customer_id", ">", after.id)]),
    );
  }
  return query.orderBy("search_text").orderBy("customer_id").limit(limit).execute();
}

/** How many licenses are read before other requests are served: one customer can have nearly all of a seller's. */
const licensesAtOnce = 2_000;

/** How many licenses each of some customers has, without those of deleted products. Only outside of transactions. */
export async function licenseCountsOf(
  db: Database,
  organizationId: string,
  customerIds: readonly string[],
): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  if (customerIds.length === 0) return counts;
  const add = (customerId: string | null, count: number) => {
    if (customerId !== null && count > 0) counts.set(customerId, (counts.get(customerId) ?? 0) + count);
  };
  const firstLicenses = await customersLicenses(db, organizationId, customerIds)
    .limit(licensesAtOnce)
    .execute();
  if (firstLicenses.length < licensesAtOnce) {
    for (const license of firstLicenses) add(license.customer_id, license.deleted_at === null ? 1 : 0);
    return counts;
  }
  for (const customerId of customerIds)
    for await (const licenses of slicesOf(db, organizationId, customerId))
      add(customerId, licenses.filter((license) => license.deleted_at === null).length);
  return counts;
}

/** The same for one customer, by status. */
export async function statusCountsOf(
  db: Database,
  organizationId: string,
  customerId: string,
  nowMs: number,
): Promise<{ active: number; expired: number; revoked: number }> {
  const counts = { active: 0, expired: 0, revoked: 0 };
  for await (const licenses of slicesOf(db, organizationId, customerId))
    for (const { revoked_at, is_lifetime, expires_at, deleted_at } of licenses) {
      if (deleted_at !== null) continue;
      const isExpired = is_lifetime === 0 && expires_at !== null && expires_at <= nowMs;
      counts[revoked_at !== null ? "revoked" : isExpired ? "expired" : "active"] += 1;
    }
  return counts;
}

async function* slicesOf(db: Database, organizationId: string, customerId: string) {
  for (let after = ""; ; ) {
    const licenses = await customersLicenses(db, organizationId, [customerId])
      .where("licenses.id", ">", after)
      .orderBy("licenses.id")
      .limit(licensesAtOnce)
      .execute();
    yield licenses;
    if (licenses.length < licensesAtOnce) return;
    after = licenses.at(-1)?.id ?? after;
    await yieldToEventLoop();
  }
}

/** With the time at which their product was deleted. */
function customersLicenses(db: Database, organizationId: string, customerIds: readonly string[]) {
  const one = customerIds.length === 1 ? customerIds[0] : undefined;
  const query = db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .select([
      "licenses.id",
      "licenses.customer_id",
      "licenses.revoked_at",
      "licenses.is_lifetime",
      "licenses.expires_at",
      "products.deleted_at",
    ])
    .where("licenses.organization_id", "=", organizationId);
  return one === undefined
    ? query.where("licenses.customer_id", "in", customerIds)
    : query.where("licenses.customer_id", "=", one);
}

const idsAtOnce = 500;

/** When any of the customer's licenses was last used, if IP addresses are tracked. Only outside of transactions. */
export async function customerLastSeen(reads: Database, organizationId: string, customerId: string) {
  let last: number | null = null;
  for (let after = ""; ; await yieldToEventLoop()) {
    // From the index alone.
    const licenses = await reads
      .selectFrom("licenses")
      .select("id")
      .where("organization_id", "=", organizationId)
      .where("customer_id", "=", customerId)
      .where("id", ">", after)
      .orderBy("id")
      .limit(idsAtOnce)
      .execute();
    const ids = licenses.map((license) => license.id);
    if (ids.length === 0) return last;
    const row = await reads
      .selectFrom("ip_sightings")
      .select((is) => is.fn.max("last_seen_at").as("at"))
      .where("tier", "=", "license")
      .where("scope_id", "in", ids)
      .executeTakeFirst();
    if (row?.at != null) last = Math.max(last ?? 0, row.at);
    if (ids.length < idsAtOnce) return last;
    after = ids.at(-1) ?? after;
  }
}

export async function addCustomerView(db: Database, view: Omit<OrganizationCustomerRow, "search_text">) {
  const inserted = await db
    .insertInto("organization_customers")
    .values({ ...view, search_text: customerSearchText(view) })
    .onConflict((conflict) => conflict.columns(["organization_id", "customer_id"]).doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

export async function writeCustomerView(db: Database, view: Omit<OrganizationCustomerRow, "search_text">) {
  const { organization_id: organizationId, customer_id: customerId, ...columns } = view;
  await db
    .updateTable("organization_customers")
    .set({ ...columns, search_text: customerSearchText(view) })
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .execute();
}

/** Only what this organization recorded: the person, and what others recorded about them, stays. */
export async function removeCustomerView(db: Database, organizationId: string, customerId: string) {
  await db
    .deleteFrom("organization_customers")
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .execute();
}

export async function licenseIdsOfCustomer(db: Database, organizationId: string, customerId: string) {
  const rows = await db
    .selectFrom("licenses")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .orderBy("id")
    .execute();
  return rows.map((row) => row.id);
}

/** The first licenses of a customer by ID, including those of deleted products. */
export async function someLicenseIdsOfCustomer(
  db: Database,
  organizationId: string,
  customerId: string,
  limit: number,
) {
  const rows = await db
    .selectFrom("licenses")
    .select("id")
    .where("organization_id", "=", organizationId)
    .where("customer_id", "=", customerId)
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => row.id);
}

export interface CustomerMove {
  readonly fromId: string;
  readonly toId: string;
}

/**
 * Moves one organization's licenses of a customer to another, as far as they are still theirs; returns how many. It is the
 * same person, so they are not noted as a former holder.
 */
export async function moveLicenses(
  db: Database,
  organizationId: string,
  { fromId, toId }: CustomerMove,
  ids: readonly string[],
  nowMs: number,
): Promise<number> {
  if (ids.length === 0) return 0;
  const moved = await db
    .updateTable("licenses")
    .set({ customer_id: toId, updated_at: nextChangeTime("updated_at", nowMs) })
    .where("id", "in", ids)
    .where(unindexed("organization_id"), "=", organizationId)
    .where(unindexed("customer_id"), "=", fromId)
    .executeTakeFirst();
  await db
    .updateTable("former_holders")
    .set({ customer_id: toId })
    .where("license_id", "in", ids)
    .where(unindexed("customer_id"), "=", fromId)
    .execute();
  return Number(moved.numUpdatedRows);
}

/** The licenses of a customer in this organization, oldest first, with the columns of their record. */
export async function licensesOfCustomer(
  db: Database,
  organizationId: string,
  customerId: string,
  page: { readonly afterId: string | null; readonly limit: number },
) {
  let query = db
    .selectFrom("licenses")
    .innerJoin("products", "products.id", "licenses.product_id")
    .selectAll("licenses")
    .where("licenses.organization_id", "=", organizationId)
    .where("licenses.customer_id", "=", customerId)
    .where("products.deleted_at", "is", null);
  if (page.afterId !== null) query = query.where("licenses.id", ">", page.afterId);
  return query.orderBy("licenses.id").limit(page.limit).execute();
}
