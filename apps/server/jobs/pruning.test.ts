import { expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { newId } from "@countersign/store/new-id";
import { storeNew } from "@countersign/store/queries/api/idempotency";
import { recordStripeEvent } from "@countersign/store/queries/billing/stripe";
import { addOneTimeToken } from "@countersign/store/queries/identity/sign-in";
import { addUser } from "@countersign/store/queries/identity/users";
import { addEmails } from "@countersign/store/queries/mail/outbox";
import { addPortalCode } from "@countersign/store/queries/portal/codes";
import { addPortalAction } from "@countersign/store/queries/portal/licenses";
import { addPortalSession, personWith } from "@countersign/store/queries/portal/people";
import type { Database } from "@countersign/store/store";
import type { Tables } from "@countersign/store/tables";
import type { TestedDatabase } from "../../../tests/support/databases.ts";
import { emailRow, waitingEmailRow } from "../../../tests/support/emails.ts";
import { openOwnOrganization } from "../../../tests/support/own-organization.ts";
import { insertSession } from "../../../tests/support/people-rows.ts";
import { testsOn } from "../../../tests/support/tests-on.ts";
import { pruningJobs } from "./pruning.ts";

/** Only the database's clock counts, which is behind that of this node. */
const nowMs = Date.now() - 2 * hourMs;

/** With an account, someone who uses the portal, and a license. */
async function open(make: TestedDatabase["make"]) {
  const org = await openOwnOrganization(make, { now: () => nowMs });
  const { id: licenseId } = await org.license();
  const user = { id: newId(), name: "Ada", email: "ada@example.com", emailVerified: true };
  const personId = await org.store.transaction(async (db) => {
    await addUser(db, { ...user, isPlatformAdmin: false }, nowMs);
    return personWith(db, { kind: "email", value: user.email, name: null }, newId, nowMs);
  });
  return { ...org, ids: { licenseId, userId: user.id, personId } };
}

type Ids = Awaited<ReturnType<typeof open>>["ids"];
type PrunedTable = keyof typeof add;

/** The column has the time by which a row is old. What customers did themselves counts for a budget of 30 days. */
const pruned: [table: PrunedTable, column: string, keptForMs: number][] = [
  ["idempotency_keys", "created_at", dayMs],
  ["sessions", "expires_at", 0],
  ["verifications", "expires_at", 0],
  ["attempts", "ends_at", 0],
  ["portal_codes", "expires_at", 0],
  ["portal_sessions", "expires_at", 0],
  ["portal_actions", "at", 30 * dayMs],
  ["stripe_events", "received_at", 90 * dayMs],
  ["outbox", "created_at", 90 * dayMs],
  ["waiting_emails", "created_at", 90 * dayMs],
];

const ofPortal = (expires_at: number) => ({ id: newId(), created_at: nowMs, expires_at });
/** Adds a row of this time. */
const add = {
  idempotency_keys: (db, created_at) => {
    const answer = { fingerprint: "f", status: 201, sealed_answer: "s", created_at };
    return storeNew(db, { actor_id: "a", idempotency_key: newId(), ...answer });
  },
  sessions: (db, expiresAtMs, { userId }) => insertSession(db, { user_id: userId, expiresAtMs }),
  verifications: (db, expiresAtMs) =>
    addOneTimeToken(db, { id: newId(), identifier: newId(), value: "v", expiresAtMs }, nowMs),
  attempts: (db, ends_at) => db.insertInto("attempts").values({ name: newId(), ends_at }).execute(),
  portal_codes: (db, atMs) => {
    const hashes = { email_hash: newId(), code_hash: "", link_hash: newId(), challenge_hash: "" };
    return addPortalCode(db, { ...ofPortal(atMs), ...hashes, email: "ada@example.com", person_id: null });
  },
  portal_sessions: (db, atMs, { personId: person_id }) => {
    const origin = { signed_in_by: "email", ip: null, user_agent: null, last_used_at: nowMs } as const;
    return addPortalSession(db, { ...ofPortal(atMs), ...origin, person_id, token_hash: newId() });
  },
  portal_actions: (db, at, { licenseId: license_id }) =>
    addPortalAction(db, { id: newId(), license_id, action: "ip_removed", count: 1, at }),
  stripe_events: (db, received_at) =>
    recordStripeEvent(db, { id: newId(), type: "invoice.paid", organization_id: null, received_at }),
  outbox: (db, created_at) => addEmails(db, [emailRow({ created_at, next_attempt_at: null })]),
  waiting_emails: (db, created_at) =>
    db.insertInto("waiting_emails").values(waitingEmailRow({ created_at })).execute(),
} satisfies Partial<Record<keyof Tables, (db: Database, atMs: number, ids: Ids) => Promise<unknown>>>;

testsOn("sqlite", "pruning", open, (fixture) => {
  test.each(pruned)(
    "all old rows of %s are deleted, however many there are, and others are not",
    async (table, column, keptForMs) => {
      const minuteMs = 60_000;
      const kept = nowMs - keptForMs + minuteMs;
      await fixture.store.transaction(async (db) => {
        // More than are deleted at a time.
        for (let count = 0; count < 510; count++) await add[table](db, kept - 2 * minuteMs, fixture.ids);
        await add[table](db, kept, fixture.ids);
      });
      for (const job of pruningJobs(fixture.store, true)) await job.run();
      const left = await fixture.store.reads.selectFrom(table).selectAll().execute();
      const times = left.map((row) => new Date((row as never)[column]).getTime());
      expect(times).toEqual([kept]);
    },
  );
});
