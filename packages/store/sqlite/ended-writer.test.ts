import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { freshFolder } from "../../../tests/support/databases.ts";
import { openStore } from "../open.ts";

test("a thread that ends in the middle of a transaction leaves nothing of it, and others can write", async () => {
  const folder = freshFolder();
  const store = await openStore({ kind: "sqlite", folder }, { encryptionKey: null, durability: "standard" });
  const beside = store.beside();
  const thread = new Worker(new URL("../../../tests/support/workers/writing-worker.ts", import.meta.url), {
    workerData: beside,
    transferList: beside.turns === null ? [] : [beside.turns],
  });
  await new Promise((resolve) => thread.once("message", resolve));
  const written = store.transaction((db) =>
    db.insertInto("platform_state").values({ name: "whole", value: "written" }).execute(),
  );
  await written;
  const names = await store.reads
    .selectFrom("platform_state")
    .select("name")
    .where("value", "=", "written")
    .execute();
  expect(names).toEqual([{ name: "whole" }]);
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
