import { expect, test } from "bun:test";
import { sql } from "kysely";
import { databases } from "../../../tests/support/databases.ts";
import { openInWorker, openStore } from "../databases/open.ts";

/** A statement that lasts longer than a quarter of a second. */
const slow = {
  sqlite: sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${2_000_000})
    select count(*) from numbers`,
  postgres: sql`select pg_sleep(${0.3})`,
};

test.each(databases)(
  "a worker's slow statement is reported on $kind with its text and its duration, without values, and a quick one is not",
  async ({ kind, make }) => {
    const database = await make();
    const store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
    const reports: { text: string; ms: number }[] = [];
    const observer = (text: string, ms: number) => reports.push({ text, ms });
    const worker = await openInWorker(store.forWorker().opening, observer);
    try {
      await sql`select ${1} as quick`.execute(worker.reads);
      expect(reports).toEqual([]);
      await slow[kind].execute(worker.reads);
      await slow[kind].execute(worker.listReads);
      await worker.transaction((db) => slow[kind].execute(db));
      await slow[kind].execute(worker.direct);
      const [first] = reports;
      expect(reports.map(({ text }) => text)).toEqual(Array(4).fill(first?.text));
      expect(first?.text).toContain(kind === "sqlite" ? "n + 1 from numbers where n < ?" : "pg_sleep($1)");
      for (const { ms } of reports) expect(ms).toBeGreaterThanOrEqual(250);
    } finally {
      await worker.close();
      await store.close();
      database.remove();
    }
  },
  30_000,
);
