import {
  claimImport,
  importToClear,
  importWithFileLeft,
  isImportWaiting,
  releaseImport,
} from "@countersign/store/queries/license-files/imports";
import type { Store } from "@countersign/store/store";
import { type LogFields, reasonOf } from "../../base/log.ts";
import { leaseMs, Released } from "./lease.ts";
import { removeExpired, removeFile } from "./remove.ts";
import { runImport } from "./run.ts";
import { throttled } from "./throttle.ts";

interface WorkParts {
  readonly store: Store;
  readonly claimant: string;
  /** Whether to stop at a point where the work can be resumed. */
  readonly stopping: () => boolean;
  readonly trouble: (message: string, fields: LogFields) => void;
}

/**
 * Processes imports, one after the other, until none waits. Also resumes those that another process left unfinished.
 */
export async function runWaitingImports(parts: WorkParts): Promise<void> {
  const { store, claimant, stopping, trouble } = parts;
  for (;;) {
    const nowMs = await store.clock();
    if (stopping() || !(await isImportWaiting(store.reads, nowMs))) break;
    const job = await store.transaction((db) => claimImport(db, claimant, nowMs, nowMs + leaseMs));
    if (job === undefined) continue;
    try {
      const throttle = throttled(() => store.answeredCalls);
      await runImport({ store, claimant, throttle, stopping }, job);
    } catch (error) {
      if (error instanceof Released) {
        await store.transaction((db) => releaseImport(db, job.id, claimant));
      } else {
        trouble("An import was interrupted. It will be resumed.", {
          import_id: job.id,
          reason: reasonOf(error),
        });
      }
    }
  }
  if (stopping()) return;
  const withFile = await importWithFileLeft(store.reads);
  if (withFile !== null) await removeFile(store, withFile);
  const past = await importToClear(store.reads, await store.clock());
  if (past !== null) await removeExpired(store, past);
}
