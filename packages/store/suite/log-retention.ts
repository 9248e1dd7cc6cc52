import { afterEach, describe, expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { Plan } from "@countersign/domain/quota/limit";
import { defaultLogMegabytes } from "@countersign/domain/requests/log-days";
import { closeSegments } from "../../../tests/support/journal.ts";
import { withClient } from "../../../tests/support/postgres.ts";
import { journalEntry, requestLog } from "../../../tests/support/request-log.ts";
import { openTestOrganization } from "../../../tests/support/test-organization.ts";
import type { JournalEntry } from "../journal.ts";
import { sweepEveryMs, sweptAtOnce } from "../log-retention.ts";
import { removeState, setState } from "../queries/admin/platform-state.ts";
import { updatePlan } from "../queries/plans/plans.ts";
import { dayOf, keysTable } from "../request-log/tables.ts";
import { openDatabase, sqliteFiles } from "../sqlite/files.ts";
import { times } from "./calls.ts";
import { changeRow } from "./changes.ts";
import { checkIndex } from "./check-index.ts";
import { type StoreFixture, separateLog } from "./fixture.ts";

const nowMs = Date.UTC(2030, 0, 1);
const mebibyte = 1024 * 1024;
const maxBytes = defaultLogMegabytes * mebibyte;

export function logRetention(fixture: StoreFixture) {
  describe("the retention of the request log", () => {
    const log = separateLog(fixture);
    afterEach(async () => {
      await log.store.transaction(async (db) => {
        await db.updateTable("plans").set({ request_log_days: null }).execute();
        await db.updateTable("organizations").set({ request_log_days_override: null }).execute();
        await db.deleteFrom("platform_state").where("name", "=", "request_log_days").execute();
      });
      const none = { serverDays: 1, minDays: 1, maxDays: 1, maxBytes };
      while ((await log.journal.prune(none, nowMs + 400 * dayMs)) > 0);
    });

    const organization = async (plan: Plan, changes: object = {}) => {
      const { organizationId } = await openTestOrganization(null, { store: log.store, plan });
      await changeRow(log.store, "organizations", organizationId, { plan, ...changes });
      return organizationId;
    };
    const setPlan = (plan: Plan, days: number | null) =>
      log.store.transaction((db) => updatePlan(db, plan, { request_log_days: days }));
    const logged = async (organizationId: string, daysAgo: readonly number[]) => {
      await log.journal.append(daysAgo.map((days) => entryAt(organizationId, nowMs - days * dayMs)));
    };
    const kept = async (organizationId: string, atMs = nowMs) => {
      const rows = await requestLog(log.store, { organization_id: organizationId });
      return rows.map(({ at }) => Math.round((atMs - at) / dayMs));
    };
    /** Behind the back of the store. */
    const inJournal = async (statement: string) => {
      const { location } = log;
      if (location.kind === "postgres") await withClient(location.url, (client) => client.query(statement));
      else openDatabase(sqliteFiles(location.folder).journal).exec(statement);
    };
    /** Everything that the journal thread does. */
    const pruneAll = async (atMs: number, journals = [log.journal]) => {
      const retention = await log.journal.retention({ days: 30, megabytes: null });
      await closeSegments(log.journal, atMs);
      while ((await log.journal.prune(retention, atMs)) > 0);
      await Promise.all(
        journals.map(async (one) => {
          while ((await one.sweep(retention, atMs)) > 0);
        }),
      );
      return retention;
    };

    test("the days and the size of the log are the environment's, else the stored ones, else the default", async () => {
      const retention = (days: number | null, megabytes: number | null = null) =>
        log.journal.retention({ days, megabytes });
      const of = (days: number, megabytes = defaultLogMegabytes) => {
        return { serverDays: days, minDays: days, maxDays: days, maxBytes: megabytes * mebibyte };
      };
      const store = (name: string, value: string) => log.store.transaction((db) => setState(db, name, value));
      expect([await retention(12, 50), await retention(null)]).toEqual([of(12, 50), of(30)]);
      await store("request_log_days", "90");
      await store("request_log_mb", "70");
      expect([await retention(12, 50), await retention(null)]).toEqual([of(12, 50), of(90, 70)]);
      await store("request_log_days", "nonsense");
      await log.store.transaction((db) => removeState(db, "request_log_mb"));
      expect(await retention(null)).toEqual(of(30));
    });

    test("the retention is that of the organization, else of its plan, else the server's", async () => {
      await setPlan("free", 7);
      await setPlan("pro", 60);
      const ids = {
        free: await organization("free"),
        cancelled: await organization("pro", { billing_state: "cancelled" }),
        pro: await organization("pro"),
        enterprise: await organization("enterprise"),
        less: await organization("enterprise", { request_log_days_override: 2 }),
        more: await organization("free", { request_log_days_override: 80 }),
      };
      const ages = [85, 79, 61, 59, 31, 29, 8, 6, 3, 1];
      for (const id of Object.values(ids)) await logged(id, ages);
      expect(await pruneAll(nowMs)).toEqual({ serverDays: 30, minDays: 2, maxDays: 80, maxBytes });
      const found: Record<string, number[]> = {};
      for (const [name, id] of Object.entries(ids)) found[name] = await kept(id);
      expect(found).toEqual({
        free: [6, 3, 1],
        cancelled: [6, 3, 1],
        pro: [59, 31, 29, 8, 6, 3, 1],
        enterprise: [29, 8, 6, 3, 1],
        less: [1],
        more: [79, 61, 59, 31, 29, 8, 6, 3, 1],
      });
    });

    test("the log is checked once a day, in steps, also for organizations whose days have changed", async () => {
      await setPlan("free", 7);
      const [free, other] = [await organization("free"), await organization("pro")];
      const startMs = nowMs + 40 * dayMs;
      const at = (days: number) => startMs - days * dayMs;
      // Each is closed as a segment of its own.
      for (const day of [12, 11, 10]) {
        await log.journal.append(times(sweptAtOnce, (index) => entryAt(free, at(day) + index)));
        await log.journal.append([entryAt(other, at(day))]);
      }
      await log.journal.append([entryAt(free, at(6.5))]);
      await closeSegments(log.journal, startMs);
      const retention = await log.journal.retention({ days: 30, megabytes: null });
      const sweep = () => log.journal.sweep(retention, startMs);
      expect(await sweep()).toBe(1);
      expect(await kept(free, startMs)).toHaveLength(2 * sweptAtOnce + 1);
      expect([await sweep(), await sweep(), await sweep()]).toEqual([1, 1, 0]);
      expect(await kept(free, startMs)).toEqual([7]);
      expect(await kept(other, startMs)).toHaveLength(3);
      await checkIndex(log.store);
      // It is complete until the next day.
      expect(await log.journal.sweep(retention, startMs + sweepEveryMs - hourMs)).toBe(0);
      expect(await kept(free, startMs)).toHaveLength(1);
      await changeRow(log.store, "organizations", other, { plan: "free" });
      await pruneAll(startMs + sweepEveryMs);
      expect([...(await kept(free)), ...(await kept(other))]).toEqual([]);
      await checkIndex(log.store);
    });

    test("two nodes that check the log at the same time share the work and delete nothing else", async () => {
      await setPlan("free", 7);
      const [free, other] = [await organization("free"), await organization("pro")];
      const startMs = nowMs + 60 * dayMs;
      for (const days of [10, 11, 12])
        await log.journal.append(
          times(2_000, (index) => entryAt([free, other][index % 2] ?? "", startMs - days * dayMs)),
        );
      const { journal, second } = log;
      await pruneAll(startMs, fixture.kind === "sqlite" ? [journal] : [journal, second]);
      expect(await kept(free)).toHaveLength(0);
      expect(await kept(other)).toHaveLength(3_000);
      await checkIndex(log.store);
    });

    test("a day is not dropped because the keys that say whose requests it has are missing", async () => {
      const organizationId = await organization("pro");
      const startMs = nowMs + 80 * dayMs;
      await log.journal.append([entryAt(organizationId, startMs - 10 * dayMs)]);
      await closeSegments(log.journal, startMs);
      await inJournal(`delete from ${keysTable(dayOf(startMs - 10 * dayMs))}`);
      const retention = await log.journal.retention({ days: 30, megabytes: null });
      // Some days are kept for less time, so that the log is checked at all.
      while ((await log.journal.sweep({ ...retention, minDays: 7 }, startMs)) > 0);
      expect(await kept(organizationId)).toHaveLength(1);
    });

    test("a clock that was set back does not stop the checks of the log", async () => {
      await setPlan("free", 7);
      const free = await organization("free");
      const retention = await log.journal.retention({ days: 30, megabytes: null });
      while ((await log.journal.sweep(retention, nowMs + 300 * dayMs)) > 0);
      await logged(free, [10]);
      await closeSegments(log.journal, nowMs);
      while ((await log.journal.sweep(retention, nowMs)) > 0);
      expect(await kept(free)).toEqual([]);
    });
  });
}

function entryAt(organizationId: string, ms: number): JournalEntry {
  return journalEntry({ at: ms, organization_id: organizationId });
}
