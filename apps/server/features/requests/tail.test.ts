import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { openJournal, openStore } from "@countersign/store/open";
import type { Journal, Store } from "@countersign/store/store";
import { freshFolder } from "../../../../tests/support/databases.ts";
import { journalEntry } from "../../../../tests/support/request-log.ts";
import { RequestTail } from "./tail.ts";

const folder = freshFolder();
const location = { kind: "sqlite", folder } as const;
let store: Store;
let journal: Journal;
beforeAll(async () => {
  store = await openStore(location, { encryptionKey: null, durability: "standard" });
  journal = await openJournal(location);
});
afterAll(async () => {
  await journal.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const minute = 60_000;
/** A second before midnight. */
const startMs = 20_000 * 86_400_000 - 1_000;
const write = (organization: string, ...times: number[]) =>
  journal.append(times.map((at) => journalEntry({ at: startMs + at, organization_id: organization })));
const timesOf = async (tail: RequestTail, now: number) => {
  const { rows, skipped } = await tail.read(startMs + now);
  return [rows.map(({ at }) => at - startMs), skipped];
};

test("what is added is read once, in order, across midnight, however late it is written", async () => {
  const tail = new RequestTail(store.listReads, "o1");
  await write("o1", 0);
  expect(await timesOf(tail, 100)).toEqual([[], 0]);
  await write("o1", 700, 300);
  await write("o2", 500);
  expect(await timesOf(tail, 1_100)).toEqual([[300, 700], 0]);
  // Another node is slower, and its clock is ahead.
  await write("o1", 2_900);
  expect(await timesOf(tail, 2_100)).toEqual([[2_900], 0]);
  await write("o1", -900, 900, 2_000);
  expect(await timesOf(tail, 3_100)).toEqual([[-900, 900, 2_000], 0]);
  expect(await timesOf(tail, 4_100)).toEqual([[], 0]);
});

test("nothing is missed while the log cannot be read", async () => {
  const tail = new RequestTail(store.listReads, "o3");
  await timesOf(tail, 0);
  await write("o3", 100, minute);
  expect(await timesOf(tail, 2 * minute)).toEqual([[100, minute], 0]);
});

test("of too many requests, the newest are read and the others are counted", async () => {
  const tail = new RequestTail(store.listReads, "o4", 3);
  await write("o4", 0);
  await timesOf(tail, 10);
  await write("o4", 100, 200, 300, 400, 500, 600, 700);
  expect(await timesOf(tail, 1_010)).toEqual([[500, 600, 700], 4]);
  await write("o4", 800);
  expect(await timesOf(tail, 2_010)).toEqual([[800], 0]);
});
