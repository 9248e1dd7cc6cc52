import { prepared } from "../../prepared-query.ts";
import type { Database } from "../../store.ts";
import type { IdempotencyKeyRow } from "../../tables/platform.ts";

export const storedAnswer = prepared((db, actorId: string, key: string) =>
  db
    .selectFrom("idempotency_keys")
    .selectAll()
    .where("actor_id", "=", actorId)
    .where("idempotency_key", "=", key),
).first;

/** Returns false if another request with the same key was faster. */
export async function storeNew(db: Database, row: IdempotencyKeyRow): Promise<boolean> {
  return (await addRow(db, row)) === 1;
}

const addRow = prepared((db, row: IdempotencyKeyRow) =>
  db
    .insertInto("idempotency_keys")
    .values(row)
    .onConflict((conflict) => conflict.columns(["actor_id", "idempotency_key"]).doNothing()),
).run;

/** Replaces the stored value; false if it has changed in the meantime. */
export async function storeOver(
  db: Database,
  row: IdempotencyKeyRow,
  sealedBefore: string,
): Promise<boolean> {
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

/** The same for those of an organization's own tokens. */
export async function removeAnswersOfTokens(
  db: Database,
  organizationId: string,
  atMost: number,
): Promise<number> {
  const theirs = await db
    .selectFrom("idempotency_keys")
    .innerJoin("access_tokens", "access_tokens.id", "idempotency_keys.actor_id")
    .select(["actor_id", "idempotency_key"])
    .where("access_tokens.organization_id", "=", organizationId)
    .limit(atMost)
    .execute();
  return removeAnswers(db, theirs);
}

async function removeAnswers(
  db: Database,
  keys: readonly Pick<IdempotencyKeyRow, "actor_id" | "idempotency_key">[],
): Promise<number> {
  for (const [actorId, keysOfActor] of Map.groupBy(keys, (row) => row.actor_id))
    await db
      .deleteFrom("idempotency_keys")
      .where("actor_id", "=", actorId)
      .where(
        "idempotency_key",
        "in",
        keysOfActor.map((row) => row.idempotency_key),
      )
      .execute();
  return keys.length;
}
