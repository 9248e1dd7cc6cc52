import { parentPort } from "node:worker_threads";

/** Takes the place of a management worker that cannot start. */
parentPort?.postMessage({ kind: "failed", reason: "There is no such thing." });
