import {
  clearKeepsUntil,
  removeImport,
  removeSomePieces,
  removeSomeWorkings,
} from "@countersign/store/queries/license-files/imports";
import { removeSomeRejects } from "@countersign/store/queries/license-files/rejects";
import type { Store } from "@countersign/store/store";
import { inBatches } from "../../jobs/batches.ts";

/** Deletes the file of an import, which can be a hundred megabytes, in small steps, so that nobody waits. */
export async function removeFile(store: Store, importId: string): Promise<void> {
  await inBatches(() => store.transaction((db) => removeSomePieces(db, importId), "soon"));
}

export async function removeRejects(store: Store, importId: string): Promise<void> {
  await inBatches(() => store.transaction((db) => removeSomeRejects(db, importId, 200), "soon"));
}

/** What an import keeps for a while after it ends. */
export async function removeExpired(store: Store, importId: string): Promise<void> {
  await inBatches(() => store.transaction((db) => removeSomeWorkings(db, importId), "soon"));
  await store.transaction((db) => clearKeepsUntil(db, importId));
}

/** An import that never started. */
export async function removeUnstarted(store: Store, importId: string): Promise<void> {
  await inBatches(() => store.transaction((db) => removeSomeWorkings(db, importId), "soon"));
  await store.transaction((db) => removeImport(db, importId));
}
