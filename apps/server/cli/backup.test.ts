import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { backedUp, databasesWithBackup, statusOf } from "../../../tests/support/backups.ts";
import { freshFolder } from "../../../tests/support/databases.ts";
import { freshDatabase } from "../../../tests/support/postgres.ts";
import { runCountersign, startServerProcess } from "../../../tests/support/server-process.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";

setDefaultTimeout(60_000);

for (const { kind, make } of databasesWithBackup("backup")) {
  describe(`backup on ${kind}`, () => {
    test("a backup made under load restores elsewhere, and its licenses validate", async () => {
      const source = await make();
      const org = await openTestOrganization(source.location);
      const { key } = await org.license();
      const server = await startServerProcess(source.environment);
      let busy = true;
      const load = (async () => {
        while (busy) await statusOf(server.url, org.apiKey, key);
      })();
      const folder = join(freshFolder(), "backup");
      const { code, stdout, stderr } = await runCountersign(["backup", folder, "--json"], source.environment);
      busy = false;
      await load;
      await server.stop();
      await org.store.close();
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(stdout).rows).toEqual({ organizations: 1, products: 1, licenses: 1 });
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);

      const target = await make();
      const restored = await runCountersign(["restore", folder, "--json"], target.environment);
      expect({ code: restored.code, stderr: restored.stderr }).toEqual({ code: 0, stderr: "" });
      expect(JSON.parse(restored.stdout)).toMatchObject({
        kept_aside: [],
        problem: null,
        rows: { licenses: 1 },
      });
      const again = await startServerProcess(target.environment);
      expect(await statusOf(again.url, org.apiKey, key)).toBe("active");
      await again.stop();
      source.remove();
      target.remove();
    });

    test("a backup is only written to an empty folder", async () => {
      const database = await make();
      const { folder, addLater } = await backedUp(database);
      await addLater();
      const before = readFileSync(join(folder, "manifest.json"), "utf8");
      const { code, stderr } = await runCountersign(["backup", folder], database.environment);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `The folder ${folder} is not empty. Choose a new one, so that no earlier backup is overwritten.\n`,
      });
      expect(readFileSync(join(folder, "manifest.json"), "utf8")).toBe(before);
      database.remove();
    });
  });
}

describe("a backup is refused", () => {
  test("if the folder has no database, and the folder stays unchanged", async () => {
    const data = freshFolder();
    const folder = join(freshFolder(), "backup");
    const { code, stderr } = await runCountersign(["backup", folder], { COUNTERSIGN_DATA: data });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `There is no database in ${data}. Set COUNTERSIGN_DATA to the folder that contains it.\n`,
    });
    expect([readdirSync(data), existsSync(folder)]).toEqual([[], false]);
  });

  test("if pg_dump is missing or older than the database", async () => {
    const url = await freshDatabase();
    const bin = freshFolder();
    const backup = () => runCountersign(["backup", join(bin, "backup")], { DATABASE_URL: url, PATH: bin });
    const missing = await backup();
    expect({ code: missing.code, stdout: missing.stdout }).toEqual({ code: 1, stdout: "" });
    expect(missing.stderr).toMatch(
      /^pg_dump is not on the PATH\. Install PostgreSQL's client programs .*\n$/,
    );

    writeFileSync(join(bin, "pg_dump"), "#!/bin/sh\necho 'pg_dump (PostgreSQL) 9.6.24'\n");
    chmodSync(join(bin, "pg_dump"), 0o755);
    const old = await backup();
    expect({ code: old.code, stdout: old.stdout }).toEqual({ code: 1, stdout: "" });
    expect(old.stderr).toMatch(
      /^The database is PostgreSQL \d+, but the pg_dump on the PATH is version 9\. Install .*\n$/,
    );
    expect(existsSync(join(bin, "backup"))).toBe(false);
  });
});
