import type { Sealer } from "./secrets/sealer.ts";
import type { Database } from "./store.ts";

/**
 * Columns whose names begin with `sealed_` are encrypted with this installation's data key. Queries on them encrypt
 * and decrypt automatically, so that no caller has to. Each store registers once what its connections use.
 */
const sealers = new WeakMap<object, Sealer>();

/** From now on, queries and transactions on these connections encrypt and decrypt with this. */
export function sealWith(sealer: Sealer, ...databases: readonly Database[]): void {
  for (const db of databases) sealers.set(adapterOf(db), sealer);
}

export function sealText(db: Database, text: string): string {
  return sealerOf(db).seal(Buffer.from(text));
}

/** Throws if it was encrypted with another key, or modified. */
export function openText(db: Database, sealed: string): string {
  return Buffer.from(sealerOf(db).open(sealed)).toString();
}

function sealerOf(db: Database): Sealer {
  const sealer = sealers.get(adapterOf(db));
  if (sealer === undefined) throw new Error("This connection does not know what to seal with.");
  return sealer;
}

/** A transaction shares its adapter with the connection it was started on. */
function adapterOf(db: Database): object {
  return db.getExecutor().adapter;
}
