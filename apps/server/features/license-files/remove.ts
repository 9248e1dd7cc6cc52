import { removeSomeRejects } from "@countersign/store/queries/import-rejects";
import {
  keepsNothing,
  removeImport,
  removeSomePieces,
  removeSomeWorkings,
} from "@countersign/store/queries/imports";
import type { Database, Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/yield-to-event-loop";

/** Deletes the file of an import, which can be a hundred megabytes, in small steps, so that nobody waits. */
export async function removeFile(store: Store, importId: string): Promise<void> {
  await inSteps(store, (db) => removeSomePieces(db, importId));
}

export async function removeRejects(store: Store, importId: string): Promise<void> {
  await inSteps(store, (db) => removeSomeRejects(db, importId, 200));
}

/** What an import keeps for a while after it ends. */
export async function removeKept(store: Store, importId: string): Promise<void> {
  await inSteps(store, (db) => removeSomeWorkings(db, importId));
  await store.transaction((db) => keepsNothing(db, importId));
}

/** An import that never started. */
export async function removeUnbegun(store: Store, importId: string): Promise<void> {
  await inSteps(store, (db) => removeSomeWorkings(db, importId));
  await store.transaction((db) => removeImport(db, importId));
}

async function inSteps(store: Store, removeSome: (db: Database) => Promise<boolean>): Promise<void> {
  while (await store.transaction(removeSome, "soon")) await yieldToEventLoop();
}
