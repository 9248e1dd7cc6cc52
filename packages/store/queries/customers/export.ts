import { sql } from "kysely";
import type { Database } from "../../store.ts";
import { unindexed } from "../conditions.ts";
import { identityOf } from "./identify.ts";

/** What an organization holds about one customer, in pages, also about licenses of deleted products. */

export function licensesHeldBy(
  db: Database,
  organizationId: string,
  customerId: string,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
) {
  let query = db
    .selectFrom("licenses")
    .selectAll()
    .where("customer_id", "=", customerId)
    .where("organization_id", "=", organizationId);
  if (afterId !== null) query = query.where("id", ">", afterId);
  return query.orderBy("id").limit(limit).execute();
}

/**
 * Since when a license is this customer's: 0 unless it was transferred to them. What was recorded before is about its
 * former customer.
 */
export async function heldSince(db: Database, licenseId: string, customerId: string): Promise<number> {
  const row = await db
    .selectFrom("transfers")
    .select("decided_at")
    .where("license_id", "=", licenseId)
    .where("to_customer_id", "=", customerId)
    .where("state", "=", "approved")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  return row?.decided_at ?? 0;
}

export function blocksOfCustomer(
  db: Database,
  organizationId: string,
  customerId: string,
  { afterId, limit }: { readonly afterId: string | null; readonly limit: number },
) {
  let query = db
    .selectFrom("ip_blocks")
    .selectAll()
    .where("tier", "=", "customer")
    .where("scope_id", "=", customerId)
    .where("organization_id", "=", organizationId);
  if (afterId !== null) query = query.where("id", ">", afterId);
  return query.orderBy("id").limit(limit).execute();
}

/** Which IP addresses used a license, as far as they were first seen since then. */
export function sightingsOfLicense(
  db: Database,
  licenseId: string,
  sinceMs: number,
  { afterIp, limit }: { readonly afterIp: string | null; readonly limit: number },
) {
  let query = db
    .selectFrom("ip_sightings")
    .select(["ip", "first_seen_at", "last_seen_at", "hits"])
    .where("tier", "=", "license")
    .where("scope_id", "=", licenseId)
    .where("first_seen_at", ">=", sinceMs);
  if (afterIp !== null) query = query.where("ip", ">", afterIp);
  return query.orderBy("ip").limit(limit).execute();
}

/** Transfers that the customer requested, or that gave or offered them a license. */
export async function transfersOfCustomer(
  db: Database,
  organizationId: string,
  customer: { readonly id: string; readonly email: string | null; readonly discordId: string | null },
) {
  const rows = () => db.selectFrom("transfers").selectAll().limit(maxTransfers);
  const inOrganization = unindexed("organization_id");
  const { email, discord_id: discordId } = identityOf(customer);
  const found = [
    await rows()
      .where("from_customer_id", "=", customer.id)
      .where(inOrganization, "=", organizationId)
      .execute(),
    await rows()
      .where("to_customer_id", "=", customer.id)
      .where(inOrganization, "=", organizationId)
      .execute(),
    email === null
      ? await rows()
          .where("to_discord_id", "=", discordId)
          .where(inOrganization, "=", organizationId)
          .execute()
      : await rows()
          .where("organization_id", "=", organizationId)
          .where(sql`lower(to_email)`, "=", email)
          .execute(),
  ].flat();
  const byId = new Map(found.map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Each has at most one pending transfer per license; finished ones are few. */
const maxTransfers = 10_000;
