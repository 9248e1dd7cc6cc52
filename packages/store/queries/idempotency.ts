import type { Database } from "../store.ts";
import type { IdempotencyKeyRow } from "../tables.ts";

export async function keptAnswer(db: Database, actorId: string, key: string) {
  return db
    .selectFrom("idempotency_keys")
    .selectAll()
    .where("actor_id", "=", actorId)
    .where("idempotency_key", "=", key)
    .executeTakeFirst();
}

/** Fails when another request with the same key was quicker. */
export async function keepAnswer(db: Database, answer: IdempotencyKeyRow): Promise<void> {
  await db.insertInto("idempotency_keys").values(answer).execute();
}

export async function forgetAnswers(db: Database, beforeMs: number): Promise<void> {
  await db.deleteFrom("idempotency_keys").where("created_at", "<", beforeMs).execute();
}
