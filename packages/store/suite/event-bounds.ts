import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import type { TestOrganization } from "../../../tests/support/test-organization.ts";
import { takeSummaries } from "../queries/events/summaries.ts";
import { askFrom, race, times, validate } from "./calls.ts";
import { changeLicense } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

const noonMs = Date.UTC(2030, 6, 15, 12);

/** How much one license key and many IP addresses can make the database store. */
export function eventBounds(fixture: StoreFixture) {
  describe("events that callers can cause without limit", () => {
    /** A license whose only slot is taken. */
    const full = async (now = () => noonMs) => {
      const org = await fixture.org({ now });
      const { id, key } = await org.license({ maxIps: 1 });
      await askFrom(org, key, ["198.51.100.1"]);
      return { org, id, key, refuse: (ips: readonly string[]) => askFrom(org, key, ips) };
    };

    test("rejections beyond ten IP addresses in an hour are counted without their own events", async () => {
      const { org, id, refuse } = await full();
      await refuse(addresses(0, 4));
      await refuse(addresses(4, 30));
      await refuse(addresses(0, 40));
      await refuse(addresses(0, 40));
      expect(await refusalsOf(org, id)).toHaveLength(10);
      // 30 IP addresses without an event: 24 in the second batch, 30 in each of the others.
      expect(await summariesOf(org, id)).toEqual([{ count: 84, ipCount: 30, isExact: true }]);
    });

    test("repeated rejections of one IP address in a batch are all counted", async () => {
      const { org, id, refuse } = await full();
      // Ten IP addresses get their own events. The next one is only counted.
      for (const ips of [addresses(0, 10), times(3, () => address(10))]) await refuse(ips);
      expect(await refusalsOf(org, id)).toHaveLength(10);
      expect(await summariesOf(org, id)).toEqual([{ count: 3, ipCount: 1, isExact: true }]);
    });

    test("more than a hundred IP addresses are not told apart", async () => {
      const { org, id, refuse } = await full();
      for (let start = 0; start < 400; start += 80) await refuse(addresses(start, 80));
      const rows = await storedRows(org.store.reads, "recorded_refusals", { license_id: id });
      expect([rows.length, (await refusalsOf(org, id)).length]).toEqual([100, 10]);
      expect(await summariesOf(org, id)).toEqual([{ count: 390, ipCount: 90, isExact: false }]);
    });

    test("each license, kind and hour has its own ten", async () => {
      let nowMs = noonMs;
      const licenses = [await full(() => nowMs), await full(() => nowMs)];
      for (const laterMs of [0, hourMs]) {
        nowMs += laterMs;
        for (const { refuse } of licenses) await refuse(addresses(0, 15));
      }
      for (const { org, id } of licenses) expect(await refusalsOf(org, id)).toHaveLength(20);
    });

    test("three nodes count no rejection twice, and individual events stay few", async () => {
      const { org, id, key } = await full();
      const calls = times(600, (at) => validate(org.apiKey, key, { ip: address(at) }));
      await race(await fixture.nodes(3), calls, 10);
      const singly = (await refusalsOf(org, id)).length;
      // Concurrent batches on different nodes do not see each other.
      expect(singly).toBeWithin(10, 101);
      const [summary] = await summariesOf(org, id);
      // A batch that finds the summary's row locked for too long is not counted there: no response waits for a count.
      expect((summary?.count ?? 0) + singly).toBeWithin(500, 601);
    });

    test("further IP addresses of a license with a thousand are only counted", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { id, key } = await org.license({ maxIps: 100_000 });
      await changeLicense(org.store, id, { ip_count: 995 });
      await askFrom(org, key, addresses(0, 12));
      expect(await eventsOf(org, id, "license.ip_registered")).toHaveLength(5);
      expect(await summariesOf(org, id)).toEqual([{ count: 7, ipCount: 7, isExact: true }]);
    });
  });
}

function address(at: number): string {
  return `203.0.${113 + (at >> 8)}.${at & 255}`;
}

function addresses(from: number, count: number): string[] {
  return times(count, (at) => address(from + at));
}

function refusalsOf(org: TestOrganization, licenseId: string) {
  return eventsOf(org, licenseId, "license.ip_limit_reached");
}

type Recorded = "license.ip_limit_reached" | "license.ip_registered";

async function eventsOf({ store }: TestOrganization, licenseId: string, type: Recorded) {
  return storedRows(store.reads, "events", { license_id: licenseId, type });
}

async function summariesOf({ store }: TestOrganization, licenseId: string) {
  const { taken } = await store.transaction((db) => takeSummaries(db, noonMs / hourMs + 1, 1_000));
  return taken
    .filter((summary) => summary.license_id === licenseId)
    .map(({ count, ipCount, isExact }) => ({ count: Number(count), ipCount, isExact }));
}
