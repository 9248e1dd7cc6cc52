import { afterAll } from "bun:test";
import { postgres, type TestDatabase, type TestedDatabase } from "../../../tests/support/databases.ts";
import { type PgBouncer, startPgBouncer, whyNoPgBouncer } from "../../../tests/support/pgbouncer.ts";
import { sharedPostgres } from "../../../tests/support/postgres.ts";
import { skipWithReason } from "../../../tests/support/skip.ts";
import { journalMigrations } from "../migrations/all.ts";
import type { DatabaseLocation } from "../open.ts";
import { storeSuite } from "../store.suite.ts";
import { migratePostgres } from "./migrate.ts";
import { openPool } from "./pools.ts";

/** The whole suite again, behind a pooler that gives each transaction another connection. */
const missing = whyNoPgBouncer();
if (missing !== null) skipWithReason("the store behind PgBouncer", missing);
else {
  let pooler: Promise<PgBouncer> | null = null;
  afterAll(async () => (await pooler)?.stop());

  const behind = async (database: TestDatabase): Promise<TestDatabase> => {
    pooler ??= sharedPostgres().then((url) => startPgBouncer(url, "transaction"));
    if (database.location.kind !== "postgres") return database;
    const url = (await pooler).through(database.location.url);
    return {
      ...database,
      location: { kind: "postgres", url },
      environment: { ...database.environment, DATABASE_URL: url },
    };
  };
  const pooled: TestedDatabase = {
    kind: "postgres",
    make: async () => behind(await postgres.make()),
    makeEmpty: async () => behind(await postgres.makeEmpty()),
  };
  storeSuite(pooled, {
    apply: (location, migrations) =>
      withPool(location, async (pool) => {
        const applied = await migratePostgres(pool, [...migrations, ...journalMigrations]);
        return applied.filter((name) => migrations.some((migration) => migration.name === name));
      }),
    query: (location, sql) => withPool(location, async (pool) => (await pool.query(sql)).rows),
  });
}

async function withPool<T>(
  location: DatabaseLocation,
  work: (pool: ReturnType<typeof openPool>) => Promise<T>,
): Promise<T> {
  const pool = openPool(location.kind === "postgres" ? location.url : "", "management", 15);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
