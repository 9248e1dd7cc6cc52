import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseLocation } from "@countersign/store/databases/open";
import { freshDatabase, migratedDatabase } from "./postgres.ts";

export interface TestDatabase {
  readonly location: DatabaseLocation;
  /** The settings with which a server uses it. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

/** A kind of database that tests run on. Creates empty databases. */
export interface TestedDatabase {
  readonly kind: "sqlite" | "postgres";
  /** Without rows. To save time, the tables may exist already. */
  make(): Promise<TestDatabase>;
  /** Without tables, for tests of new databases. */
  makeEmpty(): Promise<TestDatabase>;
}

export const sqlite: TestedDatabase = { kind: "sqlite", make: makeSqlite, makeEmpty: makeSqlite };

export const postgres: TestedDatabase = {
  kind: "postgres",
  make: async () => postgresAt(await migratedDatabase()),
  makeEmpty: async () => postgresAt(await freshDatabase()),
};

/** Every storage suite runs on each of these. */
export const databases: readonly TestedDatabase[] = [sqlite, postgres];

/** In `npm run test:all`. */
export const isWholeRun = process.env.COUNTERSIGN_TEST_ALL === "true";

/**
 * The database of a file that tests through HTTP or in a browser. Databases differ only in packages/store, where each
 * query is tested on both. `npm run test:all` runs every file on both.
 */
export function on(kind: TestedDatabase["kind"]): readonly TestedDatabase[] {
  if (isWholeRun) return databases;
  return databases.filter((database) => database.kind === kind);
}

export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), "countersign-test-"));
}

async function makeSqlite(): Promise<TestDatabase> {
  const folder = freshFolder();
  return { location: { kind: "sqlite", folder }, ...withFolder(folder) };
}

/** An existing database. */
export function postgresAt(url: string): TestDatabase {
  return { location: { kind: "postgres", url }, ...withFolder(freshFolder(), { DATABASE_URL: url }) };
}

function withFolder(folder: string, environment: TestDatabase["environment"] = {}) {
  return {
    environment: { ...environment, COUNTERSIGN_DATA: folder },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
