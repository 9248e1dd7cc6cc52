import type { Database } from "../store.ts";

/**
 * Counts one attempt under this name, in a window that begins with the first. Returns how many it makes, and when they
 * are forgotten. One statement, so it is exact on any number of nodes.
 */
export async function countAttempt(
  db: Database,
  name: string,
  withinMs: number,
  nowMs: number,
): Promise<{ readonly count: number; readonly endsAtMs: number }> {
  const endsAtMs = nowMs + withinMs;
  const row = await db
    .insertInto("attempts")
    .values({ name, count: 1, ends_at: endsAtMs })
    .onConflict((conflict) =>
      conflict.column("name").doUpdateSet((is) => ({
        count: is
          .case()
          .when("attempts.ends_at", "<=", nowMs)
          .then(1)
          .else(is("attempts.count", "+", 1))
          .end(),
        ends_at: is
          .case()
          .when("attempts.ends_at", "<=", nowMs)
          .then(is.ref("excluded.ends_at"))
          .else(is.ref("attempts.ends_at"))
          .end(),
      })),
    )
    .returning(["count", "ends_at"])
    .executeTakeFirstOrThrow();
  return { count: Number(row.count), endsAtMs: Number(row.ends_at) };
}

export async function forgetAttempts(db: Database, name: string): Promise<void> {
  await db.deleteFrom("attempts").where("name", "=", name).execute();
}
