import { removeImport, removeSomeWorkings } from "@countersign/store/queries/imports";
import { pause } from "@countersign/store/queries/license-list";
import type { Store } from "@countersign/store/store";

/** What an import kept to get its work done, which may be a hundred megabytes: some at a time, so that nobody waits. */
export async function removeWorkings(store: Store, importId: string): Promise<void> {
  while (await store.transaction((db) => removeSomeWorkings(db, importId), "soon")) await pause();
}

/** An import that never began. */
export async function removeUnbegun(store: Store, importId: string): Promise<void> {
  await removeWorkings(store, importId);
  await store.transaction((db) => removeImport(db, importId));
}
