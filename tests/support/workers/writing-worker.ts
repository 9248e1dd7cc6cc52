import { parentPort, workerData } from "node:worker_threads";
import { openInWorker } from "@countersign/store/databases/open";

/** Opens the store of another thread, and ends during a transaction. */
const store = await openInWorker(workerData.opening);
await store.transaction(async (db) => {
  await db.insertInto("platform_state").values({ name: "half", value: "written" }).execute();
  parentPort?.postMessage("writing");
  await new Promise((resolve) => setTimeout(resolve, 50));
  process.exit(1);
});
