import type { Language } from "@countersign/domain/mail/languages";
import { prepared } from "../../prepared-query.ts";
import { openText, sealText } from "../../sealed-columns.ts";
import type { Database } from "../../store.ts";
import type { PortalCodeRow } from "../../tables/portal.ts";
import { lockOwner } from "./people.ts";

/** The wrong codes that one code allows: from the browser that requested it, and from all others together. */
export const maxCodeAttempts = 5;

/** A code as it can be compared. */
export type TriedCode = Pick<PortalCodeRow, "id" | "code_hash">;

export async function addPortalCode(
  db: Database,
  { email, ...row }: Omit<PortalCodeRow, "sealed_email" | "attempts" | "other_attempts"> & { email: string },
): Promise<void> {
  await db
    .insertInto("portal_codes")
    .values({ ...row, sealed_email: sealText(db, email) })
    .execute();
}

/** Whether this browser requested a code for the email address that has not expired. */
export async function hasRequestedCode(
  db: Database,
  { emailHash, challengeHash, nowMs }: { emailHash: string; challengeHash: string; nowMs: number },
): Promise<boolean> {
  return (await requestedCode(db, emailHash, challengeHash, nowMs)) !== undefined;
}

const requestedCode = prepared((db, emailHash: string, challengeHash: string, nowMs: number) =>
  db
    .selectFrom("portal_codes")
    .select("id")
    .where("email_hash", "=", emailHash)
    .where("challenge_hash", "=", challengeHash)
    .where("expires_at", ">", nowMs)
    .where("person_id", "is", null)
    .limit(1),
).first;

/**
 * Counts an attempt from the browser that requested the codes, and returns those that still allowed one. Counted before
 * anything is compared, in one statement: parallel attempts cannot exceed the limit.
 */
export async function tryRequestedCodes(
  db: Database,
  { emailHash, challengeHash, nowMs }: { emailHash: string; challengeHash: string; nowMs: number },
): Promise<TriedCode[]> {
  return db
    .updateTable("portal_codes")
    .set((row) => ({ attempts: row("attempts", "+", 1) }))
    .where("email_hash", "=", emailHash)
    .where("challenge_hash", "=", challengeHash)
    .where("expires_at", ">", nowMs)
    .where("person_id", "is", null)
    .where("attempts", "<", maxCodeAttempts)
    .returning(["id", "code_hash"])
    .execute();
}

/** The same for every other browser, which all share the limit of each code. */
export async function tryCodesOfOthers(
  db: Database,
  { emailHash, nowMs }: { emailHash: string; nowMs: number },
): Promise<TriedCode[]> {
  return db
    .updateTable("portal_codes")
    .set((row) => ({ other_attempts: row("other_attempts", "+", 1) }))
    .where("email_hash", "=", emailHash)
    .where("expires_at", ">", nowMs)
    .where("person_id", "is", null)
    .where("other_attempts", "<", maxCodeAttempts)
    .returning(["id", "code_hash"])
    .execute();
}

/** The same for codes with which a signed-in person adds the email address. */
export async function tryCodesForAdding(
  db: Database,
  { emailHash, personId, nowMs }: { emailHash: string; personId: string; nowMs: number },
): Promise<TriedCode[]> {
  return db
    .updateTable("portal_codes")
    .set((row) => ({ attempts: row("attempts", "+", 1) }))
    .where("email_hash", "=", emailHash)
    .where("person_id", "=", personId)
    .where("expires_at", ">", nowMs)
    .where("attempts", "<", maxCodeAttempts)
    .returning(["id", "code_hash"])
    .execute();
}

/**
 * Uses up a link with all codes of its email address, and returns the address. Of two requests, one gets it: both remove
 * the same rows in the same order, and the slower one finds none. Locks the person first: see `lockPortalPeople`.
 */
export async function takeLink(db: Database, linkHash: string, nowMs: number): Promise<string | null> {
  const link = await db
    .selectFrom("portal_codes")
    .select(["id", "email_hash", "sealed_email"])
    .where("link_hash", "=", linkHash)
    .where("expires_at", ">", nowMs)
    .where("person_id", "is", null)
    .executeTakeFirst();
  if (link === undefined) return null;
  const email = openText(db, link.sealed_email);
  await lockOwner(db, { kind: "email", value: email });
  const removed = await db
    .deleteFrom("portal_codes")
    .where("email_hash", "=", link.email_hash)
    .returning("id")
    .execute();
  return removed.some(({ id }) => id === link.id) ? email : null;
}

/** Once someone has proven the email address, its other codes are no longer needed. */
export async function removeCodesOf(db: Database, emailHash: string): Promise<void> {
  await db.deleteFrom("portal_codes").where("email_hash", "=", emailHash).execute();
}

/** What is known about an email address that someone wants to sign in with. */
export interface KnownEmail {
  /** Whether it is a customer's, or someone has proven it. */
  readonly isKnown: boolean;
  /** The person who has proven it. */
  readonly personId: string | null;
  /** The language that the person chose. */
  readonly chosenLanguage: Language | null;
  /** The language of the organization that recorded the customer last. */
  readonly sellerLanguage: Language | null;
}

/** Always the same queries, so that both results take the same time. */
export async function knownEmail(db: Database, email: string): Promise<KnownEmail> {
  const person = await db
    .selectFrom("portal_identities")
    .innerJoin("portal_people", "portal_people.id", "portal_identities.person_id")
    .select(["portal_people.id", "portal_people.locale"])
    .where("portal_identities.kind", "=", "email")
    .where("portal_identities.value", "=", email)
    .executeTakeFirst();
  const customer = await db
    .selectFrom("customers")
    .innerJoin("organizations", "organizations.id", "customers.organization_id")
    .select("organizations.locale")
    .where("customers.email", "=", email)
    .where("organizations.deleted_at", "is", null)
    .orderBy("customers.created_at", "desc")
    .limit(1)
    .executeTakeFirst();
  return {
    isKnown: person !== undefined || customer !== undefined,
    personId: person?.id ?? null,
    chosenLanguage: person?.locale ?? null,
    sellerLanguage: customer?.locale ?? null,
  };
}
