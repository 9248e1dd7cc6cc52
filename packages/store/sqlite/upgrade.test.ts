import { afterAll, beforeAll, describe, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { freshFolder } from "../../../tests/support/databases.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import { restoreBackup } from "../databases/backup.ts";
import { planMigrations } from "../databases/inspect.ts";
import { migrate, openStore } from "../databases/open.ts";
import { StoreProblem } from "../errors/problem.ts";
import { thisRelease } from "../migrations/migration.ts";
import { sqliteFiles } from "./files.ts";
import { planFolder, upgradeFolder } from "./upgrade.ts";

setDefaultTimeout(60_000);

let used = "";
beforeAll(async () => {
  used = freshFolder();
  const org = await openTestOrganization({ kind: "sqlite", folder: used });
  await org.license();
  await org.store.close();
});
const folders: string[] = [];
afterAll(() => {
  for (const folder of [used, ...folders]) fs.rmSync(folder, { recursive: true, force: true });
});

function change(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

/**
 * A used data folder that looks as if this release had added a table to each of these files: its tables are there but
 * for one, and the migration that creates all of them is not recorded. Applying it fails, because of the other tables.
 */
const unrecorded = "update schema_migrations set name = '0000-before'";

/** A used data folder in which a migration of the request log, or of both files, is pending and can be applied. */
function pendingFolder(part: "journal" | "nothing"): string {
  const folder = freshFolder();
  folders.push(folder);
  fs.cpSync(used, folder, { recursive: true });
  const { journal } = sqliteFiles(folder);
  if (part === "journal") {
    const database = new DatabaseSync(journal);
    const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
    for (const { name } of tables) if (name !== "schema_migrations") database.exec(`drop table ${name}`);
    database.exec(unrecorded);
    database.close();
  }
  return folder;
}

const backupsIn = (folder: string) =>
  fs.existsSync(join(folder, "backups")) ? fs.readdirSync(join(folder, "backups")).sort() : [];
const manifestOf = (folder: string, name: string) =>
  JSON.parse(fs.readFileSync(join(folder, "backups", name, "manifest.json"), "utf8"));
const namesIn = (path: string) => {
  const database = new DatabaseSync(path);
  const rows = database.prepare("select name from schema_migrations order by name").all();
  database.close();
  return rows.map(({ name }) => name);
};
const problemOf = async (work: Promise<unknown>) => {
  const problem = await work.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(StoreProblem);
  return String((problem as StoreProblem).message);
};

describe("a backup before migrations", () => {
  test("is not made without data, without a migration, or if it was not wanted", async () => {
    const empty = freshFolder();
    folders.push(empty);
    const done: string[] = [];
    const options = { backedUp: (folder: string) => void done.push(folder) };
    await upgradeFolder(empty, options);
    await upgradeFolder(empty, options);
    await upgradeFolder(pendingFolder("nothing"), options);
    await upgradeFolder(pendingFolder("journal"), { ...options, withoutBackup: true });
    expect([done, backupsIn(empty)]).toEqual([[], []]);
  });

  test("is verified, private, and can be restored; the migration follows", async () => {
    const folder = pendingFolder("journal");
    const done: string[] = [];
    const location = { kind: "sqlite", folder } as const;
    const store = await openStore(location, {
      encryptionKey: null,
      durability: "standard",
      soleServer: true,
      backedUp: (path) => done.push(path),
    });
    await store.close();
    const [name = ""] = backupsIn(folder);
    expect(name).toMatch(new RegExp(`^before-${thisRelease.replaceAll(".", "\\.")}-\\d{8}t\\d{9}$`));
    expect(done).toEqual([join(folder, "backups", name)]);
    expect(manifestOf(folder, name)).toMatchObject({
      release: thisRelease,
      migrations: ["0001-core", "0000-before"],
      rows: { organizations: 1, products: 1, licenses: 1 },
    });
    for (const file of fs.readdirSync(join(folder, "backups", name)))
      if (process.platform !== "win32")
        expect(fs.statSync(join(folder, "backups", name, file)).mode & 0o077).toBe(0);
    expect(namesIn(sqliteFiles(folder).journal)).toContain("0001-journal");
    expect(planFolder(folder).backup).toBeNull();
  });

  test("that lacks the request log, which was not migrated, leaves that as it is when it is restored", async () => {
    const folder = pendingFolder("nothing");
    const { main } = sqliteFiles(folder);
    change(main, unrecorded);
    // The tables exist, so the migration fails: the release is broken, and the backup is needed.
    expect(await problemOf(upgradeFolder(folder))).toContain(
      "Migration 0001-core failed and was rolled back",
    );
    const [name = ""] = backupsIn(folder);
    const backup = join(folder, "backups", name);
    expect(fs.readdirSync(backup).sort()).toEqual(["countersign.db", "manifest.json"]);
    const path = join(backup, "manifest.json");
    // As the release before would see it.
    change(join(backup, "countersign.db"), "update schema_migrations set name = '0001-core'");
    const { createHash } = await import("node:crypto");
    const sha256 = createHash("sha256")
      .update(fs.readFileSync(join(backup, "countersign.db")))
      .digest("hex");
    const manifest = JSON.parse(fs.readFileSync(path, "utf8"));
    fs.writeFileSync(
      path,
      JSON.stringify({ ...manifest, migrations: ["0001-core"], files: [{ ...manifest.files[0], sha256 }] }),
    );
    const journalBefore = fs.statSync(sqliteFiles(folder).journal).ino;
    const restored = await restoreBackup({ kind: "sqlite", folder }, backup, {
      force: true,
      nowMs: Date.now(),
      environment: {},
    });
    expect(restored.keptAside).toHaveLength(1);
    expect(fs.statSync(sqliteFiles(folder).journal).ino).toBe(journalBefore);
    expect(await planMigrations({ kind: "sqlite", folder })).toMatchObject({ state: "up_to_date" });
  });

  test("of a start that failed is replaced by that of the next, and the last three of other schemas are kept", async () => {
    const folder = pendingFolder("nothing");
    const { main } = sqliteFiles(folder);
    change(main, unrecorded);
    await problemOf(upgradeFolder(folder));
    const [first] = backupsIn(folder);
    await problemOf(upgradeFolder(folder));
    const [second, ...none] = backupsIn(folder);
    expect([first === second, none]).toEqual([false, []]);
    for (const round of ["a", "b", "c"]) {
      change(main, `update schema_migrations set name = '0000-${round}'`);
      await problemOf(upgradeFolder(folder));
    }
    const migrations = backupsIn(folder).map((name) => manifestOf(folder, name).migrations);
    expect(migrations).toEqual([["0000-a"], ["0000-b"], ["0000-c"]]);
  });

  test("that was interrupted is removed, and what is no such backup stays", async () => {
    const folder = pendingFolder("journal");
    fs.mkdirSync(join(folder, "backups/unfinished"), { recursive: true });
    fs.writeFileSync(join(folder, "backups/unfinished/countersign.db"), "half");
    fs.mkdirSync(join(folder, "backups/monday"));
    await upgradeFolder(folder);
    expect(backupsIn(folder)).toEqual([expect.stringMatching(/^before-/), "monday"]);
  });

  test("that cannot be written refuses the migration, changes nothing, and says how to go on", async () => {
    const folder = pendingFolder("journal");
    fs.writeFileSync(join(folder, "backups"), "a file");
    const message = await problemOf(migrate({ kind: "sqlite", folder }));
    expect(message).toStartWith(
      "The database has to be migrated, and could not be backed up first, so nothing was changed.",
    );
    expect(message).toEndWith("run countersign migrate --without-backup.");
    expect(namesIn(sqliteFiles(folder).journal)).toEqual(["0000-before"]);
    await migrate({ kind: "sqlite", folder }, { withoutBackup: true });
    expect(namesIn(sqliteFiles(folder).journal)).toContain("0001-journal");
  });

  test("that finds too little space refuses the migration, and says how much it needs", async () => {
    const folder = pendingFolder("journal");
    const { bavail: _, ...disk } = fs.statfsSync(folder);
    const full = spyOn(fs, "statfsSync").mockReturnValue({ ...disk, bavail: 1, bsize: 4096 } as never);
    const message = await problemOf(migrate({ kind: "sqlite", folder })).finally(() => full.mockRestore());
    expect(message).toContain(`It needs 69 MB in ${join(folder, "backups")}, where 1 MB are free.`);
    expect(backupsIn(folder)).toEqual([]);
    expect(namesIn(sqliteFiles(folder).journal)).toEqual(["0000-before"]);
  });

  test("is made once by processes that start together", async () => {
    const folder = pendingFolder("journal");
    const location = { kind: "sqlite", folder } as const;
    const done: string[] = [];
    const run = () => migrate(location, { backedUp: (path) => void done.push(path) });
    const results = await Promise.allSettled([run(), run(), run()]);
    expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
    expect(done).toHaveLength(1);
  });
});

test("a plan names what is pending and what it costs, and changes nothing", async () => {
  const folder = pendingFolder("journal");
  const state = () =>
    fs.readdirSync(folder).map((name) => [name, fs.readFileSync(join(folder, name)).toString("base64")]);
  const before = state();
  const plan = await planMigrations({ kind: "sqlite", folder });
  expect(plan).toEqual({
    state: "pending",
    pending: [{ name: "0001-journal", phase: "expand", postponed: null }],
    unknown: ["0000-before"],
    oldestRelease: "0.1.0",
    backup: { folder: join(folder, "backups"), bytes: expect.any(Number) },
  });
  expect(state()).toEqual(before);
  expect(await planMigrations({ kind: "sqlite", folder: join(folder, "none") })).toMatchObject({
    state: "new",
    backup: null,
  });
});
