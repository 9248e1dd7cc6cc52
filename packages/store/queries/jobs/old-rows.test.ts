import { expect, test } from "bun:test";
import { emailRow, waitingEmailRow } from "../../../../tests/support/emails.ts";
import { insertSession } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { Database } from "../../store.ts";
import { storeNew } from "../api/idempotency.ts";
import { recordStripeEvent } from "../billing/stripe.ts";
import { addOneTimeToken } from "../identity/sign-in.ts";
import { startImpersonation } from "../impersonations/impersonations.ts";
import { addEmails } from "../mail/outbox.ts";
import { addWaitingEmails } from "../mail/waiting-emails.ts";
import { addPortalCode } from "../portal/codes.ts";
import { addPortalAction } from "../portal/licenses.ts";
import { addPortalSession, personWith } from "../portal/people.ts";
import { addNotice } from "../usage/quota-notices.ts";
import { type AgingTableName, deleteOldRows } from "./old-rows.ts";

/** Long ago, so that the rows of other tests are not old. */
const nowMs = -1_000_000;

interface Owners {
  readonly user_id: string;
  readonly organization_id: string;
  readonly product_id: string;
  readonly license_id: string;
}

/** Adds a row of this time. */
const add: Record<AgingTableName, (db: Database, at: number, owners: Owners) => Promise<unknown>> = {
  attempts: (db, ends_at) => db.insertInto("attempts").values({ name: newId(), ends_at }).execute(),
  daily_usage: (db, day, { product_id }) =>
    db
      .insertInto("daily_usage")
      .values({ product_id, day, used: 1, last_granted: 1, daily_limit: null })
      .execute(),
  idempotency_keys: (db, created_at) => {
    const answer = { fingerprint: "f", status: 201, sealed_answer: "s", created_at };
    return storeNew(db, { actor_id: newId(), idempotency_key: newId(), ...answer });
  },
  impersonations: (db, expires_at, { user_id, organization_id }) => {
    const ids = { id: newId(), session_id: newId(), user_id, organization_id };
    return startImpersonation(db, { ...ids, reason: "Ticket 1", started_at: 1, expires_at });
  },
  outbox: (db, created_at) => addEmails(db, [emailRow({ created_at, next_attempt_at: null })]),
  portal_actions: (db, at, { license_id }) =>
    addPortalAction(db, { id: newId(), license_id, action: "ip_removed", count: 1, at }),
  portal_codes: (db, expires_at) => {
    const hashes = { code_hash: newId(), link_hash: newId(), challenge_hash: newId() };
    const request = { id: newId(), email: "ada@example.com", email_hash: newId(), person_id: null };
    return addPortalCode(db, { ...request, ...hashes, created_at: 1, expires_at });
  },
  portal_sessions: async (db, expires_at) => {
    const identity = { kind: "email", value: `${newId()}@example.com`, name: null } as const;
    const ids = { id: newId(), person_id: await personWith(db, identity, newId, 1), token_hash: newId() };
    const browser = { signed_in_by: "email", ip: null, user_agent: null } as const;
    return addPortalSession(db, { ...ids, ...browser, created_at: 1, last_used_at: 1, expires_at });
  },
  quota_notices: (db, day, { organization_id, product_id }) =>
    addNotice(db, { organization_id, product_id, day, type: "quota.warning" }),
  sessions: (db, expiresAtMs, { user_id }) => insertSession(db, { user_id, expiresAtMs }),
  stripe_events: (db, received_at) =>
    recordStripeEvent(db, { id: newId(), type: "invoice.paid", organization_id: null, received_at }),
  verifications: (db, expiresAtMs) =>
    addOneTimeToken(db, { id: newId(), identifier: newId(), value: "", expiresAtMs }, expiresAtMs),
  waiting_emails: (db, created_at) => addWaitingEmails(db, [waitingEmailRow({ created_at })]),
};

onBothDatabases("old rows", (fixture) => {
  test.each(Object.keys(add) as AgingTableName[])(
    "old rows of %s are deleted, the oldest first, up to a number, and no others",
    async (table) => {
      const { organizationId, productId, license } = await fixture.organization();
      const owners = {
        organization_id: organizationId,
        product_id: productId,
        user_id: (await fixture.user()).id,
        license_id: (await license()).id,
      };
      const deleteSome = (before: number) => fixture.write((db) => deleteOldRows(db, table, before, 2));
      for (const at of [0, -30, 10, -10, -20])
        await fixture.write((db) => add[table](db, nowMs + at, owners));
      expect(await deleteSome(nowMs)).toBe(2);
      expect(await deleteSome(nowMs - 15)).toBe(0);
      expect([await deleteSome(nowMs), await deleteSome(nowMs + 1), await deleteSome(nowMs + 20)]).toEqual([
        1, 1, 1,
      ]);
    },
  );
});
