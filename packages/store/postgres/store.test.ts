import { describe, expect, test } from "bun:test";
import { postgres } from "../../../tests/support/databases.ts";
import { freePort } from "../../../tests/support/free-port.ts";
import { journalMigrations } from "../migrations/all.ts";
import { type DatabaseLocation, openStore } from "../open.ts";
import { StoreProblem } from "../problem.ts";
import { storeSuite } from "../store.suite.ts";
import { migratePostgres } from "./migrate.ts";
import { openPool } from "./pools.ts";

storeSuite(postgres, {
  // PostgreSQL stores both migration lists in one database, so the journal's are among the known ones.
  apply: (location, migrations) =>
    withPool(location, async (pool) => {
      const applied = await migratePostgres(pool, [...migrations, ...journalMigrations]);
      return applied.filter((name) => migrations.some((migration) => migration.name === name));
    }),
  query: (location, sql) => withPool(location, async (pool) => (await pool.query(sql)).rows),
});

describe("a PostgreSQL URL", () => {
  test("without a listening server is refused with what to check", async () => {
    const url = `postgres://postgres:postgres@127.0.0.1:${await freePort()}/postgres`;
    const options = { encryptionKey: null, durability: "standard" } as const;
    const problem = await openStore({ kind: "postgres", url }, options).then(
      () => null,
      (error: unknown) => error,
    );
    expect(problem).toBeInstanceOf(StoreProblem);
    expect(String(problem)).toContain("Check DATABASE_URL");
    // The URL may contain a password.
    expect(String(problem)).not.toContain("postgres:postgres");
  });
});

async function withPool<T>(
  location: DatabaseLocation,
  work: (pool: ReturnType<typeof openPool>) => Promise<T>,
): Promise<T> {
  const pool = openPool(location.kind === "postgres" ? location.url : "", "setup", 0);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
