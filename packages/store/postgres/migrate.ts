import type pg from "pg";
import { journalMigrations, mainMigrations } from "../migrations/all.ts";
import { type Migration, statementsFor } from "../migrations/migration.ts";
import { newerThanThis } from "../migrations/pending.ts";
import { StoreProblem } from "../problem.ts";
import { advisoryLocks } from "./advisory-locks.ts";
import { checkServer } from "./connect.ts";
import { closePool, openPool } from "./pools.ts";

/** Brings the database up to date and returns what was applied. */
export async function migrateDatabase(url: string): Promise<string[]> {
  const pool = openPool(url, "setup", 0);
  try {
    await checkServer(pool);
    return await migratePostgres(pool, [...mainMigrations, ...journalMigrations]);
  } finally {
    await closePool(pool);
  }
}

/** Applies pending migrations, each completely or not at all. Nodes that start together take turns. */
export async function migratePostgres(pool: pg.Pool, migrations: readonly Migration[]): Promise<string[]> {
  const applied: string[] = [];
  for (const migration of migrations) {
    const client = await pool.connect();
    try {
      await client.query("begin");
      await client.query("select pg_advisory_xact_lock($1)", [advisoryLocks.migration]);
      if (await apply(client, migration, migrations)) applied.push(migration.name);
      await client.query("commit");
      client.release();
    } catch (cause) {
      // Closing the connection rolls back the step, whatever its state.
      client.release(true);
      if (cause instanceof StoreProblem) throw cause;
      const text = cause instanceof Error ? cause.message : String(cause);
      throw new StoreProblem(`Migration ${migration.name} failed and was rolled back: ${text}.`, { cause });
    }
  }
  return applied;
}

async function apply(
  client: pg.PoolClient,
  migration: Migration,
  all: readonly Migration[],
): Promise<boolean> {
  await client.query(
    "create table if not exists schema_migrations (name text primary key, applied_at bigint not null)",
  );
  const { rows } = await client.query<{ name: string }>("select name from schema_migrations");
  newerThanThis(
    rows.map((row) => row.name),
    all,
  );
  if (rows.some((row) => row.name === migration.name)) return false;
  for (const statement of statementsFor(migration, "postgres")) await client.query(statement);
  await client.query("insert into schema_migrations (name, applied_at) values ($1, $2)", [
    migration.name,
    Date.now(),
  ]);
  return true;
}
