import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type DatabaseLocation, migrate, openStore } from "@countersign/store/databases/open";
import { allMigrations, journalMigrations, mainMigrations } from "@countersign/store/migrations/all";
import { isOlder, type Migration } from "@countersign/store/migrations/migration";
import { migratePostgres } from "@countersign/store/postgres/migrate";
import { closePool, openPool } from "@countersign/store/postgres/pools";
import { openText } from "@countersign/store/sealed-columns";
import { openDatabase, sqliteFiles } from "@countersign/store/sqlite/files";
import { migrateSqlite } from "@countersign/store/sqlite/migrate";
import { sql } from "kysely";
import { release } from "../../apps/server/base/release.ts";
import { examine } from "../../apps/server/features/doctor/examine.ts";
import { validate, verdict } from "../../packages/store/suite/calls.ts";
import { databases, type TestDatabase, type TestedDatabase } from "../support/databases.ts";
import { problemsOf } from "./expand-rules.ts";
import { columnsOf, openRaw, rowsOf, schemaOf } from "./raw-database.ts";
import { readFacts, releases, restoreSnapshot } from "./snapshot.ts";

setDefaultTimeout(60_000);

const created: TestDatabase[] = [];
afterAll(() => {
  for (const database of created) database.remove();
});
const emptyDatabase = async ({ makeEmpty }: TestedDatabase) => {
  const database = await makeEmpty();
  created.push(database);
  return database;
};

describe.each(releases)("a database of release %s", (old) => {
  describe.each(databases.map((database) => ({ kind: database.kind, database })))(
    "on $kind",
    ({ database }) => {
      test("is migrated, keeps every row and secret, validates, and passes the doctor's checks", async () => {
        const { apiKey, licenseKey, rows } = readFacts(old, database.kind);
        const empty = await emptyDatabase(database);
        const location = await restoreSnapshot(old, empty);
        const before = await readRaw(location);
        await migrate(location);
        const after = await readRaw(location);
        const kept = Object.keys(after.rows).filter((table) => table in rows);
        expect(pick(after.rows, kept)).toEqual(pick(rows, kept));
        expect(before.rows).toEqual(rows);
        if (allMigrations.every(({ phase }) => phase === "expand")) {
          expect(kept).toEqual(Object.keys(rows));
          expect(after.schema).toMatchObject(before.schema);
        }

        const store = await openStore(location, { encryptionKey: null, durability: "standard" });
        for (const { table, name } of after.columns.filter((column) => column.name.startsWith("sealed_"))) {
          const { rows: sealed } = await sql<{ text: string }>`
          select ${sql.ref(name)} as text from ${sql.table(table)} where ${sql.ref(name)} is not null`.execute(
            store.reads,
          );
          expect([table, name, sealed.length > 0]).toEqual([table, name, true]);
          for (const { text } of sealed) openText(store.reads, text);
        }
        expect((await verdict(store, validate(apiKey, licenseKey))).status).toBe("active");
        await store.close();

        const environment = location.kind === "postgres" ? { DATABASE_URL: location.url } : {};
        const checks = await examine({ ...empty.environment, ...environment });
        expect(checks.filter(({ state }) => state === "problem")).toEqual([]);
      });
    },
  );
});

/** `npm run release -- snapshot` makes a snapshot of the release that is being prepared. */
test("the schema of a release is changed only by new migrations", async () => {
  for (const old of releases)
    for (const database of databases) {
      const snapshot = await readRaw(await restoreSnapshot(old, await emptyDatabase(database)));
      const { location } = await emptyDatabase(database);
      await migrateTo(location, (name) => snapshot.migrations.includes(name));
      const { schema } = await readRaw(location);
      const advice = `The schema differs from that of release ${old}. If it is released, add a migration; if not, run npm run release -- snapshot.`;
      expect({ advice, schema }).toEqual({ advice, schema: snapshot.schema });
      expect(Object.keys(schema).length).toBeGreaterThan(500);
    }
});

async function migrateTo(location: DatabaseLocation, wanted: (name: string) => boolean): Promise<void> {
  const some = (migrations: readonly Migration[]) => migrations.filter(({ name }) => wanted(name));
  if (location.kind === "postgres") {
    const pool = openPool(location.url, "setup", 0);
    await migratePostgres(pool, some(allMigrations)).finally(() => closePool(pool));
    return;
  }
  const files = sqliteFiles(location.folder);
  for (const [path, migrations] of [
    [files.main, mainMigrations],
    [files.journal, journalMigrations],
  ] as const) {
    const database = openDatabase(path);
    migrateSqlite(database, some(migrations));
    database.close();
  }
}

