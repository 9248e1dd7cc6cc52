import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmdirSync, rmSync } from "node:fs";
import type { JournalEntry } from "@countersign/store/journal";
import { newId } from "@countersign/store/new-id";
import { openStore } from "@countersign/store/open";
import { logTable } from "@countersign/store/request-log/tables";
import { openDatabase, sqliteFiles } from "@countersign/store/sqlite/files";
import { freshFolder } from "../../../../tests/support/databases.ts";
import { until } from "../../../../tests/support/until.ts";
import { Recorder } from "./recorder.ts";
import { Unwritten } from "./unwritten.ts";

function entry(): JournalEntry {
  const request = [Date.now(), newId(), "o", "p", null, "validate", "active", "192.0.2.1"] as const;
  return [...request, null, null, null, 900, 1, 0, null, false];
}

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
  recorder.record(entry());
  await until("the thread has failed", () => failures.length > 0 && dropped === 1);
  const hopeless = new Recorder(settings, observer);
  await hopeless.close();

  rmdirSync(journal);
  renameSync(`${journal}.away`, journal);
  const failuresBefore = failures.length;
  await until("something is written down", () => {
    recorder.record(entry());
    return writtenIn(folder) > 0;
  });
  await recorder.close();
  expect(failures.length - failuresBefore).toBeLessThanOrEqual(1);
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
  expect(unwritten.oldestMs).toBeNull();
  unwritten.add(3, 100);
  unwritten.add(2, 200);
  unwritten.written(2);
  expect([unwritten.count, unwritten.oldestMs]).toEqual([3, 100]);
  unwritten.written(2);
  expect([unwritten.count, unwritten.oldestMs]).toEqual([1, 200]);
  unwritten.written(1);
  expect([unwritten.count, unwritten.oldestMs]).toEqual([0, null]);
  unwritten.add(1, 300);
  unwritten.clear();
  expect([unwritten.count, unwritten.oldestMs]).toEqual([0, null]);
});
