import type { Sealer } from "./sealer.ts";
import type { Database } from "./store.ts";

/**
 * Columns whose names begin with `sealed_` hold texts that only this installation's data key opens. The queries that
 * write and read them seal and open by themselves, so that no caller can forget it: each store says once what its
 * connections seal with.
 */
const sealers = new WeakMap<object, Sealer>();

/** From now on, queries on these connections and transactions on them seal and open with this. */
export function sealWith(sealer: Sealer, ...databases: readonly Database[]): void {
  for (const db of databases) sealers.set(adapterOf(db), sealer);
}

export function sealText(db: Database, text: string): string {
  return sealerOf(db).seal(Buffer.from(text));
}

/** Throws when it was sealed with another key, or changed since. */
export function openText(db: Database, sealed: string): string {
  return Buffer.from(sealerOf(db).open(sealed)).toString();
}

function sealerOf(db: Database): Sealer {
  const sealer = sealers.get(adapterOf(db));
  if (sealer === undefined) throw new Error("This connection does not know what to seal with.");
  return sealer;
}

/** A transaction shares its adapter with the connection it was begun on. */
function adapterOf(db: Database): object {
  return db.getExecutor().adapter;
}
