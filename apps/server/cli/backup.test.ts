import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openJournal, openStore } from "@countersign/store/databases/open";
import { licenseRefusals } from "@countersign/store/queries/requests/license-refusals";
import type { Store } from "@countersign/store/store";
import { validate, verdict } from "@countersign/store/suite/calls";
import { apiOf } from "../../../tests/support/api.ts";
import { freshFolder, type TestDatabase } from "../../../tests/support/databases.ts";
import { freshDatabase, withClient } from "../../../tests/support/postgres.ts";
import { databasesWithBackup } from "../../../tests/support/postgres-with-programs.ts";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { runHere } from "../../../tests/support/run-command.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";
import {
  newId,
  openTestOrganization,
  type TestOrganization,
} from "../../../tests/support/test-organization.ts";

setDefaultTimeout(60_000);

const done = { code: 0, stderr: "" };
const failure = (stderr: RegExp) => ({ code: 1, stderr: expect.stringMatching(stderr) });

describe.each(databasesWithBackup("backup and restore"))("backup and restore on $kind", ({ kind, make }) => {
  test("a backup made under load restores elsewhere, but not where a server runs, and its licenses validate", async () => {
    const [source, target] = [await make(), await make()];
    const org = await openTestOrganization(source.location);
    const { key } = await org.license();
    await org.store.close();
    const server = await startServerProcess(source.environment);
    let busy = true;
    const load = (async () => {
      while (busy) await apiOf(server.url, org.apiKey).validate({ license_key: key });
    })();
    const folder = join(freshFolder(), "backup");
    const made = await runCountersign(["backup", folder, "--json"], source.environment);
    const replaced = await runHere(["restore", folder, "--force"], source.environment);
    const inUse = /in use by another Countersign server\. Stop|A Countersign server is using .* Stop it/;
    expect(replaced).toMatchObject(failure(inUse));
    busy = false;
    await load;
    await server.stop();
    expect(made).toMatchObject(done);
    expect(JSON.parse(made.stdout).rows).toEqual({ organizations: 1, products: 1, licenses: 1 });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(modesIn(folder)).toEqual([0o600]);
    // What is restored is private even if the backup was not.
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);

    const restored = await runCountersign(["restore", folder, "--json"], target.environment);
    expect(restored).toMatchObject(done);
    const whole = { kept_aside: [], problem: null, rows: { licenses: 1 } };
    expect(JSON.parse(restored.stdout)).toMatchObject(whole);
    if (target.location.kind === "sqlite") expect(modesIn(target.location.folder)).toEqual([0o600]);
    expect(await statusIn(target, org, key)).toBe("active");
    source.remove();
    target.remove();
  });

  test("a restore replaces existing data only with --force, with the counts of refusals, and sets it aside", async () => {
    const database = await make();
    await runHere(["migrate"], database.environment);
    const licenseId = newId();
    const refuse = async () => {
      const journal = await openJournal(database.location);
      await journal.append([journalEntry({ license_id: licenseId, status: "revoked" })]);
      await journal.close();
    };
    const refusals = () =>
      inStore(database, async ({ reads }) => {
        const counted = await licenseRefusals(reads, [{ licenseId, sinceMs: 0 }]);
        return counted.reduce((sum, { count }) => sum + count, 0);
      });
    await refuse();
    const { folder, org, later } = await backedUp(database);
    await refuse();
    const restore = (...args: string[]) => runHere(["restore", folder, ...args], database.environment);
    const held =
      /^The database already holds 1 organization\. Add --force to replace it; the current data will be set aside\.\n$/;
    expect(await restore()).toMatchObject(failure(held));
    expect(await refusals()).toBe(2);
    const forced = await restore("--force", "--json");
    expect(forced).toMatchObject(done);
    expect(JSON.parse(forced.stdout).kept_aside).not.toEqual([]);
    expect(await statusIn(database, org, later)).toBe("license_not_found");
    expect(await refusals()).toBe(1);
    database.remove();
  });

  test("a backup that is damaged, incomplete, newer or of another database is refused, and nothing changes", async () => {
    const database = await make();
    const { folder, org, later } = await backedUp(database);
    const file = readdirSync(folder).find((name) => name.startsWith("countersign.")) ?? "";
    const otherKind: Record<string, string> =
      kind === "sqlite" ? { DATABASE_URL: "postgres://127.0.0.1:1/a" } : { COUNTERSIGN_DATA: folder };
    const manifestWith = (members: object) => (copy: string) => {
      const manifest = JSON.parse(readFileSync(join(copy, "manifest.json"), "utf8"));
      writeFileSync(join(copy, "manifest.json"), JSON.stringify({ ...manifest, ...members }));
    };
    const flipLastBit = (copy: string) => {
      const content = readFileSync(join(copy, file));
      content.writeUInt8(content.readUInt8(content.length - 1) ^ 1, content.length - 1);
      writeFileSync(join(copy, file), content);
    };
    const rows: [fault: (copy: string) => void, message: RegExp, environment?: Record<string, string>][] = [
      [() => {}, /^This backup was made from (SQLite|PostgreSQL)[^\n]*\n$/, otherKind],
      [manifestWith({ migrations: ["9999-later"] }), /9999-later/],
      [manifestWith({ rows: { organizations: 1, products: 1, licenses: 7 } }), /./],
      [flipLastBit, /its checksum differs/],
      [(copy) => rmSync(join(copy, file)), /The backup is incomplete/],
      [(copy) => rmSync(join(copy, "manifest.json")), /There is no finished backup in/],
    ];
    for (const [fault, message, environment = database.environment] of rows) {
      const copy = join(freshFolder(), "backup");
      cpSync(folder, copy, { recursive: true });
      fault(copy);
      expect(await runHere(["restore", copy, "--force"], environment)).toMatchObject(failure(message));
      expect(await statusIn(database, org, later)).toBe("active");
    }
    database.remove();
  });

  test("a backup encrypted with another key is restored, and the output says what to set", async () => {
    const [database, target] = [await make(), await make()];
    const sealed = { ...database.environment, COUNTERSIGN_ENCRYPTION_KEY: "the right passphrase" };
    const folder = join(freshFolder(), "backup");
    await runHere(["setup", "--organization", "A", "--product", "B"], sealed);
    await runHere(["backup", folder], sealed);
    const restored = await runHere(["restore", folder], target.environment);
    const sentence = /The backup was restored but cannot be opened yet\. This database is protected/;
    expect(restored).toMatchObject(failure(sentence));
    database.remove();
    target.remove();
  });

  if (kind === "postgres")
    test("a restore sets tables of a later release aside, so that an upgrade can be reverted", async () => {
      const database = await make();
      const { folder } = await backedUp(database);
      await withClient(database.environment.DATABASE_URL ?? "", async (client) => {
        await client.query("create table later_thing (organization_id text references organizations (id))");
        await client.query(
          "insert into schema_migrations (name, applied_at, oldest_release) values ('9999-later', 0, '99.0.0')",
        );
        expect(await runHere(["restore", folder, "--force"], database.environment)).toMatchObject(done);
        const { rows } = await client.query("select to_regclass('later_thing') as found");
        expect(rows).toEqual([{ found: null }]);
      });
    });
});

