import { addPortalSession } from "@countersign/store/queries/portal/sessions";
import type { Store } from "@countersign/store/store";
import { hashPortalToken, newPortalToken } from "../../apps/server/features/portal/session.ts";
import type { FilledOrganization } from "./filled-organization.ts";
import { newId } from "./test-organization.ts";

/** Someone with a session in the portal. */
export interface PortalPerson {
  readonly personId: string;
  readonly sessionId: string;
  /** Of the first identity. */
  readonly identityId: string;
  readonly token: string;
  /** The `Cookie` header. */
  readonly cookie: string;
}

export interface PortalCustomer extends PortalPerson {
  readonly email: string;
}

/** What someone has proven to own. */
export interface PortalIdentities {
  readonly emails?: readonly string[];
  readonly discordIds?: readonly string[];
}

/** Someone who has proven these identities and is signed in. Writes everything directly to the tables. */
export async function addPortalPerson(
  store: Store,
  { emails = [], discordIds = [] }: PortalIdentities,
): Promise<PortalPerson> {
  const personId = newId();
  // Before whatever is proven later, also by the clock of a database that is a little behind.
  const nowMs = Date.now() - 1_000;
  const identities = [
    ...emails.map((value) => ({ kind: "email" as const, value })),
    ...discordIds.map((value) => ({ kind: "discord" as const, value })),
  ].map((identity) => ({ ...identity, id: newId(), person_id: personId, name: null, verified_at: nowMs }));
  await store.transaction(async (db) => {
    const person = { id: personId, locale: null, created_at: nowMs, updated_at: nowMs };
    await db.insertInto("portal_people").values(person).execute();
    await db.insertInto("portal_identities").values(identities).execute();
  });
  return { personId, identityId: identities[0]?.id ?? "", ...(await addSessionOf(store, personId)) };
}

/** A session of a person, with the token of its cookie. */
export async function addSessionOf(store: Store, personId: string) {
  const [sessionId, token] = [newId(), newPortalToken()];
  const nowMs = Date.now();
  await store.transaction((db) =>
    addPortalSession(db, {
      id: sessionId,
      person_id: personId,
      token_hash: hashPortalToken(token),
      signed_in_by: "email",
      ip: null,
      user_agent: null,
      created_at: nowMs,
      last_used_at: nowMs,
      expires_at: nowMs + 86_400_000,
    }),
  );
  return { sessionId, token, cookie: `countersign_portal=${token}` };
}

/** Signs in the customer of the organization's license. */
export async function addPortalCustomer(
  store: Store,
  organization: Pick<FilledOrganization, "idFor">,
): Promise<PortalCustomer> {
  const { email } = await store.reads
    .selectFrom("licenses")
    .innerJoin("customers", "customers.id", "licenses.customer_id")
    .select("customers.email")
    .where("licenses.id", "=", organization.idFor("license_id", "") ?? "")
    .executeTakeFirstOrThrow();
  if (email === null) throw new Error("The customer has no email address.");
  return { email, ...(await addPortalPerson(store, { emails: [email] })) };
}
