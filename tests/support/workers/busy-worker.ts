import { parentPort, workerData } from "node:worker_threads";
import { openInWorker } from "@countersign/store/databases/open";

/** Requests the write lock and then stays busy until the other thread lets it continue. */
const { opening, memory } = workerData;
const goOn = new Int32Array(memory);
const store = await openInWorker(opening);
const written = store.transaction((db) =>
  db.insertInto("platform_state").values({ name: "late", value: "written" }).execute(),
);
// Everything that is possible without waiting for another thread.
for (let step = 0; step < 1_000; step++) await null;
parentPort?.postMessage("asked");
Atomics.wait(goOn, 0, 0, 20_000);
await written;
await store.close();
parentPort?.postMessage("written");
