import { describe, expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { storedRows } from "../../../tests/support/stored-rows.ts";
import { newId, type TestOrganization } from "../../../tests/support/test-organization.ts";
import { takeSummaries } from "../queries/events/events.ts";
import { addIpBlocks } from "../queries/ip-blocks/blocks.ts";
import { distribution } from "../tables/events.ts";
import { ask, askFrom, race, tagsOf, times, validate } from "./calls.ts";
import { changeLicense, changeOrganization, changeProduct, resetIps } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

const noonMs = Date.UTC(2030, 5, 15, 12);
const now = () => noonMs;

export function events(fixture: StoreFixture) {
  /** A license whose only slot is taken. */
  const full = async (clock = now) => {
    const org = await fixture.org({ now: clock });
    const { id, key } = await org.license({ maxIps: 1 });
    await askFrom(org, key, ["198.51.100.1"]);
    return { org, id, key, refuse: (ips: readonly string[]) => askFrom(org, key, ips) };
  };

  describe("events of the hot path", () => {
    test("an IP address that gets a slot gets one event, in the same batch", async () => {
      const org = await fixture.org({ now });
      const { id, key } = await org.license({ maxIps: 2 });
      for (const count of [5, 1]) await askFrom(org, key, Array(count).fill("198.51.100.7"));
      const ids = { product_id: org.productId, license_id: id };
      const row = { type: "license.ip_registered", at: noonMs, ...ids } as const;
      const data = { organization_id: org.organizationId, ...ids, ip: "198.51.100.7" };
      const undistributed = distribution.waitingWithoutLicense;
      expect(await recordedEvents(org)).toEqual([{ ...row, undistributed, data }]);
    });

    test("concurrent registrations on several nodes emit an event exactly for each slot", async () => {
      const org = await fixture.org({ now });
      const { id, key } = await org.license({ maxIps: 4 });
      const calls = times(60, (at) => validate(org.apiKey, key, { ip: `198.51.100.${at % 12}` }));
      await race(await fixture.nodes(2), calls, 5);
      const registered = (await recordedEvents(org)).filter(({ type }) => type === "license.ip_registered");
      const slots = await storedRows(org.store.reads, "license_ips", { license_id: id });
      expect(registered.map(({ data }) => data.ip).sort()).toEqual(slots.map(({ ip }) => ip).sort());
      expect(slots).toHaveLength(4);
    });

    test("400 refusals of one license and IP address on three nodes emit one event", async () => {
      const { org, id, key } = await full();
      const nodes = await fixture.nodes(3);
      for (const batchSize of [3, 64]) {
        const calls = times(200, () => validate(org.apiKey, key, { ip: "198.51.100.2" }));
        await race(nodes, calls, batchSize);
      }
      const [, ...refusals] = await recordedEvents(org);
      const undistributed = distribution.waitingWithoutLicense;
      const refusal = { type: "license.ip_limit_reached", license_id: id, undistributed };
      expect(refusals).toMatchObject([{ ...refusal, data: { ip: "198.51.100.2" } }]);
    });

    test("another IP address, another kind and another hour each emit an event", async () => {
      let nowMs = noonMs;
      const { org, refuse } = await full(() => nowMs);
      const scope = { tier: "organization", organizationId: org.organizationId } as const;
      const block = { id: newId(), scope, cidr: "198.51.100.2/32", note: null, expiresAtMs: null };
      for (const host of [2, 3]) await refuse([`198.51.100.${host}`]);
      await org.store.transaction((db) => addIpBlocks(db, [block], noonMs));
      for (const host of [2, 2]) await refuse([`198.51.100.${host}`]);
      nowMs += hourMs;
      for (const host of [3, 3]) await refuse([`198.51.100.${host}`]);
      expect((await recordedEvents(org)).map(({ type, data }) => [type, data.ip]).slice(1)).toEqual([
        ["license.ip_limit_reached", "198.51.100.2"],
        ["license.ip_limit_reached", "198.51.100.3"],
        ["license.ip_blocked", "198.51.100.2"],
        ["license.ip_limit_reached", "198.51.100.3"],
      ]);
    });

    test("refusals for other reasons emit no event", async () => {
      const org = await fixture.org({ now, settings: { auto_register_ip_on_validate: 0 } });
      for (const settings of [{}, { revokedAtMs: 1 }, { expiresAtMs: 1 }])
        await ask(org, (await org.license(settings)).key);
      await ask(org, "X");
      expect(await recordedEvents(org)).toEqual([]);
    });

    test("an IP address that is removed and registered again emits another event", async () => {
      const { org, id, refuse } = await full();
      await resetIps(org.store, id);
      await refuse(["198.51.100.1"]);
      expect(await typesOf(org)).toEqual(["license.ip_registered", "license.ip_registered"]);
    });

    test("the batch that reaches 80% of the limit emits a warning, and the one that exhausts it an event", async () => {
      const org = await fixture.org({ dailyLimit: 10, now });
      await tagsOf(org, 7);
      expect(await recordedEvents(org)).toEqual([]);
      for (const count of [2, 5, 5]) await tagsOf(org, count);
      const { organizationId: organization_id, productId: product_id } = org;
      const row = { at: noonMs, product_id, license_id: null, undistributed: distribution.waiting };
      const data = { organization_id, product_id, limit: 10, resets_at: "2030-06-16T00:00:00.000Z" };
      expect((await recordedEvents(org)).sort((a, b) => a.data.used - b.data.used)).toEqual([
        { ...row, type: "quota.warning", data: { ...data, used: 9 } },
        { ...row, type: "quota.exhausted", data: { ...data, used: 10 } },
      ]);
    });

    test("three nodes that cross both thresholds concurrently emit each event once", async () => {
      const org = await fixture.org({ dailyLimit: 100, now });
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
      const types = ["quota.exhausted", "quota.warning"].flatMap((type) => Array(3).fill(type));
      expect((await typesOf(org)).sort()).toEqual(types);
    });

    test("a product that has no limit, or is deleted, emits no quota event", async () => {
      const free = await fixture.org({ now });
      await tagsOf(free, 50);
      const gone = await fixture.org({ dailyLimit: 3, now });
      await changeProduct(gone, { deleted_at: 1 });
      await tagsOf(gone, 5);
      expect([await recordedEvents(free), await recordedEvents(gone)]).toEqual([[], []]);
    });

    test("all writers of events generate IDs of the same kind", async () => {
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

  /** How much one license key and many IP addresses can make the database store. */
  describe("events that callers can cause without limit", () => {
    test("refusals beyond ten IP addresses in an hour are counted without their own events", async () => {
      const { org, id, refuse } = await full();
      await refuse(addresses(0, 4));
      await refuse(addresses(4, 30));
      await refuse(addresses(0, 40));
      await refuse(addresses(0, 40));
      expect(await countOf(org, id)).toBe(10);
      // 30 IP addresses without an event: 24 in the second batch, 30 in each of the others.
      expect(await summariesOf(org, id)).toEqual([{ count: 84, ipCount: 30, isExact: true }]);
    });

    test("repeated refusals of one IP address in a batch are all counted", async () => {
      const { org, id, refuse } = await full();
      // Ten IP addresses get their own events. The next one is only counted.
      for (const ips of [addresses(0, 10), Array(3).fill(address(10))]) await refuse(ips);
      expect(await countOf(org, id)).toBe(10);
      expect(await summariesOf(org, id)).toEqual([{ count: 3, ipCount: 1, isExact: true }]);
    });

    test("more than a hundred IP addresses are not distinguished", async () => {
      const { org, id, refuse } = await full();
      for (let start = 0; start < 400; start += 80) await refuse(addresses(start, 80));
      const rows = await storedRows(org.store.reads, "recorded_refusals", { license_id: id });
      expect([rows.length, await countOf(org, id)]).toEqual([100, 10]);
      expect(await summariesOf(org, id)).toEqual([{ count: 390, ipCount: 90, isExact: false }]);
    });

    test("each license, kind and hour has its own ten events", async () => {
      let nowMs = noonMs;
      const licenses = [await full(() => nowMs), await full(() => nowMs)];
      for (const laterMs of [0, hourMs]) {
        nowMs += laterMs;
        for (const { refuse } of licenses) await refuse(addresses(0, 15));
      }
      for (const { org, id } of licenses) expect(await countOf(org, id)).toBe(20);
    });

    test("three nodes count no refusal twice, and individual events stay few", async () => {
      const { org, id, key } = await full();
      const calls = times(600, (at) => validate(org.apiKey, key, { ip: address(at) }));
      await race(await fixture.nodes(3), calls, 10);
      const singly = await countOf(org, id);
      // Concurrent batches on different nodes do not see each other.
      expect(singly).toBeWithin(10, 101);
      const [summary] = await summariesOf(org, id);
      // A batch that finds the summary's row locked for too long is not counted there: no response waits for a count.
      expect((summary?.count ?? 0) + singly).toBeWithin(500, 601);
    });

    test("further IP addresses of a license with a thousand are only counted", async () => {
      const org = await fixture.org({ now });
      const { id, key } = await org.license({ maxIps: 100_000 });
      await changeLicense(org.store, id, { ip_count: 995 });
      await askFrom(org, key, addresses(0, 12));
      expect(await countOf(org, id, "license.ip_registered")).toBe(5);
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

/** How many events of this type a license has. */
async function countOf(org: TestOrganization, licenseId: string, wanted = "license.ip_limit_reached") {
  const rows = await recordedEvents(org);
  return rows.filter(({ type, license_id: id }) => type === wanted && id === licenseId).length;
}

async function summariesOf({ store }: TestOrganization, licenseId: string) {
  const { taken } = await store.transaction((db) => takeSummaries(db, noonMs / hourMs + 1, 1_000));
  return taken
    .filter((summary) => summary.license_id === licenseId)
    .map(({ count, ipCount, isExact }) => ({ count: Number(count), ipCount, isExact }));
}

async function typesOf(org: TestOrganization) {
  return (await recordedEvents(org)).map(({ type }) => type as string);
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
