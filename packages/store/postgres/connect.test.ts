import { afterAll } from "bun:test";
import {
  isWholeRun,
  postgres,
  type TestDatabase,
  type TestedDatabase,
} from "../../../tests/support/databases.ts";
import { type PgBouncer, startPgBouncer, whyNoPgBouncer } from "../../../tests/support/pgbouncer.ts";
import { sharedPostgres } from "../../../tests/support/postgres.ts";
import { skipWithReason } from "../../../tests/support/skip.ts";
import { storeSuite, writeSuite } from "../store.suite.ts";
import { postgresMigrating } from "../suite/postgres-migrating.ts";

/** Writes again, behind a pooler that gives each transaction another connection. The whole suite in `npm run test:all`. */
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
  const suite = isWholeRun ? storeSuite : writeSuite;
  suite(pooled, postgresMigrating("management", 15));
}
