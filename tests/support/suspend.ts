import type { Store } from "@countersign/store/store";

export async function suspendUserForTest(store: Store, userId: string): Promise<void> {
  await store.transaction((db) =>
    db.updateTable("users").set({ suspended_at: Date.now() }).where("id", "=", userId).execute(),
  );
}
