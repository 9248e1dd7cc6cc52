import { randomBytes } from "node:crypto";
import { portalBase } from "@countersign/contract/portal/base";
import { addPortalSession } from "@countersign/store/queries/portal/sessions";
import { portalCookieName } from "../../apps/server/features/portal/cookies.ts";
import { hashPortalToken } from "../../apps/server/features/portal/session.ts";
import type { Dashboard } from "../support/dashboard.ts";
import { newId } from "../support/test-organization.ts";

/** A customer who is signed in to the portal and can call its API. */
export interface SignedInCustomer {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  post(path: string, body?: unknown): Promise<any>;
}

/** Writes the account and its session to the tables: how customers sign in is tested elsewhere. */
export async function signInToPortal({ fixture }: Dashboard, email: string): Promise<SignedInCustomer> {
  const personId = newId();
  const token = randomBytes(32).toString("base64url");
  const nowMs = Date.now();
  await fixture.store.transaction(async (db) => {
    const person = { id: personId, locale: null, created_at: nowMs, updated_at: nowMs };
    await db.insertInto("portal_people").values(person).execute();
    await db
      .insertInto("portal_identities")
      .values({
        kind: "email",
        value: email,
        id: newId(),
        person_id: personId,
        name: null,
        verified_at: nowMs,
      })
      .execute();
    await addPortalSession(db, {
      id: newId(),
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
  return {
    post: async (path, body = {}) => {
      const response = await fetch(fixture.url + portalBase + path, {
        method: "POST",
        headers: {
          cookie: `${portalCookieName(fixture.url)}=${token}`,
          origin: fixture.url,
          "content-type": "application/json",
          "idempotency-key": newId(),
        },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`POST ${path} was answered with ${response.status}: ${text}`);
      return JSON.parse(text);
    },
  };
}
