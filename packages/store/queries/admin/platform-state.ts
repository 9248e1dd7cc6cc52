import type { Database } from "../../store.ts";

/** Values stored for the whole installation, by name. */

export async function stateOf(db: Database, name: string): Promise<string | null> {
  const row = await db
    .selectFrom("platform_state")
    .select("value")
    .where("name", "=", name)
    .executeTakeFirst();
  return row?.value ?? null;
}

/** Those of the names that have a value. */
export async function statesNamed(db: Database, names: readonly string[]): Promise<Map<string, string>> {
  const rows = await db.selectFrom("platform_state").selectAll().where("name", "in", names).execute();
  return new Map(rows.map(({ name, value }) => [name, value]));
}

/** Stores `value` unless there is one already, and returns the stored one. Nodes that start together agree. */
export async function initializeState(db: Database, name: string, value: string): Promise<string> {
  await db
    .insertInto("platform_state")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
  return (await stateOf(db, name)) ?? value;
}

export async function addState(db: Database, name: string, value: string): Promise<void> {
  await db.insertInto("platform_state").values({ name, value }).execute();
}

/** Stores `value`, replacing any other. */
export async function setState(db: Database, name: string, value: string): Promise<void> {
  await db
    .insertInto("platform_state")
    .values({ name, value })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value }))
    .execute();
}

export async function removeState(db: Database, name: string): Promise<void> {
  await db.deleteFrom("platform_state").where("name", "=", name).execute();
}

/** Replaces the value that was read. Returns false if it has changed since. */
export async function replaceState(
  db: Database,
  name: string,
  before: string,
  value: string,
): Promise<boolean> {
  const updated = await db
    .updateTable("platform_state")
    .set({ value })
    .where("name", "=", name)
    .where("value", "=", before)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

/** The value, locked until the transaction ends; null if there is none. */
export async function lockedState(db: Database, name: string): Promise<string | null> {
  const row = await db
    .updateTable("platform_state")
    .set((state) => ({ value: state.ref("value") }))
    .where("name", "=", name)
    .returning("value")
    .executeTakeFirst();
  return row?.value ?? null;
}

export async function statesOf(db: Database, prefix: string) {
  return db.selectFrom("platform_state").selectAll().where("name", "like", `${prefix}%`).execute();
}

export async function dropStates(db: Database, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await db.deleteFrom("platform_state").where("name", "in", names).execute();
}

/**
 * Makes concurrent callers wait until this transaction ends. An update that changes nothing does this on both
 * databases.
 */
export async function lockSetup(db: Database): Promise<void> {
  await db
    .updateTable("platform_state")
    .set((row) => ({ value: row.ref("value") }))
    .where("name", "=", "data_key")
    .execute();
}
