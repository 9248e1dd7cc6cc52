import { expect } from "bun:test";
import { join } from "node:path";
import { openStore } from "@countersign/store/open";
import { validate, verdict } from "@countersign/store/suite/calls";
import { freshFolder, sqlite, type TestDatabase, type TestedDatabase } from "./databases.ts";
import { freshDatabase } from "./postgres.ts";
import { findPrograms, startPostgresWithPrograms } from "./postgres-with-programs.ts";
import { runHere } from "./run-command.ts";
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
    "it needs PostgreSQL with its pg_dump. Install it (on Debian: apt-get install postgresql).",
  );
  return [sqlite];
}

let server: Promise<string> | undefined;

async function makePostgres(programs: string): Promise<TestDatabase> {
  server ??= startPostgresWithPrograms(programs);
  const url = await freshDatabase(await server);
  return {
    location: { kind: "postgres", url },
    environment: { DATABASE_URL: url, PATH: `${programs}:${process.env.PATH ?? ""}` },
    remove: () => {},
  };
}

/** A database with one license, and a finished backup of it. */
export async function backedUp(database: TestDatabase) {
  const org = await openTestOrganization(database.location);
  await org.license();
  const folder = join(freshFolder(), "backup");
  const { code, stderr } = await runHere(["backup", folder], database.environment);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  /** Creates one more license, which the backup does not contain, and closes the database. */
  const addLater = async () => {
    const { key } = await org.license();
    await org.store.close();
    return key;
  };
  return { folder, org, addLater };
}

/** The status that a validation of this license has in the database. */
export async function statusIn(
  { location }: TestDatabase,
  { apiKey }: TestOrganization,
  licenseKey: string,
): Promise<string> {
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  const { status } = await verdict(store, validate(apiKey, licenseKey));
  await store.close();
  return status;
}
