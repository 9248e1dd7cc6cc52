import { describe, expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { usageDays } from "@countersign/domain/quota/day";
import { defaultLogMegabytes } from "@countersign/domain/requests/log-days";
import { closeSegments, deleteFromLog } from "../../../tests/support/journal.ts";
import { journalEntry } from "../../../tests/support/request-log.ts";
import { checkRollUps } from "../../../tests/support/rollups.ts";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { uniqueHourDays } from "../rollups/retention.ts";
import { times } from "./calls.ts";
import { type StoreFixture, separateLog } from "./fixture.ts";

const startMs = Date.UTC(2030, 0, 1);
const tables = ["rollup_hours", "rollup_hour_uniques", "rollup_days", "license_days"] as const;

export function rollUps(fixture: StoreFixture) {
  describe("the roll-ups", () => {
    const log = separateLog(fixture);

    const entries = (count: number, fromMs: number, organization_id: string) =>
      times(count, (at) => {
        const product_id = `${organization_id} p${at % 3}`;
        const license_id = at % 7 === 0 ? null : `l${at % 61}`;
        const used = { ip: `192.0.2.${at % 50}`, version: `1.${at % 4}`, count: at % 11 === 0 ? 9 : 1 };
        const status = at % 5 === 0 ? "expired" : "active";
        const sandbox = at % 13 === 0 ? 1 : 0;
        const ids = { organization_id, product_id, license_id };
        return journalEntry({ at: fromMs + at * 500, ...ids, ...used, status, sandbox });
      });
    const rows = async (table: (typeof tables)[number], organization: string) =>
      (await storedRows(log.store.reads, table, { organization_id: organization })).length;

    test("roll-ups are what the closed part of the log adds up to, late requests included", async () => {
      await log.journal.append(entries(3_000, startMs, "o1"));
      expect(await checkRollUps(log.store)).toMatchObject({ closed: 0, open: 3_000 });
      await closeSegments(log.journal, startMs + hourMs);
      expect(await checkRollUps(log.store)).toMatchObject({ closed: 3_000, open: 0 });
      // Some before, some within and some after the closed part.
      await log.journal.append(entries(1_000, startMs - 100_000, "o2"));
      await log.journal.append(entries(500, startMs + 1_400_000, "o1"));
      const { closed, open } = await checkRollUps(log.store);
      expect(closed).toBeGreaterThan(4_000);
      expect(closed + open).toBe(4_500);
    });

    test("roll-ups of more products than are written at once are complete", async () => {
      const atMs = startMs + 2 * hourMs;
      const product = (at: number) => ({ at: atMs + at, organization_id: "many", product_id: `p${at}` });
      await log.journal.append(times(600, (at) => journalEntry(product(at))));
      await closeSegments(log.journal, startMs + 3 * hourMs);
      // Each product has a row, and one is of all products.
      for (const table of ["rollup_hours", "rollup_days"] as const)
        expect(await rows(table, "many")).toBe(601);
    });

    test("roll-ups are deleted with their organization, and those of others stay", async () => {
      const ids = { organization_id: "o2", product_id: "p", license_id: "l" };
      await log.journal.append(
        times(6, (at) => journalEntry({ at: startMs + at, ...ids, ip: `192.0.2.${at}` })),
      );
      for (const table of tables) expect(await rows(table, "o2")).toBeGreaterThan(0);
      const others = await rows("rollup_hours", "o1");
      await deleteFromLog(log.journal, "o2");
      for (const table of tables) expect(await rows(table, "o2")).toBe(0);
      expect(await rows("rollup_hours", "o1")).toBe(others);
    });

    test("counts are kept for 13 months, sketches of hours for 90 days, and IP addresses as long as the log", async () => {
      const nowMs = startMs + 1_000 * dayMs;
      const maxBytes = defaultLogMegabytes * 1024 * 1024;
      const retention = { serverDays: 30, minDays: 30, maxDays: 30, maxBytes };
      const ages = [0, 29, 31, uniqueHourDays, uniqueHourDays + 2, usageDays - 1, usageDays];
      const ids = { organization_id: "o3", product_id: "p", license_id: "l" };
      for (const days of ages)
        await log.journal.append(
          times(3, (at) => journalEntry({ at: nowMs - days * dayMs + at, ...ids, ip: `192.0.2.${at}` })),
        );
      await closeSegments(log.journal, nowMs + hourMs);
      while ((await log.journal.prune(retention, nowMs)) > 0);
      const counts = await Promise.all(tables.map((table) => rows(table, "o3")));
      // Each hour and day has a row of the product and one of all products.
      expect(counts).toEqual([2 * 6, 2 * 4, 2 * 6, 2]);
    });
  });
}
