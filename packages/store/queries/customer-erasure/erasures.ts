import { type Kysely, sql } from "kysely";
import { openText, sealText } from "../../sealed-columns.ts";
import type { Database } from "../../store.ts";
import type { CustomerErasureRow, OrganizationCustomerRow } from "../../tables/licenses.ts";
import type { Tables } from "../../tables.ts";
import { unindexed } from "../conditions.ts";
import { earlierIdentities } from "../customers/earlier-identities.ts";
import { transfersOfCustomer } from "../customers/export.ts";
import type { Tenure } from "../customers/holders.ts";
import { identityOf, removeUnknownCustomers } from "../customers/identify.ts";
import { removeCustomerView } from "../customers/views.ts";
import { removeIpBlocks } from "../ip-blocks/blocks.ts";
import { removeUnknownIdentities } from "../portal/people.ts";

/** What an erasure deletes, by kind. */
export interface ErasureCounts {
  readonly licenses: number;
  /** Registered for the licenses. */
  readonly ip_addresses: number;
  readonly ip_blocks: number;
  readonly transfers: number;
  readonly events: number;
}

/** Licenses of deleted products are counted too. */
export async function erasureCounts(
  db: Database,
  organizationId: string,
  customer: OrganizationCustomerRow,
): Promise<ErasureCounts> {
  const { customer_id: id } = customer;
  const licenses = await db
    .selectFrom("licenses")
    .select(({ fn }) => [fn.countAll<number>().as("count"), fn.sum<number | null>("ip_count").as("ips")])
    .where("customer_id", "=", id)
    .where(unindexed("organization_id"), "=", organizationId)
    .executeTakeFirstOrThrow();
  const events = await db
    .selectFrom("licenses")
    .innerJoin("events", "events.license_id", "licenses.id")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("customer_id", "=", id)
    .where(unindexed("licenses.organization_id"), "=", organizationId)
    .executeTakeFirstOrThrow();
  const blocks = await db
    .selectFrom("ip_blocks")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("tier", "=", "customer")
    .where("scope_id", "=", id)
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  return {
    licenses: Number(licenses.count),
    ip_addresses: Number(licenses.ips ?? 0),
    ip_blocks: Number(blocks.count),
    transfers: (await transfersOfCustomer(db, organizationId, customer)).length,
    events: Number(events.count),
  };
}

