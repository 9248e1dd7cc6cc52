import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { newId, type Seller } from "../../../tests/support/seller.ts";
import { distribution } from "../distribution.ts";
import { addIpBlocks } from "../queries/ip-blocks.ts";
import { race, times, validate } from "./calls.ts";
import { changeOrganization, changeProduct, resetIps } from "./changes.ts";
import type { Stage } from "./stage.ts";

const noonMs = Date.UTC(2030, 5, 15, 12);

export function events(stage: Stage) {
  describe("events of the hot path", () => {
    test("an address that gets a place is told of in the batch that gave it, once", async () => {
      const seller = await stage.seller({ now: () => noonMs });
      const { id, key } = await seller.license({ maxIps: 2 });
      await seller.store.judge(times(5, () => validate(seller.apiKey, key, { ip: "198.51.100.7" })));
      await seller.store.judge([validate(seller.apiKey, key, { ip: "198.51.100.7" })]);
      expect(await told(seller)).toEqual([
        {
          type: "license.ip_registered",
          at: noonMs,
          product_id: seller.productId,
          license_id: id,
          undistributed: distribution.waitingWithoutLicense,
          data: {
            organization_id: seller.organizationId,
            product_id: seller.productId,
            license_id: id,
            ip: "198.51.100.7",
          },
        },
      ]);
    });

    test("places that are raced for on several nodes are told of exactly where they were given", async () => {
      const seller = await stage.seller({ now: () => noonMs });
      const { key } = await seller.license({ maxIps: 4 });
      const nodes = [seller.store, await stage.node({ now: () => noonMs })];
      const calls = times(60, (at) => validate(seller.apiKey, key, { ip: `198.51.100.${at % 12}` }));
      await race(nodes, calls, 5);
      const registered = (await told(seller)).filter(({ type }) => type === "license.ip_registered");
      const ips = await seller.store.reads.selectFrom("license_ips").select("ip").execute();
      const mine = new Set(registered.map(({ data }) => data.ip));
      expect([registered.length, mine.size]).toEqual([4, 4]);
      expect(ips.filter(({ ip }) => mine.has(ip)).length).toBeGreaterThanOrEqual(4);
    });

    test("200 refusals of one license and address on three nodes are told once", async () => {
      const seller = await stage.seller({ now: () => noonMs });
      const { id, key } = await seller.license({ maxIps: 1 });
      await seller.store.judge([validate(seller.apiKey, key, { ip: "198.51.100.1" })]);
      const nodes = [
        seller.store,
        await stage.node({ now: () => noonMs }),
        await stage.node({ now: () => noonMs }),
      ];
      const refused = () => times(200, () => validate(seller.apiKey, key, { ip: "198.51.100.2" }));
      await race(nodes, refused(), 3);
      await race(nodes, refused(), 64);
      const refusals = (await told(seller)).filter(({ type }) => type === "license.ip_limit_reached");
      expect(refusals).toMatchObject([
        { license_id: id, undistributed: distribution.waitingWithoutLicense, data: { ip: "198.51.100.2" } },
      ]);
    });

    test("another address, another kind and another hour are told again", async () => {
      let nowMs = noonMs;
      const seller = await stage.seller({ now: () => nowMs });
      const { key } = await seller.license({ maxIps: 1 });
      const ask = (ip: string) => seller.store.judge([validate(seller.apiKey, key, { ip })]);
      await ask("198.51.100.1");
      await ask("198.51.100.2");
      await ask("198.51.100.3");
      await seller.store.transaction((db) =>
        addIpBlocks(
          db,
          [
            {
              id: newId(),
              scope: { tier: "organization", organizationId: seller.organizationId },
              cidr: "198.51.100.2/32",
              note: null,
              expiresAtMs: null,
            },
          ],
          noonMs,
        ),
      );
      await ask("198.51.100.2");
      await ask("198.51.100.2");
      nowMs += hourMs;
      await ask("198.51.100.3");
      await ask("198.51.100.3");
      expect((await told(seller)).map(({ type, data }) => [type, data.ip]).slice(1)).toEqual([
        ["license.ip_limit_reached", "198.51.100.2"],
        ["license.ip_limit_reached", "198.51.100.3"],
        ["license.ip_blocked", "198.51.100.2"],
        ["license.ip_limit_reached", "198.51.100.3"],
      ]);
    });

    test("refusals for other reasons tell nothing", async () => {
      const seller = await stage.seller({
        now: () => noonMs,
        settings: { auto_register_ip_on_validate: 0 },
      });
      const free = await seller.license();
      const revoked = await seller.license({ revokedAtMs: 1 });
      const expired = await seller.license({ expiresAtMs: 1 });
      await seller.store.judge(
        [free.key, revoked.key, expired.key, "X"].map((key) => validate(seller.apiKey, key)),
      );
      expect(await told(seller)).toEqual([]);
    });

    test("an address is told of again after its place was taken away and given again", async () => {
      const seller = await stage.seller({ now: () => noonMs });
      const { id, key } = await seller.license();
      await seller.store.judge([validate(seller.apiKey, key)]);
      await resetIps(seller.store, id);
      await seller.store.judge([validate(seller.apiKey, key)]);
      expect((await told(seller)).map(({ type }) => type)).toEqual([
        "license.ip_registered",
        "license.ip_registered",
      ]);
    });

    test("the batch that reaches four fifths of the limit warns, and the one that uses it up says so", async () => {
      const seller = await stage.seller({ dailyLimit: 10, now: () => noonMs });
      const ask = (count: number) => seller.store.judge(times(count, () => validate(seller.apiKey, "X")));
      await ask(7);
      expect(await told(seller)).toEqual([]);
      await ask(2);
      await ask(5);
      await ask(5);
      const base = { organization_id: seller.organizationId, product_id: seller.productId, limit: 10 };
      const resets_at = "2030-06-16T00:00:00.000Z";
      const row = {
        at: noonMs,
        product_id: seller.productId,
        license_id: null,
        undistributed: distribution.waiting,
      };
      expect((await told(seller)).sort((a, b) => a.data.used - b.data.used)).toEqual([
        { ...row, type: "quota.warning", data: { ...base, used: 9, resets_at } },
        { ...row, type: "quota.exhausted", data: { ...base, used: 10, resets_at } },
      ]);
    });

    test("three nodes that race over both marks tell of each once", async () => {
      const seller = await stage.seller({ dailyLimit: 100, now: () => noonMs });
      const nodes = [
        seller.store,
        await stage.node({ now: () => noonMs }),
        await stage.node({ now: () => noonMs }),
      ];
      await race(
        nodes,
        times(250, () => validate(seller.apiKey, "X")),
        7,
      );
      expect((await told(seller)).map(({ type }) => type).sort()).toEqual([
        "quota.exhausted",
        "quota.warning",
      ]);
    });

    test("the next day, and a raised limit, are told of anew", async () => {
      let nowMs = noonMs;
      const seller = await stage.seller({ dailyLimit: 5, now: () => nowMs });
      const ask = (count: number) => seller.store.judge(times(count, () => validate(seller.apiKey, "X")));
      await ask(6);
      await changeOrganization(seller, { daily_limit_override: 20 });
      await ask(20);
      nowMs += 24 * hourMs;
      await ask(20);
      const types = (await told(seller)).map(({ type }) => type);
      expect(types.filter((type) => type === "quota.warning").length).toBe(3);
      expect(types.filter((type) => type === "quota.exhausted").length).toBe(3);
    });

    test("without a limit, or of a deleted product, nothing is told of the quota", async () => {
      const free = await stage.seller({ now: () => noonMs });
      await free.store.judge(times(50, () => validate(free.apiKey, "X")));
      const gone = await stage.seller({ dailyLimit: 3, now: () => noonMs });
      await changeProduct(gone, { deleted_at: 1 });
      await gone.store.judge(times(5, () => validate(gone.apiKey, "X")));
      expect([await told(free), await told(gone)]).toEqual([[], []]);
    });

    test("ids are of one kind, whoever made them", async () => {
      const seller = await stage.seller({ dailyLimit: 1 });
      const { key } = await seller.license();
      await seller.store.judge([validate(seller.apiKey, key)]);
      const rows = await seller.store.reads
        .selectFrom("events")
        .select("id")
        .where("organization_id", "=", seller.organizationId)
        .execute();
      expect(rows.length).toBe(3);
      for (const { id } of rows) {
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        const ms = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
        expect(Math.abs(ms - Date.now())).toBeLessThan(60_000);
      }
    });
  });
}

/** In the order in which they were told, as far as ids tell: those of one millisecond stand as they were written. */
async function told({ store, organizationId }: Seller) {
  const rows = await store.reads
    .selectFrom("events")
    .select(["type", "at", "product_id", "license_id", "undistributed", "data"])
    .where("organization_id", "=", organizationId)
    .orderBy("at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
}
