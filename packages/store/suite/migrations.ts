import { describe, expect, test } from "bun:test";
import { type DatabaseLocation, openStore } from "../databases/open.ts";
import { StoreProblem } from "../errors/problem.ts";
import { mainMigrations } from "../migrations/all.ts";
import { type Migration, thisRelease } from "../migrations/migration.ts";
import { times } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

/** Applies a list of migrations to one database, and queries that database afterwards. */
export interface Migrating {
  apply(location: DatabaseLocation, migrations: readonly Migration[]): Promise<string[]>;
  query(location: DatabaseLocation, sql: string): Promise<unknown[]>;
}

export function migrations(fixture: StoreFixture, { apply, query }: Migrating) {
  describe("migrations", () => {
    const expand = { phase: "expand", oldestRelease: "0.1.0" } as const;
    const first: Migration = {
      ...expand,
      name: "9000-first",
      statements: ["create table first_things (id text primary key)"],
    };
    const next: Migration = {
      ...expand,
      name: "9001-next",
      statements: [
        "create table next_things (id text primary key)",
        "insert into next_things (id) values ('kept')",
        "alter table organizations add column next_thing text",
      ],
    };
    const broken: Migration = { ...next, statements: [...next.statements, "create nonsense"] };

    test("nodes that start together on a new database all start, and start again", async () => {
      const location = await fixture.empty();
      const stores = await Promise.all(times(4, () => open(location)));
      await Promise.all(stores.map((store) => store.ping()));
      await Promise.all(stores.map((store) => store.close()));
      await (await open(location)).close();
      expect(await apply(location, mainMigrations)).toEqual([]);
    });

    test("several are applied in their order, each once", async () => {
      const location = await fixture.empty();
      const names = [...mainMigrations, first].map(({ name }) => name);
      expect(await apply(location, [...mainMigrations, first])).toEqual(names);
      expect(await apply(location, [...mainMigrations, first, next])).toEqual([next.name]);
    });

    test("a migration that fails at its last statement changes nothing, is reported, and is applied when corrected", async () => {
      const location = await fixture.empty();
      const problem = await apply(location, [...mainMigrations, first, broken]).catch(
        (error: unknown) => error,
      );
      expect(problem).toBeInstanceOf(StoreProblem);
      expect(String(problem)).toContain("Migration 9001-next failed and was rolled back");
      await expect(query(location, "select id from next_things")).rejects.toThrow();
      await expect(query(location, "select next_thing from organizations")).rejects.toThrow();
      const recorded = "select name from schema_migrations where name = '9001-next'";
      expect(await query(location, recorded)).toEqual([]);
      expect(await query(location, "select id from first_things")).toEqual([]);
      expect(await apply(location, [...mainMigrations, first, next])).toEqual([next.name]);
      expect(await query(location, "select id from next_things")).toMatchObject([{ id: "kept" }]);
    });

    const laterMigration = (location: DatabaseLocation, name: string, oldestRelease: string) =>
      query(
        location,
        `insert into schema_migrations (name, applied_at, oldest_release) values ('${name}', 1, '${oldestRelease}')`,
      );

    test("a database to which a newer release has only added is opened, one from which it has removed is refused", async () => {
      const location = await fixture.separate();
      await (await open(location)).close();
      await laterMigration(location, "9998-expanding", thisRelease);
      await (await open(location)).close();
      await laterMigration(location, "9999-contracting", "99.1.0");
      const problem = await open(location).catch((error: unknown) => error);
      expect(problem).toBeInstanceOf(StoreProblem);
      expect(String(problem)).toContain(
        `The database has migration 9999-contracting, which this release, ${thisRelease}, does not know and cannot run with. Start release 99.1.0 or a newer release.`,
      );
    });

    test("a release that cannot be read is not relied on", async () => {
      const location = await fixture.separate();
      await (await open(location)).close();
      await laterMigration(location, "9999-odd", "next");
      expect(await open(location).catch((error: unknown) => error)).toBeInstanceOf(StoreProblem);
    });
  });
}

function open(location: DatabaseLocation) {
  return openStore(location, { encryptionKey: null, durability: "standard" });
}
