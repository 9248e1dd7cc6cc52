import {
  addPortalSession,
  giveIdentity,
  identityRow,
  personWith,
} from "@countersign/store/queries/portal/people";
import type { Store } from "@countersign/store/store";
import { hashPortalToken, newPortalToken } from "../../apps/server/features/portal/session.ts";
import type { FilledOrganization } from "./filled-organization.ts";
import { newId } from "./test-organization.ts";

/** What someone has proven to own: at least one of either. */
export interface PortalIdentities {
  readonly emails?: readonly string[];
  readonly discordIds?: readonly string[];
}

/** Someone who has proven these identities and is signed in, with the ID of the first. Written to the tables. */
export async function addPortalPerson(store: Store, { emails = [], discordIds = [] }: PortalIdentities) {
  // Before whatever is proven later, also by the clock of a database that is a little behind.
  const nowMs = Date.now() - 1_000;
  const [first, ...others] = [
    ...emails.map((value) => ({ kind: "email" as const, value, name: null })),
    ...discordIds.map((value) => ({ kind: "discord" as const, value, name: null })),
  ];
  if (first === undefined) throw new Error("A person without an identity cannot sign in.");
  const person = await store.transaction(async (db) => {
    const personId = await personWith(db, first, newId, nowMs);
    for (const identity of others) await giveIdentity(db, personId, identity, newId, nowMs);
    return { personId, identityId: String((await identityRow(db, first))?.id) };
  });
  return { ...person, ...(await addSessionOf(store, person.personId)) };
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
export async function addPortalCustomer(store: Store, organization: Pick<FilledOrganization, "idFor">) {
  const { email } = await store.reads
    .selectFrom("licenses")
    .innerJoin("customers", "customers.id", "licenses.customer_id")
    .select("customers.email")
    .where("licenses.id", "=", organization.idFor("license_id", "") ?? "")
    .executeTakeFirstOrThrow();
  return addPortalPerson(store, { emails: [String(email)] });
}