async function readRaw(location: DatabaseLocation) {
  const raw = await openRaw(location);
  try {
    const lists = raw.kind === "sqlite" ? ["main", "journal"] : ["public"];
    const names = lists.map((list) => `select name from ${list}.schema_migrations`);
    const migrations = (await raw.query(names.join(" union all "))).map(({ name }) => String(name));
    return {
      schema: await schemaOf(raw),
      rows: await rowsOf(raw),
      columns: await columnsOf(raw),
      migrations,
    };
  } finally {
    await raw.close();
  }
}

function pick(rows: Readonly<Record<string, number>>, tables: readonly string[]) {
  // A migration adds its own name.
  return Object.fromEntries(
    tables.filter((table) => table !== "schema_migrations").map((table) => [table, rows[table]]),
  );
}

describe("every migration", () => {
  const names = allMigrations.map(({ name }) => name);
  /** Everything in the first release was created by it. */
  const later = allMigrations.filter(({ name }) => !name.startsWith("0001-"));

  test("has its own name", () => expect(new Set(names).size).toBe(names.length));

  test("that expands only adds", () =>
    expect(later.filter(({ phase }) => phase === "expand").flatMap(problemsOf)).toEqual([]));

  test("names a release that has a snapshot, so that what a release stops using is removed by a later one", () => {
    const unknown = allMigrations.filter(({ oldestRelease }) => !releases.includes(oldestRelease));
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  test("that contracts removes nothing that this release is the first not to use", () => {
    const early = later.filter(
      ({ phase, oldestRelease }) => phase === "contract" && !isOlder(oldestRelease, release),
    );
    expect(early.map(({ name }) => name)).toEqual([]);
  });
});

describe("a migration that expands", () => {
  const migrationOf = (...statements: Migration["statements"]): Migration => ({
    name: "0002-sample",
    phase: "expand",
    oldestRelease: "0.1.0",
    statements,
  });

  test.each([
    ["create table a (id text primary key, b text not null unique)"],
    ["create index licenses_by_color on licenses (color)"],
    ["alter table licenses add column color text"],
    ["alter table licenses add column color text not null default 'red'"],
    ["alter table licenses\n  add column size bigint not null default 0 check (size >= 0)"],
    ["alter table licenses set (autovacuum_vacuum_threshold = 5000)"],
    ["insert into platform_state (name, value) values ('color', '')"],
  ])("can have: %s", (statement) => expect(problemsOf(migrationOf(statement))).toEqual([]));

  test("can do anything to the tables that it creates", () => {
    const own = migrationOf(
      "create table a (id text)",
      "create unique index a_id on a (id)",
      "insert into a (id) values ('b')",
    );
    expect(problemsOf(own)).toEqual([]);
  });

  test.each([
    ["drop table licenses"],
    ["DROP INDEX licenses_by_key"],
    ["alter table licenses drop column notes"],
    ["alter table licenses rename column notes to remarks"],
    ["alter table licenses rename to keys"],
    ["alter table licenses alter column max_ips type text"],
    ["alter table licenses alter column notes set not null"],
    ["alter table licenses add column color text not null"],
    ["alter table licenses add column color text default (random())"],
    ["alter table licenses add column color text unique"],
    ["alter table licenses add column a text, drop column notes"],
    ["alter table licenses add constraint a check (max_ips < 5)"],
    ["create unique index licenses_color on licenses (color)"],
    ["update licenses set notes = ''"],
    ["delete from licenses"],
    ["insert into licenses (id) values ('a')"],
    ["truncate licenses"],
    ["/* only adds */ drop table licenses"],
    ["do $$ begin drop table licenses; end $$"],
  ])("cannot have: %s", (statement) => expect(problemsOf(migrationOf(statement))).not.toEqual([]));

  test.each(["sqlite", "postgres"] as const)("is checked as it is on %s", (kind) => {
    const statement = { sqlite: null, postgres: null, [kind]: "drop table licenses" };
    expect(problemsOf(migrationOf(statement))).toHaveLength(1);
  });
});
