import { describe, expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { TestedDatabase } from "../../../tests/support/databases.ts";
import { closeSegments, deleteFromLog } from "../../../tests/support/journal.ts";
import { journalEntry, requestLog } from "../../../tests/support/request-log.ts";
import { type DatabaseLocation, openJournal } from "../databases/open.ts";
import { everyRequest } from "../queries/requests/filter.ts";
import { searchRequests } from "../queries/requests/search.ts";
import { oldestOpenMs } from "../request-log/segment.ts";
import { dayOf } from "../request-log/tables.ts";
import { times } from "./calls.ts";
import { checkIndex } from "./check-index.ts";
import { storeFixture } from "./fixture.ts";

const midnightMs = Date.UTC(2030, 0, 2);
const [oldDay, newDay] = [dayOf(midnightMs) - 1, dayOf(midnightMs)];

/** A log from before keys were sorted by key. */
export interface EarlierLog {
  /** Makes a new database one of which this day has keys that are sorted by segment. */
  make(location: DatabaseLocation, day: number): Promise<void>;
  /** The columns by which the keys of a day are sorted. */
  order(location: DatabaseLocation, day: number): Promise<string[]>;
  /** Whether the next start changes the order of that day. */
  readonly isConverted: boolean;
}

export function keysBySegment(database: TestedDatabase, { make, order, isConverted }: EarlierLog) {
  describe(`keys by segment on ${database.kind}`, () => {
    const fixture = storeFixture(database);

    test("a log whose keys were sorted by segment is searched, added to, deleted from and shortened like any other", async () => {
      const { location } = fixture;
      await fixture.node({});
      await make(location, oldDay);
      const journal = await openJournal(location);
      const add = (atMs: number, count: number) => {
        const ids = (index: number) => ({ organization_id: `o${index % 2}`, license_id: `l${index % 10}` });
        const entry = (index: number) => ({ at: atMs + index, ...ids(index), ip: `192.0.2.${index % 10}` });
        return journal.append(times(count, (index) => journalEntry(entry(index))));
      };
      for (const hour of [1, 2, 3]) await add(midnightMs - hour * hourMs, 100);
      await closeSegments(journal, midnightMs);
      const store = await fixture.node({});
      await add(midnightMs, 100);
      await closeSegments(journal, midnightMs + 2 * oldestOpenMs);
      const found = async (filter: object) => {
        const search = { filter: { ...everyRequest("o0"), ...filter }, after: null, limit: 1_000 };
        const range = { fromMs: 0, untilMs: Number.MAX_SAFE_INTEGER };
        return (await searchRequests(store.listReads, { ...search, range })).rows.length;
      };
      const byKey = ["kind", "key", "from_at"];
      expect(await order(location, newDay)).toEqual(byKey);
      expect(await order(location, oldDay)).toEqual(isConverted ? byKey : ["from_at", "kind", "key"]);
      expect(await checkIndex(store)).toEqual([]);
      expect([await found({ licenseId: "l4" }), await found({ licenseId: "l5" })]).toEqual([40, 0]);
      expect(await found({ ips: ["192.0.2.2", "192.0.2.4"] })).toBe(80);
      expect(await found({})).toBe(200);

      await add(midnightMs - hourMs + 50, 20);
      expect(await checkIndex(store)).toEqual([]);
      expect(await found({ licenseId: "l4" })).toBe(42);
      await deleteFromLog(journal, "o0");
      expect(await checkIndex(store)).toEqual([]);
      expect(await found({})).toBe(0);
      expect(await requestLog(store)).toHaveLength(210);

      await journal.trim(1);
      const retention = await journal.retention({ days: 30, megabytes: null });
      while ((await journal.sweep(retention, midnightMs + dayMs)) > 0);
      expect(await checkIndex(store)).toEqual([]);
      expect(await requestLog(store)).toEqual([]);
      await journal.close();
    }, 60_000);
  });
}
