import type { Language } from "@countersign/domain/mail/languages";
import type { Database } from "../../store.ts";

/** What is known about an email address that someone wants to sign in with. */
export interface KnownEmail {
  /** Whether it is a customer's, or someone has proven it. */
  readonly isKnown: boolean;
  /** The person who has proven it. */
  readonly personId: string | null;
  /** The language the person chose, otherwise that of the organization that recorded the customer last. */
  readonly language: Language | null;
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
    language: person?.locale ?? customer?.locale ?? null,
  };
}
