import { addPortalSession } from "@countersign/store/queries/portal/sessions";
import type { Store } from "@countersign/store/store";
import { hashPortalToken, newPortalToken } from "../../apps/server/features/portal/session.ts";
import type { FilledOrganization } from "./filled-organization.ts";
import { newId } from "./test-organization.ts";

/** A customer with a session in the portal. */
export interface PortalCustomer {
  readonly personId: string;
  readonly email: string;
  readonly identityId: string;
  readonly sessionId: string;
  readonly token: string;
  /** The `Cookie` header. */
  readonly cookie: string;
}

/** Signs in the customer of the organization's license. Writes everything directly to the tables. */
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
  const [personId, identityId, sessionId, token] = [newId(), newId(), newId(), newPortalToken()];
  const nowMs = Date.now();
  await store.transaction(async (db) => {
    await db
      .insertInto("portal_people")
      .values({ id: personId, locale: null, created_at: nowMs, updated_at: nowMs })
      .execute();
    await db
      .insertInto("portal_identities")
      .values({
        kind: "email",
        value: email,
        id: identityId,
        person_id: personId,
        name: null,
        verified_at: nowMs,
      })
      .execute();
    await addPortalSession(db, {
      id: sessionId,
      person_id: personId,
      token_hash: hashPortalToken(token),
      signed_in_by: "email",
      ip: null,
      user_agent: null,
      created_at: nowMs,
      last_used_at: nowMs,
      expires_at: nowMs + 86_400_000,
    });
  });
  return { personId, email, identityId, sessionId, token, cookie: `countersign_portal=${token}` };
}

/** A transfer of the organization's license that its customer has requested and that waits. Returns its ID. */
export async function transferOf(
  store: Store,
  organization: Pick<FilledOrganization, "idFor" | "organizationId">,
  { email, personId }: PortalCustomer,
): Promise<string> {
  const { customer_id: customerId, product_id: productId } = await store.reads
    .selectFrom("licenses")
    .select(["customer_id", "product_id"])
    .where("id", "=", organization.idFor("license_id", "") ?? "")
    .executeTakeFirstOrThrow();
  const [id, nowMs] = [newId(), Date.now()];
  await store.transaction((db) =>
    db
      .insertInto("transfers")
      .values({
        id,
        organization_id: organization.organizationId,
        product_id: productId,
        license_id: organization.idFor("license_id", "") ?? "",
        license_key_hint: "AAAA",
        state: "pending",
        from_customer_id: customerId ?? "",
        from_email: email,
        from_discord_id: null,
        from_name: null,
        to_email: "recipient@example.com",
        to_discord_id: null,
        to_customer_id: null,
        message: null,
        review_reason: "product_setting",
        requested_by: personId,
        requested_at: nowMs,
        decided_at: null,
        decided_by: null,
        decided_by_name: null,
        reason: null,
        updated_at: nowMs,
      })
      .execute(),
  );
  return id;
}
