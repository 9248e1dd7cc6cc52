import { expect, test } from "bun:test";
import { insertSession } from "../../../../tests/support/people-rows.ts";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { times } from "../../suite/calls.ts";
import * as queries from "./sign-in.ts";
import * as users from "./users.ts";

const nowMs = Date.UTC(2025, 0);

onBothDatabases("users and their ways to sign in", (fixture) => {
  const { read, write } = fixture.queries({ ...users, ...queries });
  const userIds = async () => [(await fixture.user()).id, (await fixture.user()).id] as const;
  const addPasskey = async (userId: string) => {
    const id = newId();
    const key = { credential_id: `credential ${id}`, public_key: "key", counter: 0, transports: null };
    const device = { device_type: "singleDevice", backed_up: 0 as const, aaguid: null };
    const row = { id, user_id: userId, name: "Phone", created_at: null, ...key, ...device };
    await fixture.write((db) => db.insertInto("passkeys").values(row).execute());
    return id;
  };

  test("a new user is found by ID and by email address, with nothing granted but what was given", async () => {
    const id = newId();
    const email = `${id}@example.com`;
    const user = { id, name: "Ada", email, emailVerified: false, isPlatformAdmin: false };
    await write.addUser(user, Date.UTC(2024, 0));
    const row = await read.userById(id);
    const nothing = { email_verified: 0, is_platform_admin: 0, two_factor_enabled: 0, suspended_at: null };
    const usual = { locale: "en", organization_allowance: null, created_at: "2024-01-01T00:00:00.000Z" };
    expect(row).toMatchObject({ name: "Ada", email, ...nothing, ...usual });
    expect(await read.userByEmail(email)).toEqual(row);
    expect(await read.userByEmail(`other-${email}`)).toBeUndefined();
    expect(await read.anyUserExists()).toBe(true);
    await expect(write.addUser({ ...user, id: newId() }, 0)).rejects.toThrow();
  });

  test("a change affects one user and the named columns", async () => {
    const [user, other] = [await fixture.user(), await fixture.user()];
    const before = await read.userById(other.id);
    await write.updateUser(user.id, { name: "Grace", locale: "de" }, Date.UTC(2030, 0));
    const changed = { name: "Grace", locale: "de", updated_at: "2030-01-01T00:00:00.000Z" };
    expect(await read.userById(user.id)).toMatchObject({ ...changed, email: user.email });
    expect(await read.userById(other.id)).toEqual(before);
  });

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
    ["once before it expires, also of concurrent uses", 1, ["the value"]],
    ["never from the moment it expires", 0, []],
  ])("a one-time token works %s", async (_, endsAfterMs, expected) => {
    const identifier = newId();
    const token = { id: newId(), identifier, value: "the value", expiresAtMs: nowMs + endsAfterMs };
    await write.addOneTimeToken(token, nowMs);
    const consume = () => write.consumeOneTimeToken(identifier, nowMs);
    const values = [...(await Promise.all(times(6, consume))), await consume()];
    expect(values.filter((value) => value !== null)).toEqual(expected);
  });

  test("one-time tokens are removed by their exact value, or all that are pending for a user", async () => {
    const [mine, theirs] = await userIds();
    const values = [mine, `${mine} new@example.com`, `${mine} session challenge`, `${mine}x`, theirs];
    const prefix = newId();
    for (const [number, value] of values.entries()) {
      const token = { id: newId(), identifier: `${prefix}${number}`, value, expiresAtMs: nowMs + 1 };
      await write.addOneTimeToken(token, nowMs);
    }
    const identifier = values.map((_, number) => `${prefix}${number}`);
    const left = async () => (await fixture.rows("verifications", { identifier })).map(({ value }) => value);
    await write.removeOneTimeTokensByValue(`${mine} session challenge`);
    expect(await left()).toEqual(values.filter((value) => !value.endsWith("challenge")));
    await write.removeOneTimeTokens(mine);
    expect(await left()).toEqual([`${mine}x`, theirs]);
  });

  test("a device is unexpected once, also for concurrent sign-ins, and never the first of a user", async () => {
    const [mine, theirs] = await userIds();
    const isUnexpected = async (userId: string, fingerprint: string) =>
      (await write.rememberDevice(userId, fingerprint, nowMs)).isUnexpected;
    const answers: boolean[] = [];
    for (const fingerprint of ["home", "home", "work", "work", "home"])
      answers.push(await isUnexpected(mine, fingerprint));
    expect(answers).toEqual([false, false, true, false, false]);
    expect(await isUnexpected(theirs, "work")).toBe(false);
    for (let round = 0; round < 4; round++) {
      const seen = await Promise.all(times(6, () => isUnexpected(mine, `device ${round}`)));
      expect(seen.filter(Boolean)).toHaveLength(1);
    }
  });

  test("the twenty devices of a user that were used last are remembered", async () => {
    const [userId] = await userIds();
    const remember = (number: number, afterMs: number) =>
      write.rememberDevice(userId, `device ${number}`, nowMs + afterMs);
    const device = (number: number) => ({ user_id: userId, fingerprint: `device ${number}` });
    const used = times(20, (number) => ({ ...device(number), last_used_at: nowMs + number }));
    await fixture.write((db) => db.insertInto("known_devices").values(used).execute());
    await remember(0, 20);
    await remember(20, 21);
    const rows = await fixture.rows("known_devices", { user_id: userId });
    expect(rows).toHaveLength(20);
    expect((await remember(0, 22)).isUnexpected).toBe(false);
    expect((await remember(1, 23)).isUnexpected).toBe(true);
  });
});
