import type { Language } from "@countersign/domain/mail/languages";
import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { CustomerRow } from "../../tables/licenses.ts";
import type { PortalIdentityRow, PortalPersonRow, PortalSessionRow } from "../../tables/portal.ts";
import { removeRequester } from "../transfers/transfers.ts";

/** An email address in lower case, or a Discord ID. */
export type Identity = Pick<PortalIdentityRow, "kind" | "value">;

/** What was proven, with the display name on Discord. */
export type ProvenIdentity = Identity & Pick<PortalIdentityRow, "name">;

export async function identityRow(db: Database, { kind, value }: Identity) {
  return db
    .selectFrom("portal_identities")
    .selectAll()
    .where("kind", "=", kind)
    .where("value", "=", value)
    .executeTakeFirst();
}

const identities = prepared((db, personId: string) =>
  db.selectFrom("portal_identities").selectAll().where("person_id", "=", personId).orderBy("verified_at"),
);

/** What the person has proven to own, oldest first. */
export const portalIdentitiesOf = identities.all;

export async function portalPerson(db: Database, id: string): Promise<PortalPersonRow | undefined> {
  return db.selectFrom("portal_people").selectAll().where("id", "=", id).executeTakeFirst();
}

/** Locks the person until the end of the transaction: what depends on the number of their rows is exact. */
export async function lockedPortalPerson(db: Database, id: string): Promise<PortalPersonRow | undefined> {
  return db
    .updateTable("portal_people")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
}

/**
 * Locks people for a change of who has proven what. Two people may add each other's email address at the same moment, so
 * everyone locks people first, in the order of their IDs, and only then their codes and identities.
 */
export async function lockPortalPeople(db: Database, ids: readonly string[]): Promise<void> {
  for (const id of [...new Set(ids)].sort()) await lockedPortalPerson(db, id);
}

/** Locks a person, and the person who has the identity that they are about to add. */
export async function lockForAddition(db: Database, personId: string, identity: Identity): Promise<void> {
  const owner = (await identityRow(db, identity))?.person_id;
  await lockPortalPeople(db, owner === undefined ? [personId] : [personId, owner]);
}

/** Locks the person who has this identity. One statement whether there is one or not: the time must not tell. */
export async function lockOwner(db: Database, { kind, value }: Identity): Promise<void> {
  await db
    .updateTable("portal_people")
    .set((row) => ({ updated_at: row.ref("updated_at") }))
    .where("id", "in", (rows) =>
      rows
        .selectFrom("portal_identities")
        .select("person_id")
        .where("kind", "=", kind)
        .where("value", "=", value),
    )
    .execute();
}

export async function setPortalLocale(db: Database, id: string, locale: Language | null, nowMs: number) {
  await db.updateTable("portal_people").set({ locale, updated_at: nowMs }).where("id", "=", id).execute();
}

/**
 * The person who has proven this, locked; created if it is the first time. On PostgreSQL two first sign-ins at the same
 * moment conflict, and the slower one is run again.
 */
export async function personWith(
  db: Database,
  proven: ProvenIdentity,
  newId: () => string,
  nowMs: number,
): Promise<string> {
  const known = await identityRow(db, proven);
  if (known !== undefined && (await lockedPortalPerson(db, known.person_id)) !== undefined) {
    if (known.name !== proven.name)
      await db
        .updateTable("portal_identities")
        .set({ name: proven.name })
        .where("id", "=", known.id)
        .execute();
    return known.person_id;
  }
  const id = newId();
  await db
    .insertInto("portal_people")
    .values({ id, locale: null, created_at: nowMs, updated_at: nowMs })
    .execute();
  await db
    .insertInto("portal_identities")
    .values({ ...proven, id: newId(), person_id: id, verified_at: nowMs })
    .execute();
  return id;
}

/** Gives the person what they have proven, also if another person had it before: that one may have no identity left. */
export async function giveIdentity(
  db: Database,
  personId: string,
  proven: ProvenIdentity,
  newId: () => string,
  nowMs: number,
): Promise<void> {
  const before = await identityRow(db, proven);
  if (before === undefined) {
    await db
      .insertInto("portal_identities")
      .values({ ...proven, id: newId(), person_id: personId, verified_at: nowMs })
      .execute();
    return;
  }
  await db
    .updateTable("portal_identities")
    // A new ID: the former owner knows the old one.
    .set({
      person_id: personId,
      id: before.person_id === personId ? before.id : newId(),
      name: proven.name,
      verified_at: nowMs,
    })
    .where("kind", "=", proven.kind)
    .where("value", "=", proven.value)
    .execute();
}

