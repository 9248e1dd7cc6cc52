import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import pg from "pg";
import { freshDatabase } from "../../../tests/support/postgres.ts";
import {
  type LockWait,
  type Migration,
  type PostponedMigration,
  thisRelease,
} from "../migrations/migration.ts";
import { migratePostgres } from "./migrate.ts";
import { closePool, openPool } from "./pools.ts";

const expand = { phase: "expand", oldestRelease: "0.1.0" } as const;
const first = { ...expand, name: "0001-first", statements: ["create table widgets (id text primary key)"] };
const second = {
  ...expand,
  name: "0002-second",
  statements: ["alter table widgets add column size integer"],
};

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

describe("a migration that removes something", () => {
  const removing: Migration = {
    name: "0003-removing",
    phase: "contract",
    oldestRelease: "0.4.0",
    statements: ["alter table widgets drop column size"],
  };
  const later: Migration = { ...expand, name: "0004-later", statements: ["create table gadgets (id text)"] };
  const all = [first, second, removing, later];

  async function migrated(contractAnyway = false) {
    const postponed: PostponedMigration[] = [];
    const applied = await migratePostgres(pool, all, {
      contractAnyway,
      migrationPostponed: (one) => postponed.push(one),
    });
    return { applied, postponed };
  }

  test("is left for later while a server of an older release is connected, and nothing waits for it", async () => {
    await migratePostgres(pool, [first, second]);
    const old = new pg.Client({ connectionString: url, application_name: "countersign 0.3.9" });
    await old.connect();
    const reason = `servers of release ${thisRelease} and 0.3.9 are connected`;
    const postponed = [{ migration: removing.name, reason }];
    expect(await migrated()).toEqual({ applied: [later.name], postponed });
    expect(await migrated()).toEqual({ applied: [], postponed });
    await old.end();
    // This process is itself of an older release, until it is asked for.
    expect(await migrated(true)).toEqual({ applied: [removing.name], postponed: [] });
    expect(await migrated()).toEqual({ applied: [], postponed: [] });
  });
});
