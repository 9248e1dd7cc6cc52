import { expect, test } from "bun:test";
import { newId } from "@countersign/store/new-id";
import { openStore } from "@countersign/store/open";
import { takeAttempt } from "@countersign/store/queries/identity/attempts";
import { addOneTimeToken } from "@countersign/store/queries/identity/sign-in";
import { addUser } from "@countersign/store/queries/identity/users";
import { sqlite } from "../../../../tests/support/databases.ts";
import { insertSession } from "../../../../tests/support/people-rows.ts";
import { signInPruning } from "./prune-expired.ts";

test("all expired rows of sign-ins are deleted, by the database's clock, whatever this node's clock says", async () => {
  const database = await sqlite.make();
  const nowMs = Date.now() - 2 * 3_600_000;
  const options = { encryptionKey: null, durability: "standard", now: () => nowMs } as const;
  const store = await openStore(database.location, options);
  const user = { id: newId(), name: "Ada", email: "ada@example.com", emailVerified: true };
  await store.transaction(async (db) => {
    await addUser(db, { ...user, isPlatformAdmin: false }, nowMs);
    const session = (minutes: number) =>
      insertSession(db, { user_id: user.id, expiresAtMs: nowMs + minutes * 60_000 });
    // More than are deleted at a time.
    for (let count = 0; count < 501; count++) await session(-1);
    await session(1);
    for (const minutes of [-1, 1]) {
      const expiresAtMs = nowMs + minutes * 60_000;
      await addOneTimeToken(db, { id: newId(), identifier: `${minutes}`, value: "v", expiresAtMs }, nowMs);
      await takeAttempt(db, `${minutes}`, { burst: 1, everyMs: minutes * 60_000 }, nowMs);
    }
  });
  await signInPruning(store).run();
  expect(await store.reads.selectFrom("sessions").select("id").execute()).toHaveLength(1);
  const links = await store.reads.selectFrom("verifications").select("identifier").execute();
  expect(links).toEqual([{ identifier: "1" }]);
  expect(await store.reads.selectFrom("attempts").select("name").execute()).toEqual([{ name: "1" }]);
  await store.close();
  database.remove();
});
