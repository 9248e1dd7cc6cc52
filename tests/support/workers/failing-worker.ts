import { runWorker } from "../../../apps/server/base/worker-thread.ts";

/** Replaces a management worker that cannot start. */
await runWorker(() => Promise.reject(new Error("There is no such thing.")));
