import { drainIps, licenseToDrain } from "@countersign/store/queries/drain-ips";
import { pause } from "@countersign/store/queries/license-list";
import type { Store } from "@countersign/store/store";

/** How many addresses were taken from licenses before the transaction that does the rest. */
export type Drained = ReadonlyMap<string, number>;

/**
 * Takes addresses from licenses that are to lose all of them, until the rest are few enough for the transaction that
 * records it: a license may hold a million, and on SQLite everybody else waits for a transaction. Should the server stop
 * in between, the request was not answered, and its repetition does the rest.
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
    await pause();
  }
}
