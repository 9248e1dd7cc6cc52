import { beforeEach, expect, test } from "bun:test";
import { addPerson } from "../../../../../tests/support/manage-fixture.ts";
import { openOwnOrganization } from "../../../../../tests/support/own-organization.ts";
import { testsOn } from "../../../../../tests/support/tests-on.ts";
import { createSetupToken, isValidSetupToken, setupLinkMinutes, useSetupToken } from "./setup-link.ts";

const nowMs = Date.UTC(2025, 0);
const endMs = nowMs + setupLinkMinutes * 60_000;

// With its own database, in which there are no users.
testsOn("postgres", "set-up links", openOwnOrganization, (fixture) => {
  beforeEach(() =>
    fixture.store.transaction(async (db) => {
      await db.deleteFrom("users").execute();
      await db.deleteFrom("platform_state").where("name", "like", "setup-link:%").execute();
    }),
  );

  const create = async () => String(await createSetupToken(fixture.store, nowMs));
  const isValid = (token: string, atMs = nowMs) => isValidSetupToken(fixture.store.reads, token, atMs);
  const use = (token: string, atMs = nowMs) =>
    fixture.store.transaction((db) => useSetupToken(db, token, atMs));

  test("a set-up link works for half an hour, and is stored as a hash", async () => {
    const token = await create();
    expect(setupLinkMinutes).toBe(30);
    expect([await isValid(token, endMs - 1), await isValid(token, endMs)]).toEqual([true, false]);
    expect([await use(token, endMs), await use("made up")]).toEqual([false, false]);
    const rows = await fixture.store.reads.selectFrom("platform_state").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test("only one of the set-up links of all nodes can be used, and only once, also at the same time", async () => {
    const tokens = [await create(), await create()];
    expect(await Promise.all(tokens.map((token) => isValid(token)))).toEqual([true, true]);
    const used = await Promise.all([...tokens, ...tokens].map((token) => use(token)));
    expect(used.filter((isUsed) => isUsed)).toHaveLength(1);
    expect(await Promise.all(tokens.map((token) => isValid(token)))).toEqual([false, false]);
  });

  test("once there is a user, no set-up link is created or can be used", async () => {
    const token = await create();
    await addPerson(fixture.store);
    expect([await createSetupToken(fixture.store, nowMs), await use(token)]).toEqual([null, false]);
  });
});
