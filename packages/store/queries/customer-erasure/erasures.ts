import { type Kysely, sql } from "kysely";
import { openText, sealText } from "../../sealed-columns.ts";
import type { Database } from "../../store.ts";
import type { CustomerErasureRow, OrganizationCustomerRow } from "../../tables/licenses.ts";
import type { Tables } from "../../tables.ts";
import { unindexed } from "../conditions.ts";
import { transfersOfCustomer } from "../customers/export.ts";
import { identityOf, knownCustomerId, removeUnknownCustomers } from "../customers/identify.ts";
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
  { customer_id: id, email, discord_id: discordId }: Omit<OrganizationCustomerRow, "search_text">,
): Promise<ErasureCounts> {
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
    transfers: (await transfersOfCustomer(db, organizationId, { id, email, discordId })).length,
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
  const terms = await termsOf(db, customer);
  const row = { customer_id: customerId, organization_id: organizationId, requested_at: nowMs };
  const sealed_terms = sealText(db, JSON.stringify(terms));
  await db
    .insertInto("customer_erasures")
    .values({ ...row, sealed_terms })
    .execute();
  await removeIpBlocks(db, { tier: "customer", organizationId, customerId });
  await removeCustomerView(db, organizationId, customerId);
  // Licenses refer to this row until they are deleted. A new license for the person must not.
  const before = identityOf({ email: customer.email, discordId: customer.discord_id });
  const anonymous = { email: null, discord_id: `erased ${customerId}` };
  await db.updateTable("customers").set(anonymous).where("id", "=", customerId).execute();
  await removeUnknownIdentities(db, [before]);
}

/** Also what the record had before it was changed, unless that belongs to another customer now. */
async function termsOf(db: Database, customer: OrganizationCustomerRow): Promise<string[]> {
  const { customer_id: id, organization_id: organizationId, email, discord_id: discordId } = customer;
  const terms = new Set([id, email, discordId].filter((term) => term !== null && term !== ""));
  const entries = await db
    .selectFrom("audit_log")
    .select(["before", "after"])
    .where("subject_id", "=", id)
    .where("action", "in", ["customer.created", "customer.updated"])
    .where("organization_id", "=", organizationId)
    .orderBy("at", "desc")
    .limit(maxChanges)
    .execute();
  for (const values of entries.flatMap(({ before, after }) => [parsed(before), parsed(after)])) {
    const { id: formerId, email: formerEmail, discord_id: formerDiscordId } = values;
    const isFree = async (who: { email: string | null; discordId: string | null }) =>
      (await knownCustomerId(db, organizationId, who)) === null;
    if (formerId !== undefined && formerId !== null) terms.add(formerId);
    if (formerEmail != null && (await isFree({ email: formerEmail, discordId: null })))
      terms.add(formerEmail);
    if (formerDiscordId != null && (await isFree({ email: null, discordId: formerDiscordId })))
      terms.add(formerDiscordId);
  }
  return [...terms] as string[];
}

const maxChanges = 200;

function parsed(json: string | null): Partial<Record<"id" | "email" | "discord_id", string | null>> {
  return json === null ? {} : JSON.parse(json);
}

export interface Erasure
  extends Pick<CustomerErasureRow, "customer_id" | "organization_id" | "requested_at"> {
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
  return rows.map(({ sealed_terms, ...row }) => ({
    ...row,
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

/** From now on, what is about these licenses is erased too, up to a time. */
export async function addErasedLicenses(
  db: Kysely<Tables>,
  customerId: string,
  licenses: readonly { readonly id: string; readonly untilMs: number }[],
): Promise<void> {
  if (licenses.length === 0) return;
  await db
    .insertInto("erased_licenses")
    .values(
      licenses.map(({ id, untilMs }) => ({ customer_id: customerId, license_id: id, until_at: untilMs })),
    )
    .onConflict((conflict) =>
      conflict.columns(["customer_id", "license_id"]).doUpdateSet({
        until_at: sql<number>`case when excluded.until_at > erased_licenses.until_at
          then excluded.until_at else erased_licenses.until_at end`,
      }),
    )
    .execute();
}

/** Until when each license was the customer's. */
export async function erasedLicenses(db: Database, customerId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("erased_licenses")
    .select(["license_id", "until_at"])
    .where("customer_id", "=", customerId)
    .execute();
  return new Map(rows.map((row) => [row.license_id, row.until_at]));
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
 * Erases the customer from some transfers, those that wait are cancelled; returns whether there were any. What is about
 * a license that they gave away is erased too, up to then.
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
    if (isSender && row.state === "approved")
      await addErasedLicenses(db, id, [{ id: row.license_id, untilMs: row.decided_at ?? row.updated_at }]);
  }
  return byId.size > 0;
}

function isNamed(
  { to_email, to_discord_id }: { to_email: string | null; to_discord_id: string | null },
  named: readonly string[],
): boolean {
  return named.includes(to_email?.toLowerCase() ?? "") || named.includes(to_discord_id ?? "");
}
