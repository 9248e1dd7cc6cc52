import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import { takeSummaries } from "../queries/events/summaries.ts";
import { race, times, validate } from "./calls.ts";
import type { StoreFixture } from "./fixture.ts";

const noonMs = Date.UTC(2030, 6, 15, 12);

/** How much one license key and many IP addresses can make the database store. */
export function eventBounds(fixture: StoreFixture) {
  describe("events that callers can cause without limit", () => {
    test("rejections beyond ten IP addresses in an hour are counted without their own events", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { id, key } = await org.license({ maxIps: 1 });
      await org.store.validateBatch([validate(org.apiKey, key, { ip: "198.51.100.1" })]);
      const refuse = (from: number, count: number) =>
        org.store.validateBatch(times(count, (at) => validate(org.apiKey, key, { ip: address(from + at) })));
      await refuse(0, 4);
      await refuse(4, 30);
      await refuse(0, 40);
      await refuse(0, 40);
      expect(await refusalsOf(org, id)).toHaveLength(10);
      // 30 IP addresses without an event: 24 in the second batch, 30 in each of the others.
      expect(await summariesOf(org, id)).toEqual([{ count: 84, ipCount: 30, isExact: true }]);
    });

    test("repeated rejections of one IP address in a batch are all counted", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { id, key } = await org.license({ maxIps: 1 });
      await org.store.validateBatch([validate(org.apiKey, key, { ip: "198.51.100.1" })]);
      // Ten IP addresses get their own events. The next one is only counted.
      for (const ips of [times(10, address), times(3, () => address(10))])
        await org.store.validateBatch(ips.map((ip) => validate(org.apiKey, key, { ip })));
      expect(await refusalsOf(org, id)).toHaveLength(10);
      expect(await summariesOf(org, id)).toEqual([{ count: 3, ipCount: 1, isExact: true }]);
    });

    test("more than a hundred IP addresses are not told apart", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { id, key } = await org.license({ maxIps: 1 });
      await org.store.validateBatch([validate(org.apiKey, key, { ip: "198.51.100.1" })]);
      for (let start = 0; start < 400; start += 80)
        await org.store.validateBatch(
          times(80, (at) => validate(org.apiKey, key, { ip: address(start + at) })),
        );
      const rows = await storedRows(org.store.reads, "recorded_refusals", { license_id: id });
      expect(rows).toHaveLength(100);
      expect(await refusalsOf(org, id)).toHaveLength(10);
      expect(await summariesOf(org, id)).toEqual([{ count: 390, ipCount: 90, isExact: false }]);
    });

    test("each license, kind and hour has its own ten", async () => {
      let nowMs = noonMs;
      const org = await fixture.org({ now: () => nowMs });
      const [one, two] = [await org.license({ maxIps: 1 }), await org.license({ maxIps: 1 })];
      const refuse = async () => {
        for (const { key } of [one, two])
          await org.store.validateBatch(times(15, (at) => validate(org.apiKey, key, { ip: address(at) })));
      };
      await refuse();
      nowMs += hourMs;
      await refuse();
      expect(await refusalsOf(org, one.id)).toHaveLength(20);
      expect(await refusalsOf(org, two.id)).toHaveLength(20);
    });

    test("three nodes count no rejection twice, and individual events stay few", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { id, key } = await org.license({ maxIps: 1 });
      await org.store.validateBatch([validate(org.apiKey, key, { ip: "198.51.100.1" })]);
      const nodes = await fixture.nodes(3);
      await race(
        nodes,
        times(600, (at) => validate(org.apiKey, key, { ip: address(at) })),
        10,
      );
      const singly = (await refusalsOf(org, id)).length;
      expect(singly).toBeGreaterThanOrEqual(10);
      // Concurrent batches on different nodes do not see each other.
      expect(singly).toBeLessThanOrEqual(100);
      const [summary] = await summariesOf(org, id);
      // A batch that finds the summary's row locked for too long is not counted there: no response waits for a count.
      const counted = (summary?.count ?? 0) + singly;
      expect(counted).toBeLessThanOrEqual(600);
      expect(counted).toBeGreaterThanOrEqual(500);
    });

    test("further IP addresses of a license with a thousand are only counted", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { id, key } = await org.license({ maxIps: 100_000 });
      const update = org.store.transaction((db) =>
        db.updateTable("licenses").set({ ip_count: 995 }).where("id", "=", id).execute(),
      );
      await update;
      await org.store.validateBatch(times(12, (at) => validate(org.apiKey, key, { ip: address(at) })));
      expect(await eventsOf(org, id, "license.ip_registered")).toHaveLength(5);
      expect(await summariesOf(org, id)).toEqual([{ count: 7, ipCount: 7, isExact: true }]);
    });
  });
}

function address(at: number): string {
  return `203.0.${113 + (at >> 8)}.${at & 255}`;
}

function refusalsOf(org: TestOrganization, licenseId: string) {
  return eventsOf(org, licenseId, "license.ip_limit_reached");
}

async function eventsOf(
  { store }: TestOrganization,
  licenseId: string,
  type: "license.ip_limit_reached" | "license.ip_registered",
) {
  return storedRows(store.reads, "events", { license_id: licenseId, type });
}

async function summariesOf({ store }: TestOrganization, licenseId: string) {
  const { taken } = await store.transaction((db) => takeSummaries(db, noonMs / hourMs + 1, 1_000));
  return taken
    .filter((summary) => summary.license_id === licenseId)
    .map(({ count, ipCount, isExact }) => ({ count: Number(count), ipCount, isExact }));
}
