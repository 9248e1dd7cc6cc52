import { expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiOf } from "./api.ts";
import { freshFolder, sqlite, type TestDatabase, type TestedDatabase } from "./databases.ts";
import { freshDatabase } from "./postgres.ts";
import {
  findPrograms,
  type PostgresWithPrograms,
  startPostgresWithPrograms,
} from "./postgres-with-programs.ts";
import { runCountersign } from "./server-process.ts";
import { skipWithReason } from "./skip.ts";
import { openTestOrganization, type TestOrganization } from "./test-organization.ts";

/** The databases that can be backed up here: always SQLite, and PostgreSQL if its client programs are installed. */
export function databasesWithBackup(suite: string): TestedDatabase[] {
  const programs = findPrograms();
  if (programs !== null) {
    const make = () => makePostgres(programs);
    return [sqlite, { kind: "postgres", make, makeEmpty: make }];
  }
  skipWithReason(
    `${suite} on postgres`,
    "no PostgreSQL with its own pg_dump was found. Install one, on Debian and Ubuntu with: apt install postgresql",
  );
  return [sqlite];
}

let server: Promise<PostgresWithPrograms> | undefined;

async function makePostgres(programs: string): Promise<TestDatabase> {
  server ??= startPostgresWithPrograms(programs);
  const url = await freshDatabase((await server).url);
  return {
    location: { kind: "postgres", url },
    environment: { DATABASE_URL: url, PATH: `${programs}:${process.env.PATH ?? ""}` },
    remove: () => {},
  };
}

export interface BackedUp {
  readonly folder: string;
  readonly org: TestOrganization;
  /** Creates one more license, which the backup does not contain, and closes the database. */
  addLater(): Promise<string>;
}

/** A database with one license, and a finished backup of it. */
export async function backedUp(database: TestDatabase): Promise<BackedUp> {
  const org = await openTestOrganization(database.location);
  await org.license();
  const folder = join(freshFolder(), "backup");
  const { code, stderr } = await runCountersign(["backup", folder], database.environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const addLater = async () => {
    const { key } = await org.license();
    await org.store.close();
    return key;
  };
  return { folder, org, addLater };
}

export function rewriteManifest(folder: string, change: Readonly<Record<string, unknown>>): void {
  const path = join(folder, "manifest.json");
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change }));
}

export async function statusOf(url: string, apiKey: string, licenseKey: string): Promise<unknown> {
  const { body } = await apiOf(url, apiKey).validate({ license_key: licenseKey });
  return body.status;
}
