import type pg from "pg";
import type { DatabaseLocation } from "../databases/open.ts";
import { journalMigrations } from "../migrations/all.ts";
import { migratePostgres } from "../postgres/migrate.ts";
import { openPool } from "../postgres/pools.ts";
import type { Purpose } from "../postgres/time-limits.ts";
import type { Migrating } from "./migrations.ts";

/** Migrations on PostgreSQL, through connections with these settings. */
export function postgresMigrating(purpose: Purpose, serverMajor: number): Migrating {
  const withPool = async <T>(location: DatabaseLocation, work: (pool: pg.Pool) => Promise<T>): Promise<T> => {
    const pool = openPool(location.kind === "postgres" ? location.url : "", purpose, serverMajor);
    try {
      return await work(pool);
    } finally {
      await pool.end();
    }
  };
  return {
    // PostgreSQL stores both migration lists in one database, so the journal's are among the known ones.
    apply: (location, migrations) =>
      withPool(location, async (pool) => {
        const applied = await migratePostgres(pool, [...migrations, ...journalMigrations]);
        return applied.filter((name) => migrations.some((migration) => migration.name === name));
      }),
    query: (location, sql) => withPool(location, async (pool) => (await pool.query(sql)).rows),
  };
}
