import { afterEach, describe, expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { sql } from "kysely";
import { closeSegments } from "../../../tests/support/journal.ts";
import { journalEntry, requestLog } from "../../../tests/support/request-log.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import { logStart } from "../queries/requests/shown.ts";
import { dayOf, existingDays, logTable, startOfDay } from "../request-log/tables.ts";
import { times } from "./calls.ts";
import { checkIndex } from "./check-index.ts";
import { type StoreFixture, separateLog } from "./fixture.ts";

const nowMs = Date.UTC(2031, 5, 15, 12);
const today = dayOf(nowMs);

export function logCuts(fixture: StoreFixture) {
  describe("a request log that is too large", () => {
    const log = separateLog(fixture);
    const days = { serverDays: 30, minDays: 30, maxDays: 30, maxBytes: 0 };
    afterEach(async () => {
      const none = { serverDays: 1, minDays: 1, maxDays: 1, maxBytes: 0 };
      while ((await log.journal.prune(none, nowMs + 400 * dayMs)) > 0);
    });

    const organization = async () => (await openTestOrganization(null, { store: log.store })).organizationId;
    /** One segment of so many requests of each organization, so many days and hours ago. */
    const logged = async (daysAgo: number, counts: Readonly<Record<string, number>>, hour = 1) => {
      const at = startOfDay(today - daysAgo) + hour * hourMs;
      const entries = Object.entries(counts).flatMap(([organization_id, count]) =>
        times(count, (index) => journalEntry({ at: at + index, organization_id })),
      );
      await log.journal.append(entries);
      await closeSegments(log.journal, at + hourMs);
    };
    const bytes = async () => {
      const segments = await storedRows(log.store.reads, "request_segments", {});
      return segments.reduce((sum, segment) => sum + Number(segment.bytes), 0);
    };
    const cutTo = (most: number) => log.journal.trim(most / 0.95);
    const sweep = async (atMs = nowMs) => {
      while ((await log.journal.sweep(days, atMs)) > 0);
    };
    const countOf = async (organization_id: string) =>
      (await requestLog(log.store, { organization_id })).length;
    const startOf = (id: string) => logStart(log.store.reads, id);

    test("a busy organization loses its oldest requests, and the others keep theirs", async () => {
      const [busy, quiet] = [await organization(), await organization()];
      for (const daysAgo of [5, 4, 3]) await logged(daysAgo, { [busy]: 1_000, [quiet]: 10 });
      const all = await bytes();
      expect(await log.journal.trim(all)).toEqual([]);
      expect(await cutTo(all * 0.9)).toMatchObject([{ organizationId: busy }]);
      // Nothing more is decided until it is done.
      expect(await cutTo(all * 0.5)).toEqual([]);
      await sweep();
      expect([await countOf(busy), await countOf(quiet)]).toEqual([2_000, 30]);
      expect(await startOf(busy)).toBe(startOfDay(today - 5) + hourMs + 1_000);
      expect(await startOf(quiet)).toBe(startOfDay(today - 5));
      expect(await checkIndex(log.store)).toEqual([]);
      expect(await bytes()).toBeLessThan(all * 0.9);
      expect(await cutTo(all * 0.9)).toEqual([]);
      await sweep();
      await cutTo(all * 0.2);
      await sweep();
      expect([await countOf(busy), await countOf(quiet)]).toEqual([0, 30]);
      expect(await existingDays(log.store.reads)).toHaveLength(3);
    });

    test("days of which nobody keeps anything are dropped, and the day of now loses its oldest segments", async () => {
      const [one, other] = [await organization(), await organization()];
      await logged(3, { [one]: 500, [other]: 500 });
      await logged(2, { [one]: 500 });
      for (const hour of [1, 3, 5]) await logged(0, { [one]: 200, [other]: 200 }, hour);
      const all = await bytes();
      await cutTo(all * 0.6);
      await sweep();
      expect(await existingDays(log.store.reads)).toEqual([today]);
      expect([await countOf(one), await countOf(other)]).toEqual([600, 600]);
      expect(await startOf(one)).toBe(startOfDay(today));
      await cutTo(all * 0.3);
      await sweep();
      expect([await countOf(one), await countOf(other)]).toEqual([400, 400]);
      expect(await startOf(one)).toBe(startOfDay(today) + hourMs + 200);
      expect(await checkIndex(log.store)).toEqual([]);
    });

    test("requests that are not in a segment yet are never cut", async () => {
      const one = await organization();
      await logged(0, { [one]: 300 });
      await log.journal.append(
        times(5, (index) => journalEntry({ at: nowMs + index, organization_id: one })),
      );
      await log.journal.trim(0);
      await sweep();
      expect(await countOf(one)).toBe(5);
      await closeSegments(log.journal, nowMs + hourMs);
      expect(await countOf(one)).toBe(5);
      expect(await checkIndex(log.store)).toEqual([]);
    });

    test("a day whose last requests are not in a segment yet is not dropped", async () => {
      const one = await organization();
      // Later than what the other tests closed.
      await logged(-2, { [one]: 300 });
      await log.journal.append([journalEntry({ at: startOfDay(today + 3) - 1, organization_id: one })]);
      await log.journal.trim(0);
      await sweep(nowMs + 5 * dayMs);
      expect(await countOf(one)).toBe(1);
    });

    test("an organization that is deleted leaves no cut, and a cut is forgotten with its last day", async () => {
      const [gone, stays] = [await organization(), await organization()];
      await logged(4, { [gone]: 300, [stays]: 300 });
      await logged(3, { [gone]: 300, [stays]: 300 });
      await cutTo((await bytes()) * 0.5);
      await sweep();
      const cuts = async () =>
        (await storedRows(log.store.reads, "request_log_cuts", {})).map((row) => row.organization_id).sort();
      // Their oldest day was dropped, and with it what there was to remember.
      expect(await cuts()).toEqual([]);
      await logged(2, { [gone]: 300, [stays]: 300 });
      await logged(2, { [gone]: 300, [stays]: 300 }, 2);
      await cutTo((await bytes()) * 0.5);
      await sweep();
      expect(await cuts()).toEqual([gone, stays].sort());
      for (let step = { organizationId: gone, part: "requests" as const, after: "" }; ; ) {
        const next = await log.journal.deleteOrganization(step);
        if (next?.part !== "requests") break;
        step = { ...step, after: next.after };
      }
      expect(await cuts()).toEqual([stays]);
    });

    if (fixture.kind === "postgres") {
      test("the disk space of deleted requests is given back while others read and write", async () => {
        const [busy, quiet] = [await organization(), await organization()];
        for (const hour of [1, 2, 3]) await logged(2, { [busy]: 4_000, [quiet]: 20 }, hour);
        await logged(0, { [quiet]: 20 });
        const table = logTable(today - 2);
        const size = async () => {
          const result = await sql<{
            size: number;
          }>`select pg_total_relation_size(${table}::regclass)::bigint as size`.execute(log.store.reads);
          return Number(result.rows[0]?.size);
        };
        const before = await size();
        await cutTo((await bytes()) * 0.4);
        // While rows are being deleted, the day is not rewritten.
        expect(await log.journal.reclaim(nowMs)).toBe(0);
        await sweep();
        expect(await size()).toBeGreaterThan(before * 0.8);
        // Rows can still come late for an hour.
        expect(await log.journal.reclaim(startOfDay(today - 1) + hourMs - 1)).toBe(0);
        const rewritten = log.journal.reclaim(nowMs);
        await logged(0, { [quiet]: 20 }, 2);
        expect(await rewritten).toBe(1);
        expect(await size()).toBeLessThan(before * 0.5);
        expect(await log.journal.reclaim(nowMs)).toBe(0);
        expect([await countOf(busy), await countOf(quiet)]).toEqual([4_000, 100]);
        expect(await checkIndex(log.store)).toEqual([]);
        // It is a day like the others: rows come late, and it is dropped.
        await logged(2, { [quiet]: 5 }, 12);
        expect(await countOf(quiet)).toBe(105);
        expect(await checkIndex(log.store)).toEqual([]);
      });

      test("a day that is being read is rewritten later", async () => {
        const busy = await organization();
        for (const hour of [1, 2, 3]) await logged(2, { [busy]: 4_000 }, hour);
        await cutTo((await bytes()) * 0.4);
        await sweep();
        await log.store.transaction(async (db) => {
          await db.selectFrom("request_log").select("id").limit(1).execute();
          expect(await log.journal.reclaim(nowMs)).toBe(0);
        });
        expect(await log.journal.reclaim(nowMs)).toBe(1);
        expect(await countOf(busy)).toBe(4_000);
      });
    }
  });
}
