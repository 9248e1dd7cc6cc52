import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { dayMs } from "@countersign/domain/dates/lengths";
import { freshFolder, sqlite } from "../../../tests/support/databases.ts";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import { type DatabaseLocation, openJournal, openStore, type StoreOptions } from "../databases/open.ts";
import { StoreProblem } from "../errors/problem.ts";
import { setState } from "../queries/admin/platform-state.ts";
import { storeSuite } from "../store.suite.ts";
import { times, validate, validateAll } from "../suite/calls.ts";
import { openDatabase, sqliteFiles } from "./files.ts";
import { migrateSqlite } from "./migrate.ts";

storeSuite(sqlite, {
  apply: async (location, migrations) => withFile(location, (file) => migrateSqlite(file, migrations)),
  query: async (location, sql) => withFile(location, (file) => file.prepare(sql).all()),
});

describe("SQLite data folders", () => {
  let folder = "";
  beforeEach(() => {
    folder = freshFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const open = (options: Partial<StoreOptions> = {}) =>
    openStore({ kind: "sqlite", folder }, { encryptionKey: null, durability: "standard", ...options });

  test("a second server of a data folder is refused with the folder and what to do", async () => {
    const first = await open({ soleServer: true });
    const problem = await refused(open({ soleServer: true }));
    expect(problem).toBe(
      `The data folder ${folder} is in use by another Countersign server. Stop that one, or set COUNTERSIGN_DATA to another folder.`,
    );
    await first.close();
    await (await open({ soleServer: true })).close();
  });

  test("a validation that was answered 503 because another writer took too long is not counted", async () => {
    const org = await openTestOrganization({ kind: "sqlite", folder });
    const { key } = await org.license();
    const held = Promise.withResolvers<void>();
    const writer = org.store.transaction(() => held.promise);
    const refusal = await validateAll(org.store, [validate(org.apiKey, key)]).catch(String);
    expect(refusal).toContain("Another writer has held the database for too long.");
    held.resolve();
    await writer;
    // The next validation follows the late one, and is the first that is counted.
    await validateAll(org.store, [validate(org.apiKey, key)]);
    const counted = await org.store.reads.selectFrom("daily_usage").select("used").execute();
    expect(counted.map(({ used }) => Number(used))).toEqual([1]);
    await org.store.close();
  });

  test("dropping a day writes a fraction of what it deletes", async () => {
    const store = await open();
    const journal = await openJournal({ kind: "sqlite", folder });
    const atMs = Date.UTC(2030, 0, 2);
    for (let part = 0; part < 4; part++)
      await journal.append(times(5_000, (index) => journalEntry({ at: atMs + part * 5_000 + index })));
    while ((await journal.closeSegment(atMs + dayMs)) > 0);
    const path = sqliteFiles(folder).journal;
    const file = openDatabase(path);
    file.exec("pragma wal_checkpoint(truncate)");
    file.close();
    const before = statSync(path).size;
    const kept = { serverDays: 1, minDays: 1, maxDays: 1, maxBytes: 1e12 };
    expect(await journal.prune(kept, atMs + 3 * dayMs)).toBeGreaterThan(0);
    expect(statSync(`${path}-wal`).size).toBeLessThan(before / 10);
    await journal.close();
    await store.close();
  });

  test("a data folder admits commands while its server runs, and reports every write by either, and no other", async () => {
    const server = await open({ soleServer: true });
    const command = await open();
    let before = server.lastWrite;
    for (const [name, writer] of Object.entries({ server, command })) {
      await writer.transaction((db) => setState(db, name, ""));
      expect(server.lastWrite).not.toBe(before);
      before = server.lastWrite;
      expect(await storedRows(server.reads, "platform_state", { name })).toHaveLength(1);
      expect(server.lastWrite).toBe(before);
    }
    await command.close();
    await server.close();
  });

  test("a data folder cannot be written through the connection for reads", async () => {
    const store = await open();
    const writing = store.reads.insertInto("platform_state").values({ name: "a", value: "b" }).execute();
    expect(await writing.catch(String)).toContain("cannot be written");
    const attached = store.reads.deleteFrom("request_segments").execute();
    expect(await attached.catch(String)).toContain("cannot be written");
    await store.close();
  });

  test.each(["main", "journal"] as const)(
    "a command, which may run next to a server, refuses a data folder whose %s file is not a database",
    async (which) => {
      await (await open({ soleServer: false })).close();
      const path = sqliteFiles(folder)[which];
      writeFileSync(path, "this is longer than the header of a database, and it is none. ".repeat(9));
      expect(await refused(open({ soleServer: false }))).toContain(path);
    },
  );
});

async function refused(opening: Promise<unknown>): Promise<string> {
  const problem = await opening.catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(StoreProblem);
  return problem instanceof StoreProblem ? problem.message : "";
}

function withFile<T>(location: DatabaseLocation, work: (file: ReturnType<typeof openDatabase>) => T): T {
  const file = openDatabase(sqliteFiles(location.kind === "sqlite" ? location.folder : "").main);
  try {
    return work(file);
  } finally {
    file.close();
  }
}
