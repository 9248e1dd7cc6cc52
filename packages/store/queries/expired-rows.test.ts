import { expect, test } from "bun:test";
import { insertSession } from "../../../tests/support/people-rows.ts";
import { onBothDatabases } from "../../../tests/support/query-tests.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import type { Database } from "../store.ts";
import { removeOldAttempts, removeOldSessions, removeOldVerifications } from "./identity/expired-rows.ts";
import { addOneTimeToken } from "./identity/sign-in.ts";
import { removeOldImpersonations, startImpersonation } from "./impersonations/impersonations.ts";
import { addPortalAction, removeOldPortalActions } from "./portal/actions.ts";
import { addPortalCode } from "./portal/codes.ts";
import { removeExpiredPortalCodes, removeExpiredPortalSessions } from "./portal/expired-rows.ts";
import { personWith } from "./portal/people.ts";
import { addPortalSession } from "./portal/sessions.ts";

/** Long ago, so that the rows of other tests have not expired. */
const nowMs = -1_000_000;

onBothDatabases("expired rows", (fixture) => {
  type Owners = Record<"user_id" | "organization_id" | "license_id", string>;
  type Row = [
    what: string,
    /** The oldest time that stays. */
    kept: "now" | "later",
    remove: (db: Database, atMs: number, atMost: number) => Promise<number>,
    add: (db: Database, endsAtMs: number, of: Owners) => Promise<unknown>,
  ];
  const rows: Row[] = [
    [
      "sessions",
      "now",
      removeOldSessions,
      (db, expiresAtMs, { user_id }) => insertSession(db, { user_id, expiresAtMs }),
    ],
    [
      "links and codes",
      "now",
      removeOldVerifications,
      (db, endsAtMs) => {
        const link = { id: newId(), identifier: newId(), value: "", expiresAtMs: endsAtMs };
        return addOneTimeToken(db, link, endsAtMs);
      },
    ],
    [
      "counts of attempts",
      "later",
      removeOldAttempts,
      (db, ends_at) => db.insertInto("attempts").values({ name: newId(), ends_at }).execute(),
    ],
    [
      "impersonations",
      "later",
      removeOldImpersonations,
      (db, expires_at, { user_id, organization_id }) => {
        const ids = { id: newId(), session_id: newId(), user_id, organization_id };
        return startImpersonation(db, { ...ids, reason: "Ticket 1", started_at: 1, expires_at });
      },
    ],
    [
      "sessions of the portal",
      "later",
      removeExpiredPortalSessions,
      async (db, expires_at) => {
        const proven = { kind: "email", value: `${newId()}@example.com`, name: null } as const;
        const ids = { id: newId(), person_id: await personWith(db, proven, newId, 1), token_hash: newId() };
        const browser = { signed_in_by: "email", ip: null, user_agent: null } as const;
        return addPortalSession(db, { ...ids, ...browser, created_at: 1, last_used_at: 1, expires_at });
      },
    ],
    [
      "codes of the portal",
      "later",
      removeExpiredPortalCodes,
      (db, expires_at) => {
        const hashes = { code_hash: newId(), link_hash: newId(), challenge_hash: newId() };
        const of = { id: newId(), email: "ada@example.com", email_hash: newId(), person_id: null };
        return addPortalCode(db, { ...of, ...hashes, created_at: 1, expires_at });
      },
    ],
    [
      "actions in the portal",
      "now",
      removeOldPortalActions,
      (db, at, { license_id }) =>
        addPortalAction(db, { id: newId(), license_id, action: "ip_removed", count: 1, at }),
    ],
  ];

  test.each(rows)("%s are removed once they have expired, the oldest first", async (_, kept, remove, add) => {
    const { organizationId, license } = await fixture.organization();
    const of = { organization_id: organizationId, user_id: (await fixture.user()).id };
    const { id: license_id } = await license();
    const removeSome = (atMs: number) => fixture.write((db) => remove(db, atMs, 2));
    for (const afterMs of [0, -30, 10, -10, -20])
      await fixture.write((db) => add(db, nowMs + afterMs, { ...of, license_id }));
    expect(await removeSome(nowMs)).toBe(2);
    expect(await removeSome(nowMs - 15)).toBe(0);
    const rest = [await removeSome(nowMs), await removeSome(nowMs + 1)];
    expect(rest).toEqual(kept === "now" ? [1, 1] : [2, 0]);
    expect(await removeSome(nowMs + 20)).toBe(1);
  });
});
