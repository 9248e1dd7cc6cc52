import { expect, test } from "bun:test";
import { holdLock } from "../../../tests/faults/hold-lock.ts";
import { postgres } from "../../../tests/support/databases.ts";
import { openStore } from "../databases/open.ts";

test("transactions that wait for a lock, however many, leave a connection for reads", async () => {
  const { location } = await postgres.make();
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  const url = location.kind === "postgres" ? location.url : "";
  const holder = await holdLock(url, "select 1 from plans for update");
  let ended = 0;
  const changes = Array.from({ length: 8 }, () =>
    store
      .transaction((db) => db.updateTable("plans").set({ name: "Changed" }).execute())
      .catch(() => {})
      .finally(() => {
        ended += 1;
      }),
  );
  while (!(await holder.isWaitedFor()));
  for (let count = 0; count < 20; count += 1) await store.reads.selectFrom("plans").select("id").execute();
  expect(ended).toBe(0);
  await holder.release();
  await Promise.all(changes);
  await store.close();
}, 60_000);
