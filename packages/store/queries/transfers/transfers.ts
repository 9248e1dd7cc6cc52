import { sql } from "kysely";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { TransferRow } from "../../tables/portal.ts";
import { unindexed } from "../conditions.ts";
import { type CustomerIdentifiers, identityOf } from "../customers/identify.ts";

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
  const transfers: TransferRow[] = [];
  for (let start = 0; start < licenseIds.length; start += licensesAtOnce)
    transfers.push(...(await outdated(db, licenseIds.slice(start, start + licensesAtOnce))));
  return transfers;
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

/** The recipient of a transfer as the organization knows them. */
export interface KnownTarget {
  readonly id: string;
  readonly name: string | null;
}

type Target = Pick<TransferRow, "to_email" | "to_discord_id">;

/** The recipient, if they are already a customer of the organization. */
export async function knownTarget(
  db: Database,
  organizationId: string,
  target: Target,
): Promise<KnownTarget | null> {
  return (await knownTargets(db, organizationId, [target])).get(recipientKey(target)) ?? null;
}

/** The same for several transfers of an organization, by `recipientKey`. */
export async function knownTargets(
  db: Database,
  organizationId: string,
  targets: readonly Target[],
): Promise<Map<string, KnownTarget>> {
  const targetsByIdentity = new Map<string, KnownTarget>();
  const identities = targets.map(identity);
  for (const column of ["email", "discord_id"] as const) {
    const values = [...new Set(identities.flatMap((one) => one[column] ?? []))];
    if (values.length === 0) continue;
    const rows = await db
      .selectFrom("customers as c")
      .leftJoin("organization_customers as r", (join) =>
        join.onRef("r.customer_id", "=", "c.id").on("r.organization_id", "=", organizationId),
      )
      .select(["c.id", "c.email", "c.discord_id", "r.name"])
      .where("c.organization_id", "=", organizationId)
      .where(`c.${column}`, "in", values)
      .execute();
    for (const { id, name, ...who } of rows)
      targetsByIdentity.set(recipientKey({ to_email: who.email, to_discord_id: who.discord_id }), {
        id,
        name,
      });
  }
  return targetsByIdentity;
}

/** What identifies the recipient. */
export function recipientKey(target: Target): string {
  const { email, discord_id: discordId } = identity(target);
  return email ?? `discord ${discordId}`;
}

function identity({ to_email: email, to_discord_id: discordId }: Target) {
  return identityOf({ email, discordId });
}

/**
 * For a customer who is deleted: their finished transfers in the organization stay, without what identifies the
 * customer and without the message that they wrote. A pending transfer to them belongs to someone else, who wants to
 * give them a license, and stays as it is.
 */
export async function eraseFromTransfers(
  db: Database,
  organizationId: string,
  customer: { readonly id: string } & Pick<CustomerIdentifiers, "email" | "discordId">,
): Promise<void> {
  await db
    .updateTable("transfers")
    .set({ from_email: null, from_discord_id: null, from_name: null, message: null })
    .where(unindexed("organization_id"), "=", organizationId)
    .where("from_customer_id", "=", customer.id)
    .where("state", "!=", "pending")
    .execute();
  const received = db
    .updateTable("transfers")
    .set({ to_email: null, to_discord_id: null })
    .where("state", "!=", "pending");
  const inOrganization = unindexed("organization_id");
  await received
    .where("to_customer_id", "=", customer.id)
    .where(inOrganization, "=", organizationId)
    .execute();
  // Transfers that were not approved have no customer ID of the recipient.
  const { email, discord_id: discordId } = identityOf(customer);
  if (email !== null)
    await received
      .where("organization_id", "=", organizationId)
      .where(sql`lower(to_email)`, "=", email)
      .execute();
  if (discordId !== null)
    await received
      .where("to_discord_id", "=", discordId)
      .where(inOrganization, "=", organizationId)
      .execute();
}
