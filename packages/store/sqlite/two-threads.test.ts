import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { freshFolder } from "../../../tests/support/databases.ts";
import { openStore } from "../databases/open.ts";
import { setState } from "../queries/admin/platform-state.ts";
import { validateAll } from "../suite/calls.ts";
import type { MainStore } from "../threads/worker-store.ts";
import { yieldToEventLoop } from "../threads/yield-to-event-loop.ts";

describe("writing workers", () => {
  let folder: string;
  let store: MainStore;
  beforeEach(async () => {
    folder = freshFolder();
    store = await openStore({ kind: "sqlite", folder }, { encryptionKey: null, durability: "standard" });
  });
  afterEach(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const start = (name: string, memory = new SharedArrayBuffer(4)) => {
    const { opening, transfer } = store.forWorker();
    return new Worker(new URL(`../../../tests/support/workers/${name}.ts`, import.meta.url), {
      workerData: { opening, memory },
      transferList: transfer,
    });
  };
  const written = () =>
    store.reads.selectFrom("platform_state").select("name").where("value", "=", "written").execute();

  test("a worker does not delay validations while it waits to write and is busy", async () => {
    const memory = new SharedArrayBuffer(4);
    const worker = start("busy-worker", memory);
    expect(await once(worker, "message")).toEqual(["asked"]);
    for (let batch = 0; batch < 100; batch++) {
      await validateAll(store, []);
      await yieldToEventLoop();
    }
    const over = once(worker, "message");
    Atomics.store(new Int32Array(memory), 0, 1);
    Atomics.notify(new Int32Array(memory), 0);
    expect(await over).toEqual(["written"]);
    expect(await written()).toEqual([{ name: "late" }]);
    await worker.terminate();
  });

  test.each([
    ["ends", async () => undefined],
    ["is terminated", async (worker: Worker) => void (await worker.terminate())],
  ])("a transaction in which a worker %s writes nothing, and others can write", async (_name, end) => {
    const worker = start("writing-worker");
    await once(worker, "message");
    await end(worker);
    await validateAll(store, []);
    await store.transaction((db) => setState(db, "whole", "written"));
    expect(await written()).toEqual([{ name: "whole" }]);
    await worker.terminate();
  });
});
