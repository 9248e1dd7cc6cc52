import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { newId, type TestOrganization } from "../../../tests/support/test-organization.ts";
import { distribution } from "../distribution.ts";
import { addIpBlocks } from "../queries/ip-blocks/blocks.ts";
import { ask, askFrom, race, tagsOf, times, validate } from "./calls.ts";
import { changeOrganization, changeProduct, resetIps } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

const noonMs = Date.UTC(2030, 5, 15, 12);

export function events(fixture: StoreFixture) {
  describe("events of the hot path", () => {
    test("an IP address that gets a slot gets one event, in the same batch", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { id, key } = await org.license({ maxIps: 2 });
      for (const count of [5, 1])
        await askFrom(
          org,
          key,
          times(count, () => "198.51.100.7"),
        );
      const ids = { product_id: org.productId, license_id: id };
      expect(await recordedEvents(org)).toEqual([
        {
          ...{ type: "license.ip_registered", at: noonMs, ...ids },
          undistributed: distribution.waitingWithoutLicense,
          data: { organization_id: org.organizationId, ...ids, ip: "198.51.100.7" },
        },
      ]);
    });

    test("concurrent registrations on several nodes emit an event exactly for each slot", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { key } = await org.license({ maxIps: 4 });
      const calls = times(60, (at) => validate(org.apiKey, key, { ip: `198.51.100.${at % 12}` }));
      await race(await fixture.nodes(2), calls, 5);
      const registered = (await recordedEvents(org)).filter(({ type }) => type === "license.ip_registered");
      const ips = await org.store.reads.selectFrom("license_ips").select("ip").execute();
      const mine = new Set(registered.map(({ data }) => data.ip));
      expect([registered.length, mine.size]).toEqual([4, 4]);
      expect(ips.filter(({ ip }) => mine.has(ip)).length).toBeGreaterThanOrEqual(4);
    });

    test("200 rejections of one license and IP address on three nodes emit one event", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { id, key } = await org.license({ maxIps: 1 });
      await askFrom(org, key, ["198.51.100.1"]);
      const nodes = await fixture.nodes(3);
      const refused = () => times(200, () => validate(org.apiKey, key, { ip: "198.51.100.2" }));
      await race(nodes, refused(), 3);
      await race(nodes, refused(), 64);
      const refusals = (await recordedEvents(org)).filter(({ type }) => type === "license.ip_limit_reached");
      expect(refusals).toMatchObject([
        { license_id: id, undistributed: distribution.waitingWithoutLicense, data: { ip: "198.51.100.2" } },
      ]);
    });

    test("another IP address, another kind and another hour each emit an event", async () => {
      let nowMs = noonMs;
      const org = await fixture.org({ now: () => nowMs });
      const { key } = await org.license({ maxIps: 1 });
      const refuse = (host: number) => askFrom(org, key, [`198.51.100.${host}`]);
      const scope = { tier: "organization", organizationId: org.organizationId } as const;
      const block = { scope, note: null, expiresAtMs: null };
      for (const host of [1, 2, 3]) await refuse(host);
      await org.store.transaction((db) =>
        addIpBlocks(db, [{ ...block, id: newId(), cidr: "198.51.100.2/32" }], noonMs),
      );
      for (const host of [2, 2]) await refuse(host);
      nowMs += hourMs;
      for (const host of [3, 3]) await refuse(host);
      expect((await recordedEvents(org)).map(({ type, data }) => [type, data.ip]).slice(1)).toEqual([
        ["license.ip_limit_reached", "198.51.100.2"],
        ["license.ip_limit_reached", "198.51.100.3"],
        ["license.ip_blocked", "198.51.100.2"],
        ["license.ip_limit_reached", "198.51.100.3"],
      ]);
    });

    test("rejections for other reasons emit no event", async () => {
      const org = await fixture.org({ now: () => noonMs, settings: { auto_register_ip_on_validate: 0 } });
      const free = await org.license();
      const revoked = await org.license({ revokedAtMs: 1 });
      const expired = await org.license({ expiresAtMs: 1 });
      for (const key of [free.key, revoked.key, expired.key, "X"]) await ask(org, key);
      expect(await recordedEvents(org)).toEqual([]);
    });

    test("an IP address that is removed and registered again emits another event", async () => {
      const org = await fixture.org({ now: () => noonMs });
      const { id, key } = await org.license();
      await ask(org, key);
      await resetIps(org.store, id);
      await ask(org, key);
      expect(await typesOf(org)).toEqual(["license.ip_registered", "license.ip_registered"]);
    });

    test("the batch that reaches 80% of the limit emits a warning, and the one that exhausts it an event", async () => {
      const org = await fixture.org({ dailyLimit: 10, now: () => noonMs });
      await tagsOf(org, 7);
      expect(await recordedEvents(org)).toEqual([]);
      for (const count of [2, 5, 5]) await tagsOf(org, count);
      const base = { organization_id: org.organizationId, product_id: org.productId, limit: 10 };
      const row = {
        at: noonMs,
        product_id: org.productId,
        license_id: null,
        undistributed: distribution.waiting,
      };
      const resets_at = "2030-06-16T00:00:00.000Z";
      expect((await recordedEvents(org)).sort((a, b) => a.data.used - b.data.used)).toEqual([
        { ...row, type: "quota.warning", data: { ...base, used: 9, resets_at } },
        { ...row, type: "quota.exhausted", data: { ...base, used: 10, resets_at } },
      ]);
    });

    test("three nodes that cross both thresholds concurrently emit each event once", async () => {
      const org = await fixture.org({ dailyLimit: 100, now: () => noonMs });
      const calls = times(250, () => validate(org.apiKey, "X"));
      await race(await fixture.nodes(3), calls, 7);
      expect((await typesOf(org)).sort()).toEqual(["quota.exhausted", "quota.warning"]);
    });

    test("the next day and a raised limit emit events again", async () => {
      let nowMs = noonMs;
      const org = await fixture.org({ dailyLimit: 5, now: () => nowMs });
      await tagsOf(org, 6);
      await changeOrganization(org, { daily_limit_override: 20 });
      await tagsOf(org, 20);
      nowMs += 24 * hourMs;
      await tagsOf(org, 20);
      const both = ["quota.exhausted", "quota.warning"] as const;
      expect((await typesOf(org)).sort()).toEqual(both.flatMap((type) => times(3, () => type)));
    });

    test("a product that has no limit, or is deleted, emits no quota event", async () => {
      const free = await fixture.org({ now: () => noonMs });
      await tagsOf(free, 50);
      const gone = await fixture.org({ dailyLimit: 3, now: () => noonMs });
      await changeProduct(gone, { deleted_at: 1 });
      await tagsOf(gone, 5);
      expect([await recordedEvents(free), await recordedEvents(gone)]).toEqual([[], []]);
    });

    test("all writers generate IDs of the same kind", async () => {
      const org = await fixture.org({ dailyLimit: 1 });
      await ask(org, (await org.license()).key);
      const rows = await storedRows(org.store.reads, "events", { organization_id: org.organizationId });
      expect(rows.length).toBe(3);
      for (const { id } of rows) {
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        const ms = Number.parseInt(id.replace("-", "").slice(0, 12), 16);
        expect(Math.abs(ms - Date.now())).toBeLessThan(60_000);
      }
    });
  });
}

async function typesOf(org: TestOrganization) {
  return (await recordedEvents(org)).map(({ type }) => type);
}

/** In the order of their IDs. Events of one millisecond are in the order in which they were written. */
async function recordedEvents({ store, organizationId }: TestOrganization) {
  const rows = await store.reads
    .selectFrom("events")
    .select(["type", "at", "product_id", "license_id", "undistributed", "data"])
    .where("organization_id", "=", organizationId)
    .orderBy("at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({ ...row, data: JSON.parse(row.data) }));
}
