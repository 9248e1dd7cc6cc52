import { prepared } from "../../prepared-query.ts";
import type { Bulk, Database } from "../../store.ts";
import { refreshSearchText } from "../licenses/search.ts";
import { type CustomerIdentifiers, customerSearchText, identityOf } from "./identify.ts";

/** A customer as one organization knows them after a write. */
export interface KnownCustomer {
  readonly id: string;
  readonly email: string | null;
  readonly name: string | null;
  readonly discordId: string | null;
}

/** Which of a customer's identifiers is used: see `customerFor`. */
export function identifierOf(who: CustomerIdentifiers): string {
  return identityOf(who).email ?? `${discord}${who.discordId}`;
}

interface BulkMeans {
  readonly bulk: Bulk;
  readonly newId: () => string;
  readonly nowMs: number;
}

/**
 * Does what `customersFor` does for the hundreds of rows of an import: finds or creates each customer, and stores the
 * organization's record. Values that are not specified stay as they were. The result is by identifier.
 */
export async function customersInBulk(
  db: Database,
  organizationId: string,
  people: readonly CustomerIdentifiers[],
  means: BulkMeans,
): Promise<Map<string, KnownCustomer>> {
  const { bulk, nowMs } = means;
  const wanted = new Map<string, CustomerIdentifiers>();
  for (const who of people) {
    const identifier = identifierOf(who);
    const before = wanted.get(identifier);
    wanted.set(identifier, before === undefined ? who : merged(before, who));
  }
  const identifiers = [...wanted.keys()].sort();
  const existing = await find(db, bulk, organizationId, identifiers);
  const missing = identifiers.filter((identifier) => !existing.has(identifier));
  const created = await create(db, organizationId, missing, wanted, means);
  for (const [identifier, customer] of created) existing.set(identifier, customer);

  const customers = new Map<string, KnownCustomer>();
  const views: View[] = [];
  const renamed: string[] = [];
  for (const [identifier, who] of wanted) {
    const known = existing.get(identifier);
    if (known === undefined) throw new Error("A customer that was just created is not there.");
    const view = known.view === null ? who : merged(known.view, who);
    customers.set(identifier, { id: known.id, ...view });
    if (known.view === null || !same(known.view, view)) views.push({ customerId: known.id, ...view });
    if (known.view !== null && !same(known.view, view)) renamed.push(known.id);
  }
  // In a fixed order everywhere, so that two imports cannot deadlock.
  views.sort((a, b) => (a.customerId < b.customerId ? -1 : 1));
  await bulk.insert(
    db,
    "organization_customers",
    views.map((view) => ({
      organization_id: organizationId,
      customer_id: view.customerId,
      email: view.email,
      name: view.name,
      discord_id: view.discordId,
      created_at: nowMs,
      updated_at: nowMs,
      search_text: customerSearchText({ ...view, discord_id: view.discordId }),
    })),
    `(organization_id, customer_id) do update set email = excluded.email, name = excluded.name,
      discord_id = excluded.discord_id, updated_at = excluded.updated_at, search_text = excluded.search_text`,
  );
  for (const customerId of renamed) await refreshSearchText(db, organizationId, customerId);
  return customers;
}

interface View extends CustomerIdentifiers {
  readonly customerId: string;
}

interface Found {
  readonly id: string;
  /** Null if the organization has recorded nothing about them. */
  readonly view: CustomerIdentifiers | null;
}

async function find(
  db: Database,
  bulk: Bulk,
  organizationId: string,
  identifiers: readonly string[],
): Promise<Map<string, Found>> {
  const discordIds = identifiers.filter(isDiscord).map((identifier) => identifier.slice(discord.length));
  const emails = identifiers.filter((identifier) => !isDiscord(identifier));
  const byIdentifier = new Map<string, Found>();
  for (const [column, values] of [["email", emails] as const, ["discord_id", discordIds] as const]) {
    if (values.length === 0) continue;
    const rows =
      values.length > few
        ? await rowsBy(column, db, organizationId)
            .where(bulk.among(`customers.${column}`, values))
            .execute()
        : await fewBy[column](db, organizationId, values);
    for (const row of rows) {
      const identifier = column === "email" ? row.identifier : `${discord}${row.identifier}`;
      const view = row.seen === null ? null : { email: row.email, name: row.name, discordId: row.discord_id };
      if (identifier !== null) byIdentifier.set(identifier, { id: row.id, view });
    }
  }
  return byIdentifier;
}

/** More than this are sent as one value: see `among`. */
const few = 16;

function rowsBy(column: "email" | "discord_id", db: Database, organizationId: string) {
  return db
    .selectFrom("customers")
    .leftJoin("organization_customers", (join) =>
      join
        .onRef("organization_customers.customer_id", "=", "customers.id")
        .on("organization_customers.organization_id", "=", organizationId),
    )
    .select([
      "customers.id",
      `customers.${column} as identifier`,
      "organization_customers.customer_id as seen",
      "organization_customers.email",
      "organization_customers.name",
      "organization_customers.discord_id",
    ])
    .where("customers.organization_id", "=", organizationId);
}

const fewBy = {
  email: prepared((db, organizationId: string, values: readonly string[]) =>
    rowsBy("email", db, organizationId).where("customers.email", "in", values),
  ).all,
  discord_id: prepared((db, organizationId: string, values: readonly string[]) =>
    rowsBy("discord_id", db, organizationId).where("customers.discord_id", "in", values),
  ).all,
};

async function create(
  db: Database,
  organizationId: string,
  missing: readonly string[],
  wanted: ReadonlyMap<string, CustomerIdentifiers>,
  { bulk, newId, nowMs }: BulkMeans,
): Promise<ReadonlyMap<string, Found>> {
  if (missing.length === 0) return new Map();
  const rows = missing.map((identifier) => ({
    id: newId(),
    organization_id: organizationId,
    email: isDiscord(identifier) ? null : identifier,
    discord_id: isDiscord(identifier) ? (wanted.get(identifier)?.discordId ?? null) : null,
    created_at: nowMs,
  }));
  const created = new Map(
    missing.map((identifier, index) => [identifier, { id: rows[index]?.id ?? "", view: null }]),
  );
  const count = await bulk.insert(db, "customers", rows, "do nothing");
  if (count === missing.length) return created;
  // Another transaction created some of them at the same moment.
  return new Map([...created, ...(await find(db, bulk, organizationId, missing))]);
}

function merged(before: CustomerIdentifiers, now: CustomerIdentifiers): CustomerIdentifiers {
  return {
    email: now.email?.trim() ?? before.email,
    name: now.name ?? before.name,
    discordId: now.discordId ?? before.discordId,
  };
}

function same(a: CustomerIdentifiers, b: CustomerIdentifiers): boolean {
  return a.email === b.email && a.name === b.name && a.discordId === b.discordId;
}

/** With a space, which no email address contains. */
const discord = "discord ";

function isDiscord(identifier: string): boolean {
  return identifier.startsWith(discord);
}
