import { afterAll, describe, expect, test } from "bun:test";
import { newId } from "@countersign/store/new-id";
import { openStore } from "@countersign/store/open";
import { takeAttempt } from "@countersign/store/queries/identity/attempts";
import { addOneTimeToken } from "@countersign/store/queries/identity/sign-in";
import { addUser } from "@countersign/store/queries/identity/users";
import { databases, sqlite, type TestDatabase } from "../../../../tests/support/databases.ts";
import { signInPruning } from "./prune-expired.ts";

describe.each(databases)("expired rows of sign-ins on $kind", ({ make }) => {
  let database: TestDatabase;
  afterAll(() => database.remove());

  test("are deleted once they have expired, however many there are", async () => {
    database = await make();
    const store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
    const nowMs = Date.now();
    const userId = newId();
    const session = (minutes: number) => ({
      id: newId(),
      user_id: userId,
      token: newId(),
      expires_at: new Date(nowMs + minutes * 60_000).toISOString(),
      ip_address: null,
      user_agent: null,
      created_at: "",
      updated_at: "",
    });
    await store.transaction(async (db) => {
      const user = { id: userId, name: "Ada", email: "ada@example.com", emailVerified: true };
      await addUser(db, { ...user, isPlatformAdmin: false }, nowMs);
      const old = Array.from({ length: 1_100 }, () => session(-1));
      for (const rows of [old.slice(0, 550), old.slice(550), [session(1)]])
        await db.insertInto("sessions").values(rows).execute();
      for (const minutes of [-1, 1]) {
        const expiresAtMs = nowMs + minutes * 60_000;
        await addOneTimeToken(db, { id: newId(), identifier: `${minutes}`, value: "v", expiresAtMs }, nowMs);
        await takeAttempt(db, `${minutes}`, { burst: 1, everyMs: minutes * 60_000 }, nowMs);
      }
    });
    await signInPruning(store).run();
    expect(await store.reads.selectFrom("sessions").select("id").execute()).toHaveLength(1);
    expect(await store.reads.selectFrom("verifications").select("identifier").execute()).toEqual([
      { identifier: "1" },
    ]);
    expect(await store.reads.selectFrom("attempts").select("name").execute()).toEqual([{ name: "1" }]);
    await store.close();
  });
});

test("are recognized by the database's clock, whatever this node's clock says", async () => {
  const database = await sqlite.make();
  const databaseNowMs = Date.now() - 2 * 3_600_000;
  const store = await openStore(database.location, {
    encryptionKey: null,
    durability: "standard",
    now: () => databaseNowMs,
  });
  const link = (identifier: string, minutes: number) => ({
    id: newId(),
    identifier,
    value: "v",
    expiresAtMs: databaseNowMs + minutes * 60_000,
  });
  await store.transaction(async (db) => {
    await addOneTimeToken(db, link("good", 60), databaseNowMs);
    await addOneTimeToken(db, link("expired", -1), databaseNowMs);
  });
  await signInPruning(store).run();
  expect(await store.reads.selectFrom("verifications").select("identifier").execute()).toEqual([
    { identifier: "good" },
  ]);
  await store.close();
  database.remove();
});
