import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseLocation } from "@countersign/store/open";
import { freshDatabase } from "./postgres.ts";

export interface TestDatabase {
  readonly location: DatabaseLocation;
  /** The settings that make a server use it. */
  readonly environment: Readonly<Record<string, string>>;
  remove(): void;
}

/** A database that tests run on, as a maker of fresh empty ones. */
export interface TestedDatabase {
  readonly kind: "sqlite" | "postgres";
  make(): Promise<TestDatabase>;
}

export const sqlite: TestedDatabase = {
  kind: "sqlite",
  make: async () => {
    const folder = freshFolder();
    return {
      location: { kind: "sqlite", folder },
      environment: { COUNTERSIGN_DATA: folder },
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

export const postgres: TestedDatabase = {
  kind: "postgres",
  make: async () => {
    const url = await freshDatabase();
    const folder = freshFolder();
    return {
      location: { kind: "postgres", url },
      environment: { DATABASE_URL: url, COUNTERSIGN_DATA: folder },
      remove: () => rmSync(folder, { recursive: true, force: true }),
    };
  },
};

/** What every suite about storage loops over. */
export const databases: readonly TestedDatabase[] = [sqlite, postgres];

export function freshFolder(): string {
  return mkdtempSync(join(tmpdir(), "countersign-test-"));
}
