import { type Kysely, sql } from "kysely";
import type { CustomerRow, OrganizationCustomerRow } from "../../tables/licenses.ts";
import type { Tables } from "../../tables.ts";

export interface CustomerIdentifiers {
  readonly email: string | null;
  readonly discordId: string | null;
  readonly name: string | null;
}

/**
 * Finds or creates the customer of a license, and stores the organization's record. The email address identifies the
 * customer if there is one; an additional Discord ID stays in the record and links nothing. Values that are not
 * specified stay as they were.
 */
export async function customerFor(
  db: Kysely<Tables>,
  organizationId: string,
  who: CustomerIdentifiers,
  newId: () => string,
  nowMs: number,
): Promise<string> {
  const [id] = await customersFor(db, organizationId, [who], newId, nowMs);
  if (id === undefined) throw new Error("One customer was passed and none returned.");
  return id;
}

/**
 * The same for many at once, with their IDs in the same order. All rows are written in a fixed order, so that two
 * writers of the same customers do not deadlock.
 */
export async function customersFor(
  db: Kysely<Tables>,
  organizationId: string,
  all: readonly CustomerIdentifiers[],
  newId: () => string,
  nowMs: number,
): Promise<string[]> {
  const people = new Map<string, CustomerIdentifiers>();
  for (const who of all) people.set(identityKey(who), joined(who, people.get(identityKey(who))));
  const ids = await identities(db, organizationId, [...people.keys()].sort(), { newId, nowMs });
  const views = [...people]
    .map(([key, who]) => viewRow(organizationId, idOf(ids, key), who, nowMs))
    .sort((a, b) => (a.customer_id < b.customer_id ? -1 : 1));
  for (let start = 0; start < views.length; start += rowsAtOnce) {
    await writeViews(db, views.slice(start, start + rowsAtOnce), nowMs);
  }
  return all.map((who) => idOf(ids, identityKey(who)));
}

/** Only finds or creates the person, and records nothing about them. */
export async function customerIdFor(
  db: Kysely<Tables>,
  organizationId: string,
  who: Pick<CustomerIdentifiers, "email" | "discordId">,
  newId: () => string,
  nowMs: number,
): Promise<string> {
  const key = identityKey(who);
  return idOf(await identities(db, organizationId, [key], { newId, nowMs }), key);
}

