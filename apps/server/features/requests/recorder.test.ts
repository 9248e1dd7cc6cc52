import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import { hourMs } from "@countersign/domain/dates/lengths";
import { openStore } from "@countersign/store/databases/open";
import { logTable } from "@countersign/store/request-log/tables";
import { openDatabase, sqliteFiles } from "@countersign/store/sqlite/files";
import { times } from "@countersign/store/suite/calls";
import { freshFolder } from "../../../../tests/support/databases.ts";
import { closeSegments, openTestJournal } from "../../../../tests/support/journal.ts";
import { journalEntry, requestLog } from "../../../../tests/support/request-log.ts";
import { until } from "../../../../tests/support/until.ts";
import { Recorder, Unwritten } from "./recorder.ts";

test("a thread that exits is restarted, its entries count as dropped, and closing does not wait for it", async () => {
  const folder = freshFolder();
  const failures: string[] = [];
  let dropped = 0;
  const observer = {
    journalFailed: (reason: string) => failures.push(reason),
    logCut: () => {},
    geoipFailed: () => {},
    entriesDropped: (count: number) => {
      dropped += count;
    },
  };
  const keeping = { requestLogDays: 30, requestLogMegabytes: null, geoipFile: null };
  const settings = { database: { kind: "sqlite", folder }, ...keeping } as const;
  const store = await openStore(settings.database, { encryptionKey: null, durability: "standard" });
  await store.close();
  // Without its file, the thread cannot start.
  const { journal } = sqliteFiles(folder);
  renameSync(journal, `${journal}.away`);
  mkdirSync(journal);
  const recorder = new Recorder(settings, observer);
  recorder.record(journalEntry());
  await until("the thread has failed", () => failures.length > 0 && dropped === 1);
  const hopeless = new Recorder(settings, observer);
  await hopeless.close();

  rmdirSync(journal);
  renameSync(`${journal}.away`, journal);
  const failuresBefore = failures.length;
  await until("something is written down", () => {
    recorder.record(journalEntry());
    return writtenIn(folder) > 0;
  });
  await recorder.close();
  expect(failures.length - failuresBefore).toBeLessThanOrEqual(1);
  rmSync(folder, { recursive: true, force: true });
});

test("a log that is too large is cut by its thread, which names the organizations that lose requests", async () => {
  const folder = freshFolder();
  const database = { kind: "sqlite", folder } as const;
  const store = await openStore(database, { encryptionKey: null, durability: "standard" });
  const { journal, close } = await openTestJournal(database);
  const entry = (organization_id: string, index: number) =>
    journalEntry({ at: Date.now() - hourMs + index, organization_id });
  for (const part of [0, 1, 2]) {
    await journal.append(times(3_000, (index) => entry("busy", part * 10_000 + index)));
    await journal.append(times(10, (index) => entry("quiet", part * 10_000 + index)));
    await closeSegments(journal, Date.now());
  }
  await close();
  const cut: string[] = [];
  const recorder = new Recorder(
    { database, requestLogDays: 30, requestLogMegabytes: 1, geoipFile: null },
    {
      journalFailed: () => {},
      logCut: (organizationIds) => cut.push(...organizationIds),
      geoipFailed: () => {},
      entriesDropped: () => {},
    },
  );
  const rows = async (organization_id: string) => (await requestLog(store, { organization_id })).length;
  await until("the oldest part of the busy one is deleted", async () => (await rows("busy")) <= 6_000);
  expect([cut, await rows("busy"), await rows("quiet")]).toEqual([["busy"], 6_000, 30]);
  await recorder.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function writtenIn(folder: string): number {
  const journal = openDatabase(sqliteFiles(folder).journal);
  const { day } = journal.prepare("select max(day) as day from request_days").get() ?? {};
  if (typeof day !== "number") return 0;
  const row = journal.prepare(`select count(*) as rows from ${logTable(day)}`).get();
  journal.close();
  return Number(row?.rows);
}

test("the oldest entry is that of the first list that is not written completely", () => {
  const unwritten = new Unwritten();
  const expectLeft = (count: number, oldestMs: number | null) =>
    expect([unwritten.count, unwritten.oldestMs]).toEqual([count, oldestMs]);
  expectLeft(0, null);
  unwritten.add(3, 100);
  unwritten.add(2, 200);
  unwritten.written(2);
  expectLeft(3, 100);
  unwritten.written(2);
  expectLeft(1, 200);
  unwritten.written(1);
  expectLeft(0, null);
  unwritten.add(1, 300);
  unwritten.clear();
  expectLeft(0, null);
});
