import { drainIps, licenseToDrain } from "@countersign/store/queries/licenses/ips";
import type { Store } from "@countersign/store/store";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";

/** How many IP addresses were removed from licenses before the final transaction. */
export type Drained = ReadonlyMap<string, number>;

/**
 * Removes IP addresses from licenses that will lose all of them, until the rest are few enough for the transaction that
 * records it: a license can have a million, and on SQLite everyone else waits for a transaction. If the server stops in
 * between, the request was not acknowledged, and repeating it does the rest.
 */
export async function drain(store: Store, licenseIds: readonly string[]): Promise<Drained> {
  const drained = new Map<string, number>();
  for (;;) {
    const next = await licenseToDrain(store.reads, licenseIds);
    if (next === null) return drained;
    const removed = await store.transaction(async (db) => {
      await store.bulk.lockLicenses(db, [next.id]);
      return drainIps(db, next.id, next.tooMany);
    }, "soon");
    if (removed === 0) return drained;
    drained.set(next.id, (drained.get(next.id) ?? 0) + removed);
    await yieldToEventLoop();
  }
}