export async function countIdentities(db: Database, personId: string): Promise<number> {
  const { count } = await db
    .selectFrom("portal_identities")
    .select((is) => is.fn.countAll<number>().as("count"))
    .where("person_id", "=", personId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Whether there was one. */
export async function removeIdentity(db: Database, personId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("portal_identities")
    .where("person_id", "=", personId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** A person who has nothing proven cannot sign in again: they are removed with their sessions. */
export async function removeIfUnidentified(db: Database, personIds: readonly string[]): Promise<void> {
  for (const id of [...new Set(personIds)].sort()) {
    if ((await lockedPortalPerson(db, id)) === undefined) continue;
    if ((await countIdentities(db, id)) === 0) await removePortalPerson(db, id);
  }
}

/** Removes the person and everything that is only theirs. Transfers stay, without who requested them. */
export async function removePortalPerson(db: Database, id: string): Promise<void> {
  await removeRequester(db, id);
  for (const table of ["portal_sessions", "portal_codes", "portal_identities"] as const)
    await db.deleteFrom(table).where("person_id", "=", id).execute();
  await db.deleteFrom("portal_people").where("id", "=", id).execute();
}

/**
 * After customers were removed: what nobody has a customer for any more is removed from the portal as well, and people
 * who are left with nothing, with their sessions. Another organization's customer stays signed in.
 */
export async function removeUnknownIdentities(
  db: Database,
  removed: readonly Pick<CustomerRow, "email" | "discord_id">[],
): Promise<void> {
  const unknown: Identity[] = [];
  const owners: string[] = [];
  for (const identity of removed.flatMap(identitiesOf)) {
    if (await hasCustomer(db, identity)) continue;
    const owner = (await identityRow(db, identity))?.person_id;
    if (owner === undefined) continue;
    unknown.push(identity);
    owners.push(owner);
  }
  await lockPortalPeople(db, owners);
  for (const { kind, value } of unknown) {
    const { person_id: owner } =
      (await db
        .deleteFrom("portal_identities")
        .where("kind", "=", kind)
        .where("value", "=", value)
        .returning("person_id")
        .executeTakeFirst()) ?? {};
    if (owner !== undefined) owners.push(owner);
  }
  await removeIfUnidentified(db, owners);
}

async function hasCustomer(db: Database, { kind, value }: Identity): Promise<boolean> {
  const column = kind === "email" ? "email" : "discord_id";
  const row = await db.selectFrom("customers").select("id").where(column, "=", value).executeTakeFirst();
  return row !== undefined;
}

function identitiesOf(customer: Pick<CustomerRow, "email" | "discord_id">): Identity[] {
  const { email, discord_id: discordId } = customer;
  return [
    ...(email === null ? [] : [{ kind: "email" as const, value: email }]),
    ...(discordId === null ? [] : [{ kind: "discord" as const, value: discordId }]),
  ];
}

export async function addPortalSession(db: Database, row: PortalSessionRow): Promise<void> {
  await db.insertInto("portal_sessions").values(row).execute();
}

/** The most sessions of one person. */
export const maxPortalSessions = 100;

/** Ends the oldest sessions of a person who has more than the most. */
export async function limitPortalSessions(db: Database, personId: string): Promise<void> {
  await db
    .deleteFrom("portal_sessions")
    .where("person_id", "=", personId)
    .where("id", "not in", (rows) =>
      rows
        .selectFrom("portal_sessions")
        .select("id")
        .where("person_id", "=", personId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(maxPortalSessions),
    )
    .execute();
}

/** Those that have not expired, newest first. */
export async function portalSessionsOf(db: Database, personId: string, nowMs: number) {
  return db
    .selectFrom("portal_sessions")
    .selectAll()
    .where("person_id", "=", personId)
    .where("expires_at", ">", nowMs)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(maxPortalSessions)
    .execute();
}

/** Whether there was one. */
export async function endPortalSession(db: Database, personId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("portal_sessions")
    .where("person_id", "=", personId)
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function endPortalSessions(db: Database, personId: string): Promise<void> {
  await db.deleteFrom("portal_sessions").where("person_id", "=", personId).execute();
}

export const portalSessionByHash = prepared((db, tokenHash: string) =>
  db.selectFrom("portal_sessions").selectAll().where("token_hash", "=", tokenHash),
).first;

export async function portalSessionById(db: Database, id: string): Promise<PortalSessionRow | undefined> {
  return db.selectFrom("portal_sessions").selectAll().where("id", "=", id).executeTakeFirst();
}

export async function touchPortalSession(db: Database, id: string, nowMs: number): Promise<void> {
  await db.updateTable("portal_sessions").set({ last_used_at: nowMs }).where("id", "=", id).execute();
}
