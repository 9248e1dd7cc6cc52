import { expect, test } from "bun:test";
import { openStore } from "@countersign/store/open";
import { storeNew } from "@countersign/store/queries/manage/idempotency";
import { sqlite } from "../../../../tests/support/databases.ts";
import { answerPruning } from "./prune-answers.ts";

test("stored responses are deleted after a day, and not before", async () => {
  const database = await sqlite.make();
  const store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
  const hoursAgo = (hours: number) => ({
    actor_id: "a",
    idempotency_key: `${hours}`,
    fingerprint: "f",
    status: 201,
    sealed_answer: "s",
    created_at: Date.now() - hours * 3_600_000,
  });
  await store.transaction(async (db) => {
    for (const hours of [0, 23, 25]) await storeNew(db, hoursAgo(hours));
  });
  await answerPruning(store).run();
  const left = await store.reads.selectFrom("idempotency_keys").select("idempotency_key").execute();
  expect(left.map((row) => row.idempotency_key).sort()).toEqual(["0", "23"]);
  await store.close();
  database.remove();
});
