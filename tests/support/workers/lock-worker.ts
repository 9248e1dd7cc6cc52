import { parentPort, workerData } from "node:worker_threads";
import { WorkerSide } from "@countersign/store/sqlite/cross-thread-lock";
import { WriteLock } from "@countersign/store/threads/write-lock";

/** Acquires the write lock of another thread on command. */
export type ToLockWorker = "hold" | "release" | "fail" | { readonly add: number };

const { shared, memory } = workerData;
const lock = new WriteLock(new WorkerSide(shared));
const numbers = new Int32Array(memory);
let release = () => {};

parentPort?.on("message", async (message: ToLockWorker) => {
  if (message === "release") release();
  else if (message === "hold") {
    await lock.hold(
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
          parentPort?.postMessage("holding");
        }),
    );
  } else if (message === "fail") {
    await lock.hold(() => Promise.reject(new Error("no"))).catch(() => {});
    parentPort?.postMessage("failed");
  } else {
    for (let time = 0; time < message.add; time++)
      await lock.hold(async () => {
        const [found = 0] = numbers;
        await null;
        numbers[0] = found + 1;
      });
    parentPort?.postMessage("added");
  }
});
parentPort?.postMessage("ready");
