import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import type { Seller } from "../../../tests/support/seller.ts";
import { takeSummaries } from "../queries/event-summaries.ts";
import { race, times, validate } from "./calls.ts";
import type { Stage } from "./stage.ts";

const noonMs = Date.UTC(2030, 6, 15, 12);

/** What one license key and many addresses can make the database hold. */
export function eventBounds(stage: Stage) {
  describe("events that callers cause without end", () => {
    test("after ten addresses in an hour, refusals are counted and not told one by one", async () => {
      const seller = await stage.seller({ now: () => noonMs });
      const { id, key } = await seller.license({ maxIps: 1 });
      await seller.store.judge([validate(seller.apiKey, key, { ip: "198.51.100.1" })]);
      const refuse = (from: number, count: number) =>
        seller.store.judge(times(count, (at) => validate(seller.apiKey, key, { ip: address(from + at) })));
      await refuse(0, 4);
      await refuse(4, 30);
      await refuse(0, 40);
      await refuse(0, 40);
      expect(await refusalsOf(seller, id)).toHaveLength(10);
      // 30 addresses without an event: 24 in the second batch, 30 in each of the others.
      expect(await summariesOf(seller, id)).toEqual([{ count: 84, ipCount: 30, isExact: true }]);
    });

    test("addresses beyond a hundred are not even told apart", async () => {
      const seller = await stage.seller({ now: () => noonMs });
      const { id, key } = await seller.license({ maxIps: 1 });
      await seller.store.judge([validate(seller.apiKey, key, { ip: "198.51.100.1" })]);
      for (let start = 0; start < 400; start += 80)
        await seller.store.judge(
          times(80, (at) => validate(seller.apiKey, key, { ip: address(start + at) })),
        );
      const rows = await seller.store.reads
        .selectFrom("refusals_told")
        .select("ip")
        .where("license_id", "=", id)
        .execute();
      expect(rows).toHaveLength(100);
      expect(await refusalsOf(seller, id)).toHaveLength(10);
      expect(await summariesOf(seller, id)).toEqual([{ count: 390, ipCount: 90, isExact: false }]);
    });

    test("another license, another kind and another hour have their own ten", async () => {
      let nowMs = noonMs;
      const seller = await stage.seller({ now: () => nowMs });
      const [one, two] = [await seller.license({ maxIps: 1 }), await seller.license({ maxIps: 1 })];
      const refuse = async () => {
        for (const { key } of [one, two])
          await seller.store.judge(times(15, (at) => validate(seller.apiKey, key, { ip: address(at) })));
      };
      await refuse();
      nowMs += hourMs;
      await refuse();
      expect(await refusalsOf(seller, one.id)).toHaveLength(20);
      expect(await refusalsOf(seller, two.id)).toHaveLength(20);
    });

    test("on three nodes nothing is lost, and what is told one by one stays few", async () => {
      const seller = await stage.seller({ now: () => noonMs });
      const { id, key } = await seller.license({ maxIps: 1 });
      await seller.store.judge([validate(seller.apiKey, key, { ip: "198.51.100.1" })]);
      const nodes = [
        seller.store,
        await stage.node({ now: () => noonMs }),
        await stage.node({ now: () => noonMs }),
      ];
      await race(
        nodes,
        times(600, (at) => validate(seller.apiKey, key, { ip: address(at) })),
        10,
      );
      const singly = (await refusalsOf(seller, id)).length;
      expect(singly).toBeGreaterThanOrEqual(10);
      // Batches that are decided at the same moment on different nodes do not know of each other.
      expect(singly).toBeLessThanOrEqual(100);
      const [summary] = await summariesOf(seller, id);
      expect((summary?.count ?? 0) + singly).toBe(600);
    });

    test("a license with a thousand addresses has further ones counted", async () => {
      const seller = await stage.seller({ now: () => noonMs });
      const { id, key } = await seller.license({ maxIps: 100_000 });
      const update = seller.store.transaction((db) =>
        db.updateTable("licenses").set({ ip_count: 995 }).where("id", "=", id).execute(),
      );
      await update;
      await seller.store.judge(times(12, (at) => validate(seller.apiKey, key, { ip: address(at) })));
      expect(await eventsOf(seller, id, "license.ip_registered")).toHaveLength(5);
      expect(await summariesOf(seller, id)).toEqual([{ count: 7, ipCount: 7, isExact: true }]);
    });
  });
}

function address(at: number): string {
  return `203.0.${113 + (at >> 8)}.${at & 255}`;
}

function refusalsOf(seller: Seller, licenseId: string) {
  return eventsOf(seller, licenseId, "license.ip_limit_reached");
}

async function eventsOf(
  { store }: Seller,
  licenseId: string,
  type: "license.ip_limit_reached" | "license.ip_registered",
) {
  return store.reads
    .selectFrom("events")
    .select("id")
    .where("license_id", "=", licenseId)
    .where("type", "=", type)
    .execute();
}

async function summariesOf({ store }: Seller, licenseId: string) {
  const { taken } = await store.transaction((db) => takeSummaries(db, noonMs / hourMs + 1, 1_000));
  return taken
    .filter((summary) => summary.license_id === licenseId)
    .map(({ count, ipCount, isExact }) => ({ count: Number(count), ipCount, isExact }));
}
