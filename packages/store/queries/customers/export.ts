import { sql } from "kysely";
import type { Database } from "../../store.ts";
import type { OrganizationCustomerRow } from "../../tables/licenses.ts";
import type { TransferRow } from "../../tables/portal.ts";
import { unindexed } from "../conditions.ts";
import { earlierIdentities } from "./earlier-identities.ts";
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

/** Which IP addresses used these licenses: at most so many, in any order. */
export function sightingsOfLicenses(db: Database, licenseIds: readonly string[], limit: number) {
  return db
    .selectFrom("ip_sightings")
    .select(["scope_id as license_id", "ip", "first_seen_at", "last_seen_at", "hits"])
    .where("tier", "=", "license")
    .where("scope_id", "in", licenseIds)
    .limit(limit)
    .execute();
}

/** The same for one license, in pages. */
export function sightingsOfLicense(
  db: Database,
  licenseId: string,
  { afterIp, limit }: { readonly afterIp: string | null; readonly limit: number },
) {
  let query = db
    .selectFrom("ip_sightings")
    .select(["scope_id as license_id", "ip", "first_seen_at", "last_seen_at", "hits"])
    .where("tier", "=", "license")
    .where("scope_id", "=", licenseId);
  if (afterIp !== null) query = query.where("ip", ">", afterIp);
  return query.orderBy("ip").limit(limit).execute();
}

/** The events of these licenses: at most so many, in any order. */
export function eventsOfLicenses(db: Database, licenseIds: readonly string[], limit: number) {
  return (
    db
      .selectFrom("events")
      .selectAll()
      .where("license_id", "in", licenseIds)
      // Without this, the index of events with a license is not used.
      .where("license_id", "is not", null)
      .limit(limit)
      .execute()
  );
}

/** The entries of the audit log about these licenses: at most so many, in any order. */
export function entriesOfLicenses(
  db: Database,
  organizationId: string,
  licenseIds: readonly string[],
  limit: number,
) {
  return db
    .selectFrom("audit_log")
    .selectAll()
    .where("subject_id", "in", licenseIds)
    .where(unindexed("organization_id"), "=", organizationId)
    .limit(limit)
    .execute();
}

/** Transfers that the customer requested, or that gave or offered them a license. */
export async function transfersOfCustomer(
  db: Database,
  organizationId: string,
  customer: OrganizationCustomerRow,
): Promise<TransferRow[]> {
  const { customer_id: id } = customer;
  const { email, discord_id: discordId } = identityOf({ ...customer, discordId: customer.discord_id });
  const earlier = await earlierIdentities(db, organizationId, id);
  const emails = [...earlier.emails, email].flatMap((each) => each?.toLowerCase() ?? []);
  const discordIds = [...earlier.discordIds, discordId].filter((each) => each !== null);
  const rows = () => db.selectFrom("transfers").selectAll().limit(maxTransfers);
  const inOrganization = unindexed("organization_id");
  const found = [
    await rows().where("from_customer_id", "=", id).where(inOrganization, "=", organizationId).execute(),
    await rows().where("to_customer_id", "=", id).where(inOrganization, "=", organizationId).execute(),
    emails.length === 0
      ? []
      : await rows()
          .where("organization_id", "=", organizationId)
          .where(sql`lower(to_email)`, "in", emails)
          .execute(),
    discordIds.length === 0
      ? []
      : await rows()
          .where("to_discord_id", "in", discordIds)
          .where(inOrganization, "=", organizationId)
          .execute(),
  ].flat();
  const byId = new Map(found.map((row) => [row.id, row]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Each has at most one pending transfer per license; finished ones are few. */
const maxTransfers = 10_000;
