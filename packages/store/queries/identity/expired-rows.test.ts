import { expect, test } from "bun:test";
import { insertSession } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases, type QueryFixture } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { removeOldAttempts, removeOldSessions, removeOldVerifications } from "./expired-rows.ts";
import { addOneTimeToken } from "./sign-in.ts";

/** Long ago, so that the rows of other tests have not expired. */
const nowMs = Date.UTC(1980, 0);

onBothDatabases("expired rows of sign-ins", (fixture) => {
  test.each([
    ["sessions", removeOldSessions, addSession],
    ["links and codes", removeOldVerifications, addVerification],
    ["counts of attempts", removeOldAttempts, addAttempts],
  ] as const)(
    "%s are removed once they have expired, the oldest first, up to a number",
    async (_, remove, add) => {
      const removeSome = (atMs: number) => fixture.write((db) => remove(db, atMs, 2));
      for (const endsAfterMs of [-30, -20, -10, 10]) await add(fixture, nowMs + endsAfterMs);
      expect(await removeSome(nowMs)).toBe(2);
      expect(await removeSome(nowMs - 15)).toBe(0);
      expect(await removeSome(nowMs)).toBe(1);
      expect(await removeSome(nowMs)).toBe(0);
      expect(await removeSome(nowMs + 20)).toBe(1);
    },
  );
});

async function addSession({ user, write }: QueryFixture, endsAtMs: number): Promise<void> {
  const { id } = await user();
  await write((db) => insertSession(db, { user_id: id, expiresAtMs: endsAtMs }));
}

async function addVerification({ write }: QueryFixture, endsAtMs: number): Promise<void> {
  const link = { id: newId(), identifier: newId(), value: "", expiresAtMs: endsAtMs };
  await write((db) => addOneTimeToken(db, link, endsAtMs));
}

async function addAttempts({ write }: QueryFixture, endsAtMs: number): Promise<void> {
  await write((db) => db.insertInto("attempts").values({ name: newId(), ends_at: endsAtMs }).execute());
}
