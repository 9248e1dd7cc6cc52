import { afterAll, beforeAll, expect, test } from "bun:test";
import pg from "pg";
import { freshDatabase } from "../../../tests/support/postgres.ts";
import type { LockWait } from "../migrations/migration.ts";
import { migratePostgres } from "./migrate.ts";
import { closePool, openPool } from "./pools.ts";

const first = { name: "0001-first", statements: ["create table widgets (id text primary key)"] };
const second = { name: "0002-second", statements: ["alter table widgets add column size integer"] };

let url: string;
let pool: pg.Pool;
let clients: pg.Client[];

beforeAll(async () => {
  url = await freshDatabase();
  pool = openPool(url, "setup", 0);
  clients = await Promise.all(
    ["a long export", "an app"].map(async (name) => {
      const client = new pg.Client({ connectionString: url, application_name: name });
      await client.connect();
      return client;
    }),
  );
  await migratePostgres(pool, [first]);
}, 30_000);
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await closePool(pool);
});

test("a migration that needs a lock gives way to others, names who holds it, and is applied when it is free", async () => {
  const [reader, app] = clients as [pg.Client, pg.Client];
  await reader.query("begin");
  await reader.query("select * from widgets");
  const waits: LockWait[] = [];
  const migrating = migratePostgres(pool, [first, second], {
    lockMs: 200,
    retryMs: 50,
    migrationWaits: (wait) => waits.push(wait),
  });
  let longestMs = 0;
  while (waits.length < 3) {
    const startedMs = performance.now();
    await app.query("select * from widgets");
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    if (longestMs > 5_000) break;
  }
  await reader.query("commit");
  expect(await migrating).toEqual([second.name]);
  expect(longestMs).toBeLessThan(5_000);
  expect(waits[0]).toMatchObject({ migration: second.name, retryMs: 50 });
  expect(waits[0]?.heldBy).toEqual([
    expect.stringMatching(/^process \d+ \(a long export, idle in transaction, for \d+ s\)$/),
  ]);
  await app.query("select size from widgets");
}, 20_000);
