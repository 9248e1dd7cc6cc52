import { expect, test } from "bun:test";
import { insertSession } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import * as queries from "./sign-in.ts";

const nowMs = Date.UTC(2025, 0);

onBothDatabases("the ways to sign in", (fixture) => {
  const { read, write } = fixture.queries(queries);
  const userIds = async () => [(await fixture.user()).id, (await fixture.user()).id] as const;
  const addPasskey = async (userId: string) => {
    const id = newId();
    const row = {
      ...{
        id,
        user_id: userId,
        name: "Phone",
        credential_id: `credential ${id}`,
        public_key: "key",
        counter: 0,
      },
      ...{
        device_type: "singleDevice",
        backed_up: 0 as const,
        transports: null,
        aaguid: null,
        created_at: null,
      },
    };
    await fixture.write((db) => db.insertInto("passkeys").values(row).execute());
    return id;
  };

  test("a password hash and an external account belong to one user, and unlinking leaves the rest", async () => {
    const [mine, theirs] = await userIds();
    for (const userId of [mine, theirs]) {
      await write.addPassword({ id: newId(), userId, hash: `hash of ${userId}` }, nowMs);
      const discord = { provider_id: "discord", account_id: newId(), created_at: "", updated_at: "" };
      const account = { id: newId(), user_id: userId, ...discord };
      await fixture.write((db) => db.insertInto("accounts").values(account).execute());
    }
    expect(await read.passwordHashOf(mine)).toBe(`hash of ${mine}`);
    expect(await read.passwordHashOf(newId())).toBeNull();
    const unlink = () => write.unlinkProvider(mine, "discord");
    expect([await unlink(), await unlink()]).toEqual([true, false]);
    const providers = async (userId: string) =>
      (await read.accountsOf(userId)).map(({ provider_id: id }) => id);
    expect(await providers(mine)).toEqual(["credential"]);
    expect(await providers(theirs)).toEqual(["credential", "discord"]);
    expect(await read.passwordHashOf(mine)).not.toBeNull();
  });

  test("a passkey is found for its own user only, and removing passkeys keeps the named ones", async () => {
    const [mine, theirs] = await userIds();
    const [kept, removed] = [await addPasskey(mine), await addPasskey(mine)];
    const foreign = await addPasskey(theirs);
    const found = (userId: string, id: string) => read.passkeyById(userId, `credential ${id}`);
    await write.passkeyUsed(kept, 7);
    expect(await found(mine, kept)).toMatchObject({ id: kept, counter: 7 });
    expect(await found(mine, removed)).toMatchObject({ counter: 0 });
    expect(await found(mine, foreign)).toBeUndefined();
    const idsOf = async (userId: string) => (await read.passkeysOf(userId)).map(({ id }) => id);
    const removeExcept = (keptIds: string[]) => write.removePasskeysExcept(mine, keptIds);
    expect(await removeExcept([kept, foreign])).toBe(1);
    expect(await idsOf(mine)).toEqual([kept]);
    expect(await removeExcept([])).toBe(1);
    expect([await idsOf(mine), await idsOf(theirs)]).toEqual([[], [foreign]]);
  });

  test("sessions are listed in pages until they expire, and ended for their own user only", async () => {
    const [mine, theirs] = await userIds();
    const open = (userId: string, endsAfterMs: number) => {
      const times = { openedAtMs: nowMs - 5, expiresAtMs: nowMs + endsAfterMs };
      return fixture.write((db) => insertSession(db, { user_id: userId, ...times }));
    };
    const ids = await several(3, () => open(mine, 1));
    const expired = await open(mine, 0);
    const foreign = await open(theirs, 1);
    const pageOf = async (userId: string, afterId: string | null, limit = 10) =>
      (await read.sessionsOf(userId, { afterId, limit, nowMs })).map(({ id }) => id);
    expect(await pageOf(mine, null)).toEqual([...ids]);
    expect(await pageOf(mine, null, 2)).toEqual(ids.slice(0, 2));
    expect(await pageOf(mine, ids[1])).toEqual(ids.slice(2));
    expect(await read.sessionOpenedAt(ids[0])).toBe(nowMs - 5);
    const end = (id: string) => write.endSession(mine, id);
    expect([await end(foreign), await end(ids[0]), await end(ids[0])]).toEqual([false, true, false]);
    expect(await read.sessionOpenedAt(ids[0])).toBeNull();
    expect(await write.endOtherSessions(mine, ids[2])).toBe(2);
    expect(await read.sessionOpenedAt(expired)).toBeNull();
    expect([await pageOf(mine, null), await pageOf(theirs, null)]).toEqual([[ids[2]], [foreign]]);
    expect(await write.endOtherSessions(mine, null)).toBe(1);
  });

  test.each([
    ["once before it expires", 1, ["the value", null]],
    ["never from the moment it expires", 0, [null, null]],
  ])("a one-time token works %s", async (_, endsAfterMs, expected) => {
    const identifier = newId();
    const token = { id: newId(), identifier, value: "the value", expiresAtMs: nowMs + endsAfterMs };
    await write.addOneTimeToken(token, nowMs);
    const consume = () => write.consumeOneTimeToken(identifier, nowMs);
    expect([await consume(), await consume()]).toEqual(expected);
  });

  test("of concurrent uses of a one-time token, one gets its value", async () => {
    const identifier = newId();
    const token = { id: newId(), identifier, value: "the value", expiresAtMs: nowMs + 1 };
    await write.addOneTimeToken(token, nowMs);
    const consume = () => write.consumeOneTimeToken(identifier, nowMs);
    const values = await Promise.all(Array.from({ length: 6 }, consume));
    expect(values.filter((value) => value !== null)).toEqual(["the value"]);
  });

  test("one-time tokens are removed by their exact value, or all that are pending for a user", async () => {
    const [mine, theirs] = await userIds();
    const values = [mine, `${mine} new@example.com`, `${mine} session challenge`, `${mine}x`, theirs];
    const add = async (value: string) => {
      const identifier = newId();
      await write.addOneTimeToken({ id: newId(), identifier, value, expiresAtMs: nowMs + 1 }, nowMs);
      return identifier;
    };
    const identifiers: string[] = [];
    for (const value of values) identifiers.push(await add(value));
    const left = async () => {
      const rows = await fixture.rows("verifications", { identifier: identifiers });
      return rows.map(({ value }) => value);
    };
    await write.removeOneTimeTokensByValue(`${mine} session challenge`);
    expect(await left()).toEqual(values.filter((value) => !value.endsWith("challenge")));
    await write.removeOneTimeTokens(mine);
    expect(await left()).toEqual([`${mine}x`, theirs]);
  });

  test("a device is unexpected once, and never the first of a user", async () => {
    const [mine, theirs] = await userIds();
    const isUnexpected = async (userId: string, fingerprint: string) =>
      (await write.rememberDevice(userId, fingerprint, nowMs)).isUnexpected;
    const answers: boolean[] = [];
    for (const fingerprint of ["home", "home", "work", "work", "home"])
      answers.push(await isUnexpected(mine, fingerprint));
    expect(answers).toEqual([false, false, true, false, false]);
    expect(await isUnexpected(theirs, "work")).toBe(false);
  });

  test("concurrent sign-ins with a new device are unexpected once", async () => {
    const [userId] = await userIds();
    const remember = (fingerprint: string) => write.rememberDevice(userId, fingerprint, nowMs);
    await remember("home");
    for (let round = 0; round < 4; round++) {
      const seen = await Promise.all(Array.from({ length: 6 }, () => remember(`device ${round}`)));
      expect(seen.filter(({ isUnexpected }) => isUnexpected)).toHaveLength(1);
    }
  });

  test("of many devices, the twenty that were used last are remembered", async () => {
    const [userId] = await userIds();
    const remember = (number: number, afterMs: number) =>
      write.rememberDevice(userId, `device ${number}`, nowMs + afterMs);
    const used = Array.from({ length: 20 }, (_, number) => {
      return { user_id: userId, fingerprint: `device ${number}`, last_used_at: nowMs + number };
    });
    await fixture.write((db) => db.insertInto("known_devices").values(used).execute());
    await remember(0, 20);
    await remember(20, 21);
    const rows = await fixture.rows("known_devices", { user_id: userId });
    expect(rows).toHaveLength(20);
    expect((await remember(0, 22)).isUnexpected).toBe(false);
    expect((await remember(1, 23)).isUnexpected).toBe(true);
  });
});
