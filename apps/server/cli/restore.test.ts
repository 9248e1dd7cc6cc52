import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DatabaseLocation, openJournal, openStore } from "@countersign/store/open";
import { licenseRefusals } from "@countersign/store/queries/requests/license-refusals";
import pg from "pg";
import { backedUp, databasesWithBackup, rewriteManifest, statusOf } from "../../../tests/support/backups.ts";
import { freshFolder } from "../../../tests/support/databases.ts";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";
import { newId } from "../../../tests/support/test-organization.ts";

setDefaultTimeout(60_000);

for (const { kind, make } of databasesWithBackup("restore")) {
  describe(`restore on ${kind}`, () => {
    test("existing data is replaced only with --force, and is set aside", async () => {
      const database = await make();
      const { folder, org, addLater } = await backedUp(database);
      const later = await addLater();
      const refused = await runCountersign(["restore", folder], database.environment);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toBe(
        "The database already holds 1 organization. Add --force to replace it; the current data will be set aside.\n",
      );
      const forced = await runCountersign(["restore", folder, "--force", "--json"], database.environment);
      expect({ code: forced.code, stderr: forced.stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(forced.stdout).kept_aside).not.toEqual([]);
      const server = await startServerProcess(database.environment);
      expect(await statusOf(server.url, org.apiKey, later)).toBe("license_not_found");
      await server.stop();
      database.remove();
    });

    test("the counts of refused validations are restored with the rest", async () => {
      const database = await make();
      await runCountersign(["migrate"], database.environment);
      const licenseId = newId();
      await refuse(database.location, licenseId);
      const { folder, addLater } = await backedUp(database);
      await addLater();
      await refuse(database.location, licenseId);
      expect(await refusalCount(database.location, licenseId)).toBe(2);
      const forced = await runCountersign(["restore", folder, "--force"], database.environment);
      expect({ code: forced.code, stderr: forced.stderr }).toEqual({ code: 0, stderr: "" });
      expect(await refusalCount(database.location, licenseId)).toBe(1);
      database.remove();
    });

    test("the database of a running server is not replaced, not even with --force", async () => {
      const database = await make();
      const { folder, addLater } = await backedUp(database);
      await addLater();
      const server = await startServerProcess(database.environment);
      const { code, stderr } = await runCountersign(["restore", folder, "--force"], database.environment);
      await server.stop();
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /in use by another Countersign server\. Stop|A Countersign server is using .* Stop it/,
      );
      database.remove();
    });

    test("a modified or incomplete backup is rejected before anything is changed", async () => {
      const database = await make();
      const { folder, org, addLater } = await backedUp(database);
      const later = await addLater();
      const file = readdirSync(folder).find((name) => name.startsWith("countersign.")) ?? "";
      const bytes = readFileSync(join(folder, file));
      bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1;
      writeFileSync(join(folder, file), bytes);
      const changed = await runCountersign(["restore", folder, "--force"], database.environment);
      expect(changed.stderr).toContain("its checksum differs");
      rmSync(join(folder, file));
      const incomplete = await runCountersign(["restore", folder, "--force"], database.environment);
      expect(incomplete.stderr).toContain("The backup is incomplete");
      rmSync(join(folder, "manifest.json"));
      const unfinished = await runCountersign(["restore", folder, "--force"], database.environment);
      expect(unfinished.stderr).toContain("There is no finished backup in");
      expect([changed.code, incomplete.code, unfinished.code]).toEqual([1, 1, 1]);
      const server = await startServerProcess(database.environment);
      expect(await statusOf(server.url, org.apiKey, later)).toBe("active");
      await server.stop();
      database.remove();
    });

    test("a manifest whose row counts differ from the copy stops the restore, and nothing changes", async () => {
      const database = await make();
      const { folder, org, addLater } = await backedUp(database);
      const later = await addLater();
      rewriteManifest(folder, { rows: { organizations: 1, products: 1, licenses: 7 } });
      const { code } = await runCountersign(["restore", folder, "--force"], database.environment);
      expect(code).toBe(1);
      const server = await startServerProcess(database.environment);
      expect(await statusOf(server.url, org.apiKey, later)).toBe("active");
      await server.stop();
      database.remove();
    });

    test("a backup of a newer release is rejected", async () => {
      const database = await make();
      const { folder, addLater } = await backedUp(database);
      await addLater();
      rewriteManifest(folder, { migrations: ["9999-later"] });
      const { code, stderr } = await runCountersign(["restore", folder, "--force"], database.environment);
      expect({ code, newer: stderr.includes("9999-later") }).toEqual({ code: 1, newer: true });
      database.remove();
    });

    test("a backup of the other kind of database is rejected", async () => {
      const database = await make();
      const { folder, addLater } = await backedUp(database);
      await addLater();
      const other =
        kind === "sqlite" ? { DATABASE_URL: "postgres://127.0.0.1:1/a" } : { COUNTERSIGN_DATA: folder };
      const { code, stderr } = await runCountersign(["restore", folder], other);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^This backup was made from (SQLite|PostgreSQL)[^\n]*\n$/);
      database.remove();
    });

    test("a backup encrypted with another key is restored, and the output says what to set", async () => {
      const database = await make();
      const sealed = { ...database.environment, COUNTERSIGN_ENCRYPTION_KEY: "the right passphrase" };
      await runCountersign(["setup", "--organization", "A", "--product", "B"], sealed);
      const folder = join(freshFolder(), "backup");
      await runCountersign(["backup", folder], sealed);
      const target = await make();
      const { code, stderr } = await runCountersign(["restore", folder], target.environment);
      expect(code).toBe(1);
      expect(stderr).toContain(
        "The backup was restored but cannot be opened yet. This database is protected",
      );
      database.remove();
      target.remove();
    });

    if (kind === "postgres") {
      test("tables of a later release are set aside, so that an upgrade can be reverted", async () => {
        const database = await make();
        const { folder, addLater } = await backedUp(database);
        await addLater();
        const client = new pg.Client({ connectionString: database.environment.DATABASE_URL ?? "" });
        await client.connect();
        await client.query("create table later_thing (organization_id text references organizations (id))");
        await client.query("insert into schema_migrations (name, applied_at) values ('9999-later', 0)");
        const { code, stderr } = await runCountersign(["restore", folder, "--force"], database.environment);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        const { rows } = await client.query("select to_regclass('later_thing') as found");
        await client.end();
        expect(rows).toEqual([{ found: null }]);
      });
    }
  });
}

async function refuse(location: DatabaseLocation, licenseId: string): Promise<void> {
  const journal = await openJournal(location);
  await journal.append([journalEntry({ license_id: licenseId, status: "revoked" })]);
  await journal.close();
}

async function refusalCount(location: DatabaseLocation, licenseId: string): Promise<number> {
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  const refusals = await licenseRefusals(store.reads, [{ licenseId, sinceMs: 0 }]);
  await store.close();
  return refusals.reduce((sum, { count }) => sum + count, 0);
}
