import { kept } from "../kept-query.ts";
import type { Database } from "../store.ts";
import type { IdempotencyKeyRow } from "../tables.ts";

export const keptAnswer = kept((db, actorId: string, key: string) =>
  db
    .selectFrom("idempotency_keys")
    .selectAll()
    .where("actor_id", "=", actorId)
    .where("idempotency_key", "=", key),
).first;

/** Returns false when another request with the same key was quicker. */
export async function keepNew(db: Database, row: IdempotencyKeyRow): Promise<boolean> {
  return (await addRow(db, row)) === 1;
}

const addRow = kept((db, row: IdempotencyKeyRow) =>
  db
    .insertInto("idempotency_keys")
    .values(row)
    .onConflict((conflict) => conflict.columns(["actor_id", "idempotency_key"]).doNothing()),
).run;

/** The same in place of what was kept before; false when something else is kept by now. */
export async function keepOver(db: Database, row: IdempotencyKeyRow, sealedBefore: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("idempotency_keys")
    .set({ status: row.status, sealed_answer: row.sealed_answer, created_at: row.created_at })
    .where("actor_id", "=", row.actor_id)
    .where("idempotency_key", "=", row.idempotency_key)
    .where("fingerprint", "=", row.fingerprint)
    .where("sealed_answer", "=", sealedBefore)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

export async function forgetAnswers(db: Database, beforeMs: number): Promise<void> {
  await db.deleteFrom("idempotency_keys").where("created_at", "<", beforeMs).execute();
}
