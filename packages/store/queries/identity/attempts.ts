import type { Database } from "../../store.ts";

/** A burst of this many attempts, and then one per interval. */
export interface AttemptRate {
  readonly burst: number;
  readonly everyMs: number;
}

export type TakenAttempt =
  | { readonly taken: true }
  | { readonly taken: false /** When the next one is free. */; readonly freeAtMs: number };

/**
 * Takes one attempt under this name, if one is available. The row stores until when the attempts so far last, at one
 * per interval (a leaky bucket). One statement, so it is exact on any number of nodes.
 */
export async function takeAttempt(
  db: Database,
  name: string,
  { burst, everyMs }: AttemptRate,
  nowMs: number,
): Promise<TakenAttempt> {
  const leadMs = (burst - 1) * everyMs;
  const row = await db
    .insertInto("attempts")
    .values({ name, ends_at: nowMs + everyMs })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet((is) => ({
          ends_at: is
            .case()
            .when("attempts.ends_at", "<=", nowMs)
            .then(is.ref("excluded.ends_at"))
            .else(is("attempts.ends_at", "+", everyMs))
            .end(),
        }))
        .where("attempts.ends_at", "<=", nowMs + leadMs),
    )
    .returning("ends_at")
    .executeTakeFirst();
  if (row !== undefined) return { taken: true };
  const full = await db.selectFrom("attempts").select("ends_at").where("name", "=", name).executeTakeFirst();
  return { taken: false, freeAtMs: Number(full?.ends_at ?? nowMs) - leadMs };
}

/** Returns one attempt after it has succeeded. */
export async function returnAttempt(db: Database, name: string, { everyMs }: AttemptRate): Promise<void> {
  await db
    .updateTable("attempts")
    .set((row) => ({ ends_at: row("ends_at", "-", everyMs) }))
    .where("name", "=", name)
    .execute();
}

export async function clearAttempts(db: Database, name: string): Promise<void> {
  await db.deleteFrom("attempts").where("name", "=", name).execute();
}
