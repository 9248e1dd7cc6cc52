import { afterEach, describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dayMs } from "@countersign/domain/dates/lengths";
import { sql } from "kysely";
import { closeSegments, deleteFromLog } from "../../../tests/support/journal.ts";
import { journalEntry, requestLog } from "../../../tests/support/request-log.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { openJournal } from "../databases/open.ts";
import { oldestOpenMs, rowsPerSegment, settledAfterMs } from "../request-log/segment.ts";
import { dayOf, existingDays, keysTable } from "../request-log/tables.ts";
import { times } from "./calls.ts";
import { checkIndex } from "./check-index.ts";
import { type StoreFixture, separateLog } from "./fixture.ts";

const midnight = Date.UTC(2030, 0, 1);
const keptForADay = { serverDays: 1, minDays: 1, maxDays: 1, maxBytes: 1e12 };

export function requestLogSuite(fixture: StoreFixture) {
  describe("the request log", () => {
    const log = separateLog(fixture);
    afterEach(async () => {
      // Later tests use later times.
      await closeAll(midnight + 900 * dayMs);
      while ((await log.journal.prune(keptForADay, midnight + 900 * dayMs)) > 0);
    });

    let used = 0;
    /** A midnight that no earlier test has come near. */
    const nextMidnight = () => {
      used += 10;
      return midnight + used * dayMs;
    };
    const segments = async () => {
      const rows = await storedRows(log.store.reads, "request_segments", {});
      return rows.map(({ from_at, until_at, rows }) => [from_at, until_at, rows]);
    };
    const append = (...times: number[]) => log.journal.append(times.map((at) => journalEntry({ at })));
    const closeAll = (nowMs: number) => closeSegments(log.journal, nowMs);

    test("entries of two days in one batch are stored by day, and a segment ends with its day", async () => {
      const at = nextMidnight();
      await append(at - 1, at + 5, at - 3, at);
      expect(await existingDays(log.store.reads)).toEqual([dayOf(at), dayOf(at) - 1]);
      await closeAll(at + oldestOpenMs - 1);
      // The second one is not old enough yet.
      expect(await segments()).toEqual([[at - 3, at, 2]]);
      expect(await checkIndex(log.store)).toHaveLength(2);
      await closeAll(at + 5 + oldestOpenMs);
      expect((await segments()).flat()).toEqual([at - 3, at, 2, at, at + 6, 2]);
      expect(await checkIndex(log.store)).toEqual([]);
    });

    test("a large segment is closed at once, but nothing that is only seconds old", async () => {
      const at = nextMidnight();
      const nowMs = at + 10_000;
      // Four in every millisecond, so the limit is within one.
      for (let part = 0; part < 5; part++)
        await append(...times(5_000, (index) => at + 1 + ((part * 5_000 + index) >> 2)));
      expect(await log.journal.closeSegment(nowMs - settledAfterMs)).toBe(0);
      expect(await log.journal.closeSegment(nowMs)).toBe(0);
      await append(at);
      expect(await log.journal.closeSegment(nowMs + 10_000)).toBe(rowsPerSegment - 3);
      expect(await log.journal.closeSegment(nowMs + 10_000)).toBe(0);
      expect(await checkIndex(log.store)).toHaveLength(5_004);
    });

    test("rows of one millisecond stay together, however many they are", async () => {
      const at = nextMidnight();
      for (let part = 0; part < 5; part++) await append(...times(5_000, () => at));
      expect(await log.journal.closeSegment(at + 20_000)).toBe(25_000);
      expect(await checkIndex(log.store)).toEqual([]);
    });

    test("late rows are added to their segment, or get one, and are neither stored nor indexed twice", async () => {
      const at = nextMidnight();
      const rows = (...ats: number[]) =>
        ats.map((ms) => journalEntry({ at: at + ms, license_id: `l${ms % 2}`, ip: `192.0.2.${ms % 3}` }));
      await log.journal.append(rows(100, 150, 200));
      await closeAll(at + oldestOpenMs + 200);
      await log.journal.append(rows(1_000, 1_001));
      await closeAll(at + oldestOpenMs + 1_001);
      const late = rows(100, 150, 200, 201, 299, 500, 5, 1_000, 3_000, -7);
      await log.journal.append(late);
      await log.journal.append([...late, ...rows(600)]);
      expect(await segments()).toEqual([
        [at - 7, at - 6, 1],
        [at + 5, at + 6, 1],
        [at + 100, at + 201, 6],
        [at + 201, at + 501, 3],
        [at + 600, at + 601, 1],
        [at + 1_000, at + 1_002, 3],
      ]);
      expect(await checkIndex(log.store)).toHaveLength(1);
    });

    test("a day is deleted as a whole once all of it is too old, and its rows can come late again", async () => {
      const at = nextMidnight();
      await append(at - 1, at, at + 5);
      await closeAll(at + dayMs / 2);
      expect(await log.journal.prune(keptForADay, at + dayMs - 1)).toBe(0);
      expect(await log.journal.prune(keptForADay, at + dayMs)).toBe(1);
      expect(await log.journal.prune(keptForADay, at + dayMs)).toBe(0);
      expect(await requestLog(log.store)).toHaveLength(2);
      expect(await checkIndex(log.store)).toEqual([]);
      await append(at - 1);
      expect(await requestLog(log.store)).toHaveLength(3);
      expect(await checkIndex(log.store)).toEqual([]);
    });

    test("an organization that is deleted leaves neither rows nor keys, and others stay", async () => {
      const at = nextMidnight();
      const [gone, stays] = [newId(), newId()];
      const add = (ms: number, ...organizations: string[]) => {
        const entries = organizations.flatMap((organization_id) => {
          const ids = { organization_id, license_id: `${organization_id} l` };
          return times(3, (index) => journalEntry({ at: ms + index, ...ids }));
        });
        return log.journal.append(entries);
      };
      for (const [day, organizations] of [[gone, stays], [gone], [stays]].entries())
        await add(at + day * dayMs, ...organizations);
      await closeAll(at + 4 * dayMs);
      await add(at + 4 * dayMs, gone, stays);
      await deleteFromLog(log.journal, gone);
      const left = await requestLog(log.store);
      expect(new Set(left.map((row) => row.organization_id))).toEqual(new Set([stays]));
      expect(left).toHaveLength(9);
      expect(await checkIndex(log.store)).toHaveLength(3);
      expect(await segments()).toHaveLength(2);
    });

    // SQLite has one journal, and its readers hold no locks.
    if (fixture.kind === "postgres") {
      test("a day that is being read is deleted later", async () => {
        const at = nextMidnight();
        await append(at);
        await closeAll(at + dayMs);
        const prune = () => log.journal.prune(keptForADay, at + 3 * dayMs);
        await log.store.transaction(async (db) => {
          await db.selectFrom("request_log").select("id").execute();
          expect(await prune()).toBe(0);
          await append(at + 3 * dayMs);
        });
        expect(await prune()).toBe(1);
        expect(await requestLog(log.store)).toHaveLength(1);
      });

      test("a late row is stored although another node has dropped the tables of its day", async () => {
        const at = nextMidnight();
        await append(at);
        await closeAll(at + dayMs);
        const other = await openJournal(log.location);
        await other.append([journalEntry({ at: at + 3 * dayMs })]);
        expect(await other.prune(keptForADay, at + 3 * dayMs)).toBe(1);
        await other.close();
        await append(at + 1);
        expect(await requestLog(log.store)).toHaveLength(2);
      });

      test("the keys of a day are sorted once it has ended, unless they are being read", async () => {
        const at = nextMidnight();
        await append(at, at + dayMs);
        const sorted = async () => {
          const { rows } = await sql<{ name: string }>`select t.relname as name from pg_index i
            join pg_class t on t.oid = i.indrelid where i.indisclustered`.execute(log.store.reads);
          return rows.map(({ name }) => name);
        };
        const prune = () => log.journal.prune({ ...keptForADay, maxDays: 9 }, at + 2 * dayMs);
        await prune();
        expect(await sorted()).toEqual([]);
        await closeAll(at + 2 * dayMs);
        await log.store.transaction(async (db) => {
          await db.selectFrom("request_keys").select("key").execute();
          await prune();
        });
        expect(await sorted()).toEqual([]);
        await prune();
        expect(await sorted()).toEqual([keysTable(dayOf(at))]);
        // The next day has not ended, and this one gets late rows as before.
        await prune();
        await append(at + 1);
        expect(await sorted()).toEqual([keysTable(dayOf(at))]);
        expect(await checkIndex(log.store)).toEqual([]);
      });

      test("nodes that add entries, close segments and delete days together lose nothing", async () => {
        const at = nextMidnight();
        const nodes = await Promise.all(times(3, () => openJournal(log.location)));
        await Promise.all(
          nodes.map(async (node, number) => {
            for (let step = 0; step < 15; step++) {
              const ms = at + step * 1_000 - number * 300;
              await node.append(
                times(50, (index) => journalEntry({ at: ms + 7 * index, organization_id: "o" })),
              );
              await node.closeSegment(ms + oldestOpenMs);
            }
          }),
        );
        await Promise.all(nodes.map((node) => node.close()));
        await closeAll(at + dayMs);
        expect(await requestLog(log.store)).toHaveLength(3 * 15 * 50);
        expect(await checkIndex(log.store)).toEqual([]);
      });
    }

    test("the index matches the rows of the log whenever its process is killed", async () => {
      for (const steps of [2, 5, 9]) {
        const file = new URL("./write-until-killed.ts", import.meta.url).pathname;
        const child = spawn(process.execPath, [file, JSON.stringify(log.location), String(nextMidnight())]);
        let seen = 0;
        child.stdout.on("data", (text: Buffer) => {
          seen += text.toString().split("\n").length - 1;
          // In the middle of one of the next steps.
          if (seen >= steps) setTimeout(() => child.kill("SIGKILL"), 3 * steps);
        });
        await once(child, "exit");
        expect(seen).toBeGreaterThanOrEqual(steps);
        await checkIndex(log.store);
        await append(midnight + used * dayMs + 1);
        await checkIndex(log.store);
      }
    }, 30_000);
  });
}