/** The person, if the organization has recorded them. */
export async function knownCustomerId(
  db: Kysely<Tables>,
  organizationId: string,
  who: Pick<CustomerIdentifiers, "email" | "discordId">,
): Promise<string | null> {
  const { email, discord_id: discordId } = identityOf(who);
  const row = await db
    .selectFrom("customers")
    .select("id")
    .where(email !== null ? "email" : "discord_id", "=", email ?? discordId)
    .where("organization_id", "=", organizationId)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Since when the organization has had this customer. */
export async function customerCreatedAt(db: Kysely<Tables>, id: string): Promise<number | null> {
  const row = await db.selectFrom("customers").select("created_at").where("id", "=", id).executeTakeFirst();
  return row?.created_at ?? null;
}

/** Everything that refers to a customer. Add every new table that does. */
export const customerReferences = [
  { table: "organization_customers", column: "customer_id" },
  { table: "licenses", column: "customer_id" },
  { table: "customer_erasures", column: "customer_id" },
] as const;

/**
 * Removes those of the given customers that nothing refers to, and returns what identified them. On PostgreSQL another transaction may record one of
 * them at the same moment. Then one of the two is rolled back and retried.
 */
export async function removeUnknownCustomers(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<Pick<CustomerRow, "email" | "discord_id">[]> {
  const customerIds = [...new Set(ids)].sort();
  if (customerIds.length === 0) return [];
  return db
    .deleteFrom("customers")
    .where("id", "in", customerIds)
    .where((is) =>
      is.and(
        customerReferences.map(({ table, column }) =>
          is.not(
            is.exists(
              is
                .selectFrom(table)
                .select(sql<number>`1`.as("one"))
                .whereRef(`${table}.${column}`, "=", "customers.id"),
            ),
          ),
        ),
      ),
    )
    .returning(["email", "discord_id"])
    .execute();
}

/** What identifies a customer of an organization: the email address if there is one, otherwise the Discord ID. */
export function identityOf(who: Pick<CustomerIdentifiers, "email" | "discordId">): {
  email: string | null;
  discord_id: string | null;
} {
  const email = who.email?.trim().toLowerCase() ?? null;
  return email !== null ? { email, discord_id: null } : { email: null, discord_id: who.discordId };
}

export function customerSearchText(view: {
  readonly email: string | null;
  readonly name: string | null;
  readonly discord_id: string | null;
}): string {
  return [view.email, view.name, view.discord_id]
    .filter((part) => part !== null)
    .join("\n")
    .toLowerCase();
}

/** Now, or a millisecond after the last change: change times tell versions apart. */
export function nextChangeTime(column: string, nowMs: number) {
  return sql<number>`case when ${sql.ref(column)} >= ${nowMs} then ${sql.ref(column)} + 1 else ${nowMs} end`;
}

/** Both databases accept this many rows in one statement. */
const rowsAtOnce = 500;

function identityKey(who: Pick<CustomerIdentifiers, "email" | "discordId">): string {
  const { email, discord_id: discordId } = identityOf(who);
  return email !== null ? `${byEmail}${email}` : `${byDiscord}${discordId}`;
}

const byEmail = "email ";
const byDiscord = "discord ";

function idOf(ids: ReadonlyMap<string, string>, key: string): string {
  const id = ids.get(key);
  if (id === undefined) throw new Error("A customer was written and is not there.");
  return id;
}

function joined(who: CustomerIdentifiers, before: CustomerIdentifiers | undefined): CustomerIdentifiers {
  if (before === undefined) return who;
  return { email: who.email, discordId: who.discordId ?? before.discordId, name: who.name ?? before.name };
}

interface Creation {
  readonly newId: () => string;
  readonly nowMs: number;
}

async function identities(
  db: Kysely<Tables>,
  organizationId: string,
  keys: readonly string[],
  creation: Creation,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const [column, kind] of [["email", byEmail] as const, ["discord_id", byDiscord] as const]) {
    const values = keys.flatMap((key) => (key.startsWith(kind) ? [key.slice(kind.length)] : []));
    for (let start = 0; start < values.length; start += rowsAtOnce) {
      let missing = values.slice(start, start + rowsAtOnce);
      // On PostgreSQL a customer found by the first statement may be gone for the second: then it is created after all.
      for (let attempt = 0; missing.length > 0 && attempt < maxAttempts; attempt++) {
        for (const { id, identifier } of await createdOrFound(db, organizationId, column, missing, creation))
          ids.set(`${kind}${identifier}`, id);
        missing = missing.filter((value) => !ids.has(`${kind}${value}`));
      }
    }
  }
  return ids;
}

const maxAttempts = 4;

async function createdOrFound(
  db: Kysely<Tables>,
  organizationId: string,
  column: "email" | "discord_id",
  values: readonly string[],
  { newId, nowMs }: Creation,
) {
  const rows = values.map((value) => ({
    id: newId(),
    organization_id: organizationId,
    email: column === "email" ? value : null,
    discord_id: column === "discord_id" ? value : null,
    created_at: nowMs,
  }));
  await db
    .insertInto("customers")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return db
    .selectFrom("customers")
    .select(["id", `${column} as identifier`])
    .where(column, "in", values)
    .where("organization_id", "=", organizationId)
    .execute();
}

function viewRow(
  organizationId: string,
  customerId: string,
  who: CustomerIdentifiers,
  nowMs: number,
): OrganizationCustomerRow {
  const view = { email: who.email?.trim() ?? null, name: who.name, discord_id: who.discordId };
  return {
    organization_id: organizationId,
    customer_id: customerId,
    ...view,
    created_at: nowMs,
    updated_at: nowMs,
    search_text: customerSearchText(view),
  };
}

async function writeViews(
  db: Kysely<Tables>,
  rows: readonly OrganizationCustomerRow[],
  nowMs: number,
): Promise<void> {
  const written = await db
    .insertInto("organization_customers")
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(["organization_id", "customer_id"]).doUpdateSet((is) => ({
        email: is.ref("excluded.email"),
        name: is.fn.coalesce("excluded.name", "organization_customers.name"),
        discord_id: is.fn.coalesce("excluded.discord_id", "organization_customers.discord_id"),
        updated_at: nextChangeTime("organization_customers.updated_at", nowMs),
      })),
    )
    .returningAll()
    .execute();
  for (const row of written) {
    const text = customerSearchText(row);
    if (row.search_text === text) continue;
    await db
      .updateTable("organization_customers")
      .set({ search_text: text })
      .where("organization_id", "=", row.organization_id)
      .where("customer_id", "=", row.customer_id)
      .execute();
  }
}
