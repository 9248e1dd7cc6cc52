import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseLocation } from "@countersign/store/open";
import { freshDatabase, migratedDatabase } from "./postgres.ts";

export interface TestDatabase {
  readonly location: DatabaseLocation;
  /** The settings that make a server use it. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

/** A database that tests run on, as a maker of fresh ones. */
export interface TestedDatabase {
  readonly kind: "sqlite" | "postgres";
  /** With no rows. Its tables may be there already, where that saves time. */
  make(): Promise<TestDatabase>;
  /** With nothing at all, for tests of what is done to a database that was just made. */
  makeEmpty(): Promise<TestDatabase>;
}

export const sqlite: TestedDatabase = { kind: "sqlite", make: makeSqlite, makeEmpty: makeSqlite };

export const postgres: TestedDatabase = {
  kind: "postgres",
  make: async () => inPostgres(await migratedDatabase()),
  makeEmpty: async () => inPostgres(await freshDatabase()),
};

/** What every suite about storage loops over. */
export const databases: readonly TestedDatabase[] = [sqlite, postgres];

export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), "countersign-test-"));
}

async function makeSqlite(): Promise<TestDatabase> {
  const folder = freshFolder();
  return {
    location: { kind: "sqlite", folder },
    environment: { COUNTERSIGN_DATA: folder },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function inPostgres(url: string): TestDatabase {
  const folder = freshFolder();
  return {
    location: { kind: "postgres", url },
    environment: { DATABASE_URL: url, COUNTERSIGN_DATA: folder },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
