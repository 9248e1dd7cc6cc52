import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { dayMs } from "@countersign/domain/dates/lengths";
import type { DatabaseLocation } from "@countersign/store/databases/open";
import { sealText } from "@countersign/store/sealed-columns";
import { sqliteFiles } from "@countersign/store/sqlite/files";
import { createExamples } from "../../apps/server/features/demo/examples.ts";
import { addPortalCustomer, populate } from "../../apps/server/features/demo/populate.ts";
import type { TestDatabase } from "../support/databases.ts";
import { closeSegments, logRequests, openTestJournal } from "../support/journal.ts";
import { addOrganizationRows } from "../support/organization-rows.ts";
import { freshDatabase } from "../support/postgres.ts";
import { spawnCollecting } from "../support/server-process.ts";
import { newId, openTestOrganization } from "../support/test-organization.ts";
import { columnsOf, openRaw, type RawDatabase, rowsOf } from "./raw-database.ts";

/** What a test has to know about a snapshot. */
export interface SnapshotFacts {
  readonly apiKey: string;
  /** Of a license without an expiry. */
  readonly licenseKey: string;
  readonly rows: Readonly<Record<string, number>>;
}

const folder = import.meta.dirname;

/** The releases that have a snapshot, in order of their names. */
export const releases = readdirSync(folder).filter((name) => /^\d+\.\d+\.\d+$/.test(name));

const fileNames = { main: "countersign.db.gz", journal: "journal.db.gz", postgres: "postgres.sql.gz" };
const factsOf = (release: string, kind: DatabaseLocation["kind"]) => join(folder, release, `${kind}.json`);

export function readFacts(release: string, kind: DatabaseLocation["kind"]): SnapshotFacts {
  return JSON.parse(readFileSync(factsOf(release, kind), "utf8"));
}

/** Fills an empty database, so that every table has a row, and stores it as the snapshot of a release. */
export async function makeSnapshot(release: string, database: TestDatabase): Promise<void> {
  const { location, environment } = database;
  mkdirSync(join(folder, release), { recursive: true });
  const { apiKey, licenseKey } = await fill(location);
  const raw = await openRaw(location);
  const rows = await rowsOf(raw);
  const empty = Object.keys(rows).filter((table) => rows[table] === 0);
  if (empty.length > 0) throw new Error(`These tables have no row: ${empty.join(", ")}.`);
  const store = (name: string, content: Uint8Array | string) =>
    writeFileSync(join(folder, release, name), gzipSync(content, { level: 9 }));
  if (location.kind === "sqlite") {
    for (const schema of ["main", "journal"] as const) {
      await raw.query(`vacuum ${schema}`);
      await raw.query(`pragma ${schema}.wal_checkpoint(truncate)`);
      store(fileNames[schema], readFileSync(sqliteFiles(location.folder)[schema]));
    }
  } else store(fileNames.postgres, await dump(location.url, environment.PATH));
  await raw.close();
  const facts: SnapshotFacts = { apiKey, licenseKey, rows };
  writeFileSync(factsOf(release, location.kind), `${JSON.stringify(facts, null, 2)}\n`);
}

/** Restores a snapshot to a new database. */
export async function restoreSnapshot(release: string, empty: TestDatabase): Promise<DatabaseLocation> {
  const content = (name: string) => gunzipSync(readFileSync(join(folder, release, name)));
  if (empty.location.kind === "sqlite") {
    const files = sqliteFiles(empty.location.folder);
    for (const part of ["main", "journal"] as const) writeFileSync(files[part], content(fileNames[part]));
    return empty.location;
  }
  const url = await freshDatabase();
  const location = { kind: "postgres", url } as const;
  const database = await openRaw(location);
  await database.query(content(fileNames.postgres).toString());
  await database.close();
  return location;
}

/** As SQL that needs neither `psql` nor an extension. */
async function dump(url: string, path = process.env.PATH ?? ""): Promise<string> {
  const words = ["--inserts", "--no-owner", "--no-privileges", "--no-comments", `--dbname=${url}`];
  const { ended } = spawnCollecting("pg_dump", words, { env: { PATH: path } });
  const { code, stdout, stderr } = await ended;
  if (code !== 0) throw new Error(`pg_dump failed: ${stderr}`);
  return stdout
    .split("\n")
    .filter((line) => !/^(?:--|\\|SET |CREATE EXTENSION|CREATE INDEX licenses_by_text|$)/.test(line))
    .join("\n");
}

async function fill(location: DatabaseLocation) {
  const org = await openTestOrganization(location);
  const { store, organizationId, productId, apiKey } = org;
  const nowMs = Date.now();
  const ids = await store.transaction((db) => addOrganizationRows(db, org, "ada@example.com", nowMs));
  const seededProducts = await populate(store);
  await createExamples(store, seededProducts);
  await addPortalCustomer(store, seededProducts);
  const { key: licenseKey } = await org.license();
  const caller = { organization_id: organizationId, product_id: productId, license_id: ids.license };
  const ages = [0, 1, 2];
  await logRequests(
    location,
    ages.map((days) => ({ id: newId(), at: nowMs - days * dayMs, ip: "203.0.113.9", ...caller })),
  );
  const { journal, close } = await openTestJournal(location);
  await closeSegments(journal, nowMs + dayMs);
  await close();
  const sealed = sealText(store.reads, "a sealed text");
  await store.close();
  const raw = await openRaw(location);
  await fillEmptyTables(raw, { ...caller, user_id: ids.member, sealed });
  await raw.close();
  return { apiKey, licenseKey };
}

/** Values of columns that accept only some. */
const allowedValues: Readonly<Record<string, string>> = {
  "announcements.level": "info",
  "audit_log.actor_kind": "system",
  "portal_sessions.signed_in_by": "email",
  "quota_checks.type": "quota.warning",
  "quota_notices.type": "quota.warning",
  "stripe_prices.interval_unit": "month",
  "stripe_prices.mode": "test",
  "stripe_prices.plan": "pro",
  // They change no count.
  "license_counts.licenses": "0",
  "license_counts.fact": "created",
  "license_count_changes.licenses": "0",
  "license_count_changes.fact": "created",
};

async function fillEmptyTables(database: RawDatabase, ids: Readonly<Record<string, string>>): Promise<void> {
  const rows = await rowsOf(database);
  const [person] = await database.query("select id from portal_people");
  const known: Readonly<Record<string, string>> = { ...ids, person_id: String(person?.id) };
  const columns = await columnsOf(database);
  for (const table of Object.keys(rows).filter((name) => rows[name] === 0)) {
    const own = columns.filter((column) => column.table === table);
    const values = own.map(({ name, type }) => {
      const allowed = allowedValues[`${table}.${name}`];
      if (allowed !== undefined) return `'${allowed}'`;
      if (name.startsWith("sealed_")) return `'${ids.sealed}'`;
      return type === "text" || type === "TEXT" ? `'${known[name] ?? newId()}'` : "1";
    });
    const names = own.map(({ name }) => `"${name}"`);
    await database.query(`insert into ${table} (${names.join(", ")}) values (${values.join(", ")})`);
  }
  for (const { table, name } of columns.filter((column) => column.name.startsWith("sealed_"))) {
    const [sealed] = await database.query(`select count(${name}) as rows from ${table}`);
    if (Number(sealed?.rows) === 0) await database.query(`update ${table} set ${name} = '${ids.sealed}'`);
  }
}
