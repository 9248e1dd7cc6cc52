import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { dayMs } from "@countersign/domain/dates/lengths";
import { sqlite } from "../../../tests/support/databases.ts";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { type DatabaseLocation, openJournal, openStore } from "../databases/open.ts";
import { createDay, keysTable } from "../request-log/tables.ts";
import { times } from "../suite/calls.ts";
import { keysBySegment } from "../suite/keys-by-segment.ts";
import { openDatabase, sqliteFiles } from "./files.ts";

keysBySegment(sqlite, {
  isConverted: false,
  make: async (location, day) =>
    inJournal(location, (file) => {
      file.prepare("insert into request_days (day) values (?)").run(day);
      for (const statement of createDay("sqlite", day))
        file.exec(statement.replace("(kind, key, from_at)", "(from_at, kind, key)"));
    }),
  order: async (location, day) =>
    inJournal(location, (file) =>
      file
        .prepare("select name from pragma_table_info(?) where pk > 0 order by pk")
        .all(keysTable(day))
        .map((row) => String(row.name)),
    ),
});

test("dropping a day writes a fraction of what it deletes", async () => {
  const { location, remove } = await sqlite.makeEmpty();
  const store = await openStore(location, { encryptionKey: null, durability: "standard" });
  const journal = await openJournal(location);
  const atMs = Date.UTC(2030, 0, 2);
  for (let part = 0; part < 4; part++)
    await journal.append(times(5_000, (index) => journalEntry({ at: atMs + part * 5_000 + index })));
  while ((await journal.closeSegment(atMs + dayMs)) > 0);
  const { journal: path } = sqliteFiles(location.kind === "sqlite" ? location.folder : "");
  inJournal(location, (file) => file.exec("pragma wal_checkpoint(truncate)"));
  const before = statSync(path).size;
  const kept = { serverDays: 1, shortestDays: 1, longestDays: 1, mostBytes: 1e12 };
  expect(await journal.prune(kept, atMs + 3 * dayMs)).toBeGreaterThan(0);
  expect(statSync(`${path}-wal`).size).toBeLessThan(before / 10);
  await journal.close();
  await store.close();
  remove();
});

function inJournal<T>(location: DatabaseLocation, work: (file: ReturnType<typeof openDatabase>) => T): T {
  const file = openDatabase(sqliteFiles(location.kind === "sqlite" ? location.folder : "").journal);
  try {
    return work(file);
  } finally {
    file.close();
  }
}