/** How many licenses it deletes: what the confirmation names, read again in the transaction that begins it. */
export async function licensesToErase(db: Database, organizationId: string, customerId: string) {
  const { count } = await db
    .selectFrom("licenses")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("customer_id", "=", customerId)
    .where(unindexed("organization_id"), "=", organizationId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * The moment of erasure, for a locked customer: the organization's record is gone, the person can become a new customer,
 * and the portal forgets them unless another organization has them. The rest follows step by step.
 */
export async function addErasure(
  db: Database,
  customer: OrganizationCustomerRow,
  nowMs: number,
): Promise<void> {
  const { customer_id: customerId, organization_id: organizationId } = customer;
  const { ids, emails, discordIds } = await earlierIdentities(db, organizationId, customerId);
  const present = [customerId, customer.email, customer.discord_id];
  const terms = new Set([...present, ...ids, ...emails, ...discordIds].filter((term) => term));
  await db
    .insertInto("customer_erasures")
    .values({
      customer_id: customerId,
      organization_id: organizationId,
      requested_at: nowMs,
      former_ids: ids.join(" "),
      sealed_terms: sealText(db, JSON.stringify([...terms])),
    })
    .execute();
  await removeIpBlocks(db, { tier: "customer", organizationId, customerId });
  await removeCustomerView(db, organizationId, customerId);
  // Licenses refer to this row until they are deleted. A new license for the person must not.
  const before = identityOf({ email: customer.email, discordId: customer.discord_id });
  const anonymous = { email: null, discord_id: `erased ${customerId}` };
  await db.updateTable("customers").set(anonymous).where("id", "=", customerId).execute();
  await removeUnknownIdentities(db, [before]);
}

export interface Erasure
  extends Pick<CustomerErasureRow, "customer_id" | "organization_id" | "requested_at"> {
  readonly formerIds: readonly string[];
  readonly terms: readonly string[];
}

/** Those that are not complete, the oldest first. Those of deleted organizations end with these. */
export async function pendingErasures(db: Database): Promise<Erasure[]> {
  const rows = await db
    .selectFrom("customer_erasures as e")
    .innerJoin("organizations as o", "o.id", "e.organization_id")
    .selectAll("e")
    .where("o.deleted_at", "is", null)
    .orderBy("e.requested_at")
    .limit(100)
    .execute();
  return rows.map(({ sealed_terms, former_ids, ...row }) => ({
    ...row,
    formerIds: former_ids === "" ? [] : former_ids.split(" "),
    terms: JSON.parse(openText(db, sealed_terms)) as string[],
  }));
}

/** False if another node has completed it. */
export async function isErasing(db: Database, { customer_id }: Pick<Erasure, "customer_id">) {
  const row = await db
    .selectFrom("customer_erasures")
    .select("customer_id")
    .where("customer_id", "=", customer_id)
    .executeTakeFirst();
  return row !== undefined;
}

/** From now on, what is about these licenses is erased too. */
export async function addErasedLicenses(
  db: Kysely<Tables>,
  customerId: string,
  licenses: readonly ({ readonly id: string } & Tenure)[],
): Promise<void> {
  if (licenses.length === 0) return;
  await db
    .insertInto("erased_licenses")
    .values(
      licenses.map(({ id, sinceMs, untilMs }) => ({
        ...{ customer_id: customerId, license_id: id },
        ...{ since_at: sinceMs, until_at: untilMs },
      })),
    )
    .onConflict((conflict) => conflict.columns(["customer_id", "license_id", "until_at"]).doNothing())
    .execute();
}

/** When each license was the customer's. */
export async function erasedLicenses(db: Database, customerId: string): Promise<Map<string, Tenure[]>> {
  const rows = await db
    .selectFrom("erased_licenses")
    .selectAll()
    .where("customer_id", "=", customerId)
    .execute();
  const tenures = new Map<string, Tenure[]>();
  for (const { license_id: id, since_at: sinceMs, until_at: untilMs } of rows)
    tenures.set(id, [...(tenures.get(id) ?? []), { sinceMs, untilMs }]);
  return tenures;
}

/**
 * Some IP addresses that were registered for licenses while these were the customer's, and that nobody used since: the
 * others are the present customer's too. From one license on, in the order of licenses. Only for `store.reads`.
 */
export async function registeredWhileHeld(
  reads: Database,
  customerId: string,
  fromLicenseId: string,
  limit: number,
) {
  return reads
    .selectFrom("erased_licenses as e")
    .innerJoin("license_ips as i", "i.license_id", "e.license_id")
    .leftJoin("ip_sightings as s", (join) =>
      join.on("s.tier", "=", "license").onRef("s.scope_id", "=", "i.license_id").onRef("s.ip", "=", "i.ip"),
    )
    .select(["i.license_id", "i.ip"])
    .where("e.customer_id", "=", customerId)
    .where("e.license_id", ">=", fromLicenseId)
    .whereRef("i.registered_at", ">", "e.since_at")
    .whereRef("i.registered_at", "<=", "e.until_at")
    .where((is) =>
      is.or([is("s.last_seen_at", "is", null), is("s.last_seen_at", "<=", is.ref("e.until_at"))]),
    )
    .orderBy("e.license_id")
    .limit(limit)
    .execute();
}

/** Licenses that were deleted before the customer was, as far as something that is kept tells whose they were. */
export async function withoutExisting(db: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom("licenses").select("id").where("id", "in", ids).execute();
  const existing = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !existing.has(id));
}

/** What is known of rejections of these licenses in the current hours; older ones are pruned. */
export async function removeRecentRefusals(
  db: Database,
  ids: readonly string[],
  hours: readonly number[],
): Promise<void> {
  for (const table of ["recorded_refusals", "event_summaries"] as const)
    await db.deleteFrom(table).where("hour", "in", hours).where("license_id", "in", ids).execute();
}

/** Some of what the erasure itself stores; returns whether there was any. */
export async function removeErasedLicenses(db: Database, customerId: string, atMost: number) {
  const rows = await db
    .selectFrom("erased_licenses")
    .select("license_id")
    .where("customer_id", "=", customerId)
    .limit(atMost)
    .execute();
  const ids = rows.map((row) => row.license_id);
  if (ids.length > 0)
    await db
      .deleteFrom("erased_licenses")
      .where("customer_id", "=", customerId)
      .where("license_id", "in", ids)
      .execute();
  return ids.length > 0;
}

/** False if another node was faster. */
export async function finishErasure(db: Database, customerId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("customer_erasures")
    .where("customer_id", "=", customerId)
    .executeTakeFirst();
  await removeUnknownCustomers(db, [customerId]);
  return numDeletedRows > 0n;
}

/**
 * Erases the customer from some transfers, those that wait are cancelled; returns whether there were any.
 */
export async function eraseSomeTransfers(
  db: Database,
  { customer_id: id, organization_id: organizationId, terms, requested_at }: Erasure,
  { atMost, nowMs }: { readonly atMost: number; readonly nowMs: number },
): Promise<boolean> {
  const rows = () => db.selectFrom("transfers").selectAll().limit(atMost);
  const inOrganization = unindexed("organization_id");
  const named = terms.map((term) => term.toLowerCase());
  const found = [
    await rows()
      .where("from_customer_id", "=", id)
      .where(inOrganization, "=", organizationId)
      .where((is) =>
        is.or([
          is("state", "=", "pending"),
          is("from_email", "is not", null),
          is("from_discord_id", "is not", null),
          is("from_name", "is not", null),
          is("message", "is not", null),
          is("requested_by", "is not", null),
        ]),
      )
      .execute(),
    await rows()
      .where("to_customer_id", "=", id)
      .where(inOrganization, "=", organizationId)
      .where((is) => is.or([is("to_email", "is not", null), is("to_discord_id", "is not", null)]))
      .execute(),
    await rows()
      .where("organization_id", "=", organizationId)
      .where(sql`lower(to_email)`, "in", named)
      .where("requested_at", "<=", requested_at)
      .execute(),
    await rows()
      .where("to_discord_id", "in", named)
      .where(inOrganization, "=", organizationId)
      .where("requested_at", "<=", requested_at)
      .execute(),
  ].flat();
  const byId = new Map(found.map((row) => [row.id, row]));
  for (const row of byId.values()) {
    const isSender = row.from_customer_id === id;
    const isRecipient = row.to_customer_id === id || !isSender || isNamed(row, named);
    const cancelled = { state: "cancelled", decided_by: "system", reason: "customer_changed" } as const;
    await db
      .updateTable("transfers")
      .set({
        ...(row.state === "pending" ? { ...cancelled, decided_at: nowMs } : {}),
        ...(isSender ? { from_email: null, from_discord_id: null, from_name: null, requested_by: null } : {}),
        ...(isRecipient ? { to_email: null, to_discord_id: null } : {}),
        // Either can be about both, and so can the reason of a rejection.
        message: null,
        ...(row.state === "rejected" ? { reason: null } : {}),
        updated_at: nowMs,
      })
      .where("id", "=", row.id)
      .execute();
  }
  return byId.size > 0;
}

function isNamed(
  { to_email, to_discord_id }: { to_email: string | null; to_discord_id: string | null },
  named: readonly string[],
): boolean {
  return named.includes(to_email?.toLowerCase() ?? "") || named.includes(to_discord_id ?? "");
}