describe("refused backups", () => {
  test("a backup is refused if its folder is not empty, and the backup there stays unchanged", async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, "manifest.json"), "an earlier backup");
    const data = freshFolder();
    await runHere(["migrate"], { COUNTERSIGN_DATA: data });
    expect(await runHere(["backup", folder], { COUNTERSIGN_DATA: data })).toMatchObject({
      code: 1,
      stderr: `The folder ${folder} is not empty. Choose a new one, so that no earlier backup is overwritten.\n`,
    });
    expect(readFileSync(join(folder, "manifest.json"), "utf8")).toBe("an earlier backup");
  });

  test("a backup is refused if there is no database, and the data folder stays unchanged", async () => {
    const data = freshFolder();
    const folder = join(freshFolder(), "backup");
    expect(await runHere(["backup", folder], { COUNTERSIGN_DATA: data })).toMatchObject({
      code: 1,
      stderr: `There is no database in ${data}. Set COUNTERSIGN_DATA to the folder that contains it.\n`,
    });
    expect([readdirSync(data), existsSync(folder)]).toEqual([[], false]);
  });

  test("a backup is refused if pg_dump is missing or older than the database", async () => {
    const environment = { DATABASE_URL: await freshDatabase(), PATH: freshFolder() };
    const folder = join(environment.PATH, "backup");
    const refused = async (message: RegExp) =>
      expect(await runHere(["backup", folder], environment)).toEqual({ ...failure(message), stdout: "" });
    await refused(/^pg_dump is not on the PATH\. Install PostgreSQL's client programs .*\n$/);
    const program = join(environment.PATH, "pg_dump");
    writeFileSync(program, "#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n", { mode: 0o755 });
    await refused(
      /^The database is PostgreSQL \d+, but the pg_dump on the PATH is version 9\. Install .*\n$/,
    );
    expect(existsSync(folder)).toBe(false);
  });
});

/** Makes a license, a finished backup, and one more license, which the backup does not contain. */
async function backedUp(database: TestDatabase) {
  const org = await openTestOrganization(database.location);
  await org.license();
  const folder = join(freshFolder(), "backup");
  expect(await runHere(["backup", folder], database.environment)).toMatchObject(done);
  const { key: later } = await org.license();
  await org.store.close();
  return { folder, org, later };
}

/** The status that a validation of this license has in the database. */
function statusIn(database: TestDatabase, { apiKey }: TestOrganization, key: string): Promise<string> {
  return inStore(database, async (store) => (await verdict(store, validate(apiKey, key))).status);
}

async function inStore<T>({ location }: TestDatabase, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  const result = await work(store);
  await store.close();
  return result;
}

/** The different modes of the files in a folder. */
function modesIn(folder: string): number[] {
  return [...new Set(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777))];
}
