import { expect, setDefaultTimeout, test } from "bun:test";
import { randomFillSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { localTime, startOfDay } from "@countersign/domain/dates/time-zone";
import { uuidSource } from "@countersign/domain/ids/uuid";
import { quotaDay } from "@countersign/domain/quota/day";
import { openJournal } from "@countersign/store/databases/open";
import { setDailyUsage } from "@countersign/store/queries/usage/daily";
import type { RequestLogRow } from "@countersign/store/tables/journal";
import { openGeo } from "../../apps/server/features/geoip/geo-file.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { closeSegments, logRequests } from "../support/journal.ts";
import { licensesOf } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { mmdb } from "../support/mmdb.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

interface Bucket {
  readonly from: string;
  readonly requests: number;
  readonly count: number;
}

const time = (ms: number) => new Date(ms).toISOString();
const zone = "Asia/Tokyo";

/**
 * That requests are counted the same before and after their part of the log is closed:
 * packages/store/queries/analytics. Where days begin, also when clocks change: packages/domain/analytics/range.test.ts.
 */
testsOn("postgres", "analytics", openManageFixture, (fixture) => {
  const anOrganization = async () => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name: "Figures" });
    const organizationId = String(body.id);
    const path = `/organizations/${organizationId}`;
    const product = await owner.api.post(`${path}/products`, { name: "Plugin" });
    const own = { organizationId, productId: String(product.body.id) };
    const ids = { organization_id: organizationId, product_id: own.productId };
    return {
      ...own,
      owner,
      path,
      ...licensesOf({ ...fixture, ...own, owner }),
      get: async (rest: string, query: Record<string, string> = {}) => {
        const found = await owner.api.get(`${path}/analytics${rest}?${new URLSearchParams(query)}`);
        expect(found.status, found.text).toBe(200);
        return found.body;
      },
      log: (rows: readonly Partial<RequestLogRow>[]) =>
        logRequests(
          fixture.database.location,
          rows.map((row) => ({ ...ids, ...row })),
        ),
    };
  };

  test("requests are counted by outcome in the reader's days, by version for a product, and compared with the period before", async () => {
    const { get, log, newProduct, productId } = await anOrganization();
    const { id: product_id } = await newProduct();
    const fromMs = startOfDay(localTime(Date.now() - 5 * dayMs, zone).slice(0, 10), zone);
    const [nextMs, toMs] = [fromMs + dayMs, fromMs + 2 * dayMs];
    await log([
      { at: fromMs - 2 * dayMs - 1, license_id: "l1" },
      { at: fromMs - 2 * dayMs, license_id: "l1", version: "1.0" },
      { at: fromMs - 1, license_id: "l1", version: "0.9", status: "version_not_allowed" },
      { at: fromMs - 1, license_id: "l1", product_id },
      { at: fromMs, license_id: "l1", version: "1.0" },
      { at: nextMs - 1, license_id: "l4", version: "1.1", status: "expired", ip: "192.0.2.2" },
      { at: nextMs, license_id: "l2", version: "1.1" },
      { at: nextMs, license_id: "l2", status: "found", endpoint: "lookup" },
      { at: nextMs, status: "rate_limit_exceeded", count: 40, version: "1.1" },
      { at: nextMs, license_id: "l5", sandbox: 1, ip: "192.0.2.9" },
      { at: toMs - 1, license_id: "l3", product_id },
      { at: toMs, license_id: "l6", status: "ip_blocked" },
    ]);
    const range = { from: time(fromMs), to: time(toMs) };
    const asked = { ...range, time_zone: zone, interval: "day" };
    const { buckets, totals, previous, ...rest } = await get("", asked);
    expect(rest).toMatchObject({ ...asked, has_countries: false, versions: [] });
    const outcomes = { active: 2, found: 1, rate_limit_exceeded: 40 };
    expect(buckets).toMatchObject([
      { from: range.from, to: time(nextMs), requests: 2, outcomes: { active: 1, expired: 1 } },
      { from: time(nextMs), to: range.to, requests: 43, validations: 42, refused: 40, outcomes },
    ]);
    const counts = { requests: 45, unique_licenses: 4, active_licenses: 3, unique_ips: 2 };
    expect(totals).toMatchObject({ ...range, ...counts });
    const before = { from: time(fromMs - 2 * dayMs), to: range.from };
    expect(previous).toMatchObject({ ...before, requests: 3, unique_ips: 1 });
    // In UTC, the same requests are in other buckets.
    const utc = await get("", range);
    expect(utc).toMatchObject({ interval: "hour", totals });
    expect(utc.buckets.filter((bucket: Bucket) => bucket.requests > 0)).toHaveLength(4);
    const ofProduct = await get("", { ...asked, product_id: productId });
    expect([ofProduct.totals.requests, ofProduct.previous.requests]).toEqual([44, 2]);
    expect(ofProduct.previous.validation_outcomes).toEqual({ active: 1, version_not_allowed: 1 });
    expect(ofProduct.versions).toEqual([
      { version: "1.1", validations: 42, previous_validations: 0, is_other: false, buckets: [1, 41] },
      { version: "1.0", validations: 1, previous_validations: 1, is_other: false, buckets: [1, 0] },
      // Only before.
      { version: "0.9", validations: 0, previous_validations: 1, is_other: false, buckets: [0, 0] },
    ]);
  });

  test("the most refused licenses are listed with their outcomes, and their customers for those who may know", async () => {
    const { get, log, create, path, organizationId } = await anOrganization();
    const often = await create({ customer_email: "often@example.com" });
    const rarely = await create();
    const row = (license_id: string, status: string, count: number, daysAgo = 1) => {
      return { at: Date.now() - daysAgo * dayMs, license_id, status, count };
    };
    await log([
      row(rarely.id, "expired", 2),
      row(often.id, "ip_blocked", 5),
      row(often.id, "active", 9),
      row(often.id, "expired", 3, 35),
    ]);
    const { data } = await get("/refused");
    const license_key = `${String(often.license_key).slice(0, 4)}…`;
    const named = { customer_email: "often@example.com", product_name: "Plugin", license_key };
    expect(data).toMatchObject([
      { ...named, license_id: often.id, refused: 5, previous_refused: 3, outcomes: { ip_blocked: 5 } },
      { license_id: rarely.id, refused: 2, previous_refused: 0, outcomes: { expired: 2 } },
    ]);
    const analyst = await fixture.member(["analytics:view"], organizationId);
    const seen = await analyst.api.get(`${path}/analytics/refused`);
    expect(seen.body.data[0]).toMatchObject({ license_id: often.id, customer_email: null });
  });

  test("licenses with many IP addresses or devices on a day are listed with the evidence", async () => {
    const { get, log, create } = await anOrganization();
    const shared = await create();
    const company = await create({ ip_system_enabled: true, max_ips: 20 });
    const normal = await create();
    const dayStart = Math.floor(Date.now() / dayMs) * dayMs - 2 * dayMs;
    const uses = (license_id: string, count: number, daysEarlier = 0) =>
      Array.from({ length: count }, (_, at) => ({
        ...{ at: dayStart - daysEarlier * dayMs + at * hourMs, license_id, ip: `198.51.100.${at}` },
        device_id: license_id === shared.id ? `device ${at % 6}` : "one",
      }));
    await log([...uses(shared.id, 7), ...uses(company.id, 7), ...uses(normal.id, 4)]);
    // In the 30 days before, two of which have signs.
    const before = [uses(shared.id, 6, 35), uses(shared.id, 9, 40), uses(shared.id, 3, 45)];
    await log([...before, uses(shared.id, 9, 70), uses(normal.id, 9, 35)].flat());
    const { data, has_places } = await get("/sharing");
    expect(has_places).toBe(false);
    expect(data).toMatchObject([
      {
        ...{ license_id: shared.id, reasons: ["many_ips", "many_devices"], ips: 7, devices: 6, days: 1 },
        ...{ previous_days: 2, last_day: time(dayStart), travel: null },
      },
    ]);
    expect(data[0].sample_ips).toContainEqual({ ip: "198.51.100.3", device_ids: ["device 3"] });
  });

  test("new, active, expiring and churned licenses are counted over the range and before it", async () => {
    const { get, log, create, act, productId } = await anOrganization();
    const nowMs = await fixture.store.clock();
    const soon = await create({ expires_at: time(nowMs + 3 * dayMs) });
    const later = await create({ expires_at: time(nowMs + 60 * dayMs) });
    const gone = await create();
    await act(gone.id, "revoke", { reason: "Refund" });
    const ended = await create({ expires_at: time(nowMs + dayMs) });
    const columns = { expires_at: nowMs - 2 * hourMs, created_at: nowMs - 10 * dayMs };
    await fixture.change("licenses", { id: String(ended.id) }, columns);
    await log([
      { at: nowMs - hourMs, license_id: soon.id },
      { at: nowMs - hourMs, license_id: gone.id, status: "revoked" },
      { at: nowMs - 9 * dayMs, license_id: later.id },
    ]);
    const week = { from: time(nowMs - 7 * dayMs), product_id: productId };
    const { totals, previous, expiring } = await get("/licenses", week);
    expect(totals).toMatchObject({ new: 3, active: 1, stopped: 1, expired: 1, revoked: 1, churned: 2 });
    expect(previous).toMatchObject({ new: 1, active: 1, stopped: 0, churned: 0 });
    expect(expiring).toMatchObject({ count: 1, previous_count: 1 });
    expect((await get("/licenses", { from: week.from })).totals).toEqual(totals);
  });

  /** That the queries agree: packages/store/queries/licenses/expiring.test.ts. */
  test("licenses expiring in 30 days are as many in the list, the analytics of any range, and a change in bulk", async () => {
    const { get, create, act, owner, path } = await anOrganization();
    const nowMs = await fixture.store.clock();
    for (const days of [3, 29, 31]) await create({ expires_at: time(nowMs + days * dayMs) });
    const revoked = await create({ expires_at: time(nowMs + 3 * dayMs) });
    await act(revoked.id, "revoke");
    await create({ term_seconds: 60 });
    await create();
    const { body: list } = await owner.api.get(`${path}/licenses?expires_within_days=30&count=true`);
    const filter = { expires_within_days: 30 };
    const order = { action: "add_tags", tags: ["expiring"], selection: { filter }, dry_run: true };
    const { body: bulk } = await owner.api.post(`${path}/licenses/bulk`, order);
    const counts = [list.total, list.data.length, bulk.matched];
    for (const days of [1, 30, 365])
      counts.push((await get("/licenses", { from: time(nowMs - days * dayMs) })).expiring.count);
    expect(counts).toEqual([2, 2, 2, 2, 2, 2]);
  });

  /** That the counts are right: packages/store/queries/licenses/stored-counts.test.ts. */
  test("the overview's charts count licenses by day of creation and week of expiry, without deleted products", async () => {
    const { create, newProduct, owner, path, act } = await anOrganization();
    const { id: deleted } = await newProduct();
    const nowMs = Date.now();
    const inDays = (days: number) => ({ expires_at: time(nowMs + days * dayMs) });
    await create({
      licenses: [3, 10, 10, 200].map((days) => ({ customer_email: "a@b.c", ...inDays(days) })),
      customer_email: undefined,
    });
    const { id: revoked } = await create(inDays(3));
    await act(revoked, "revoke");
    await create();
    await create(inDays(3), deleted);
    await owner.api.delete(`/products/${deleted}`);
    const { body } = await owner.api.get(`${path}/license-trend`);
    const counts = (buckets: readonly Bucket[]) => buckets.map(({ count }) => count);
    expect(counts(body.created)).toEqual([...Array(29).fill(0), 6]);
    expect(body.created.at(-1).from).toBe(time(quotaDay(nowMs) * dayMs));
    expect(counts(body.expiring)).toEqual([1, 2, ...Array(10).fill(0)]);
    expect((await fixture.admin.api.get(`/admin${path}`)).body.license_count).toBe(6);
  });

  test("each table of the analytics can be exported as CSV", async () => {
    const { owner, path, log, create, productId } = await anOrganization();
    const { id } = await create();
    await log([{ at: Date.now() - dayMs, license_id: id, status: "expired", version: "=1" }]);
    const csv = async (table: string) => {
      const query = new URLSearchParams({ table, product_id: productId, interval: "day" });
      const { text, headers } = await owner.api.get(`${path}/analytics/export?${query}`);
      expect(headers.get("content-type")).toStartWith("text/csv");
      return text.split("\r\n").map((line) => line.split(","));
    };
    const requests = await csv("requests");
    expect(requests[0]?.slice(0, 3)).toEqual(["period", "from", "to"]);
    expect([requests.at(-2)?.[0], requests[0]?.at(-1)]).toEqual(["previous", "expired"]);
    expect(requests.slice(1).filter((line) => line.at(-1) === "1")).toHaveLength(1);
    expect((await csv("versions")).some((line) => line[3] === "'=1" && line[5] === "1")).toBe(true);
    for (const table of ["countries", "sharing"]) expect(await csv(table)).toHaveLength(2);
    for (const [table, ...cells] of [
      ["licenses", "range"],
      ["refused", id],
      ["outcomes", "expired", "1", "0"],
      ["quota", productId, "Plugin", "0"],
    ])
      expect((await csv(String(table)))[1]?.slice(0, cells.length)).toEqual(cells);
  });

  test("requests of a deleted product still count, and its licenses are in no list", async () => {
    const atMs = Date.now() - dayMs;
    const { owner, path, get, log, newProduct, create, productId } = await anOrganization();
    const { id: second } = await newProduct({ name: "Second" });
    const [gone, left] = [await create(), await create({}, second)];
    const uses = (license_id: string, product_id: string, count: number) =>
      Array.from({ length: 7 }, (_, at) => ({
        ...{ at: atMs, license_id, product_id, status: "expired", count, ip: `198.51.100.${at}` },
        // A request is found by the time in its ID.
        id: uuidSource(() => atMs, randomFillSync)(),
      }));
    await log([...uses(gone.id, productId, 9), ...uses(left.id, second, 1)]);
    await owner.api.delete(`/products/${productId}`);
    expect(await get("")).toMatchObject({
      totals: { requests: 70, outcomes: { expired: 70 }, unique_licenses: 2 },
      quota: [{ product_id: second }],
    });
    for (const list of ["/refused", "/sharing"]) {
      const { data } = await get(list, { limit: "1" });
      expect(data).toMatchObject([{ license_id: left.id, product_name: "Second" }]);
    }
    const { body } = await owner.api.get(`${path}/requests?product_id=${productId}`);
    expect(body.data).toHaveLength(7);
    expect(body.data[0]).toMatchObject({ license_id: gone.id, license_key: null, product_name: "Plugin" });
    const explained = await owner.api.get(`${path}/requests/${body.data[0].id}/explain`);
    expect(explained.body).toMatchObject({ outcome: "product_not_found", unrepeatable: "product_deleted" });
    expect((await owner.api.get(`${path}/requests?license_id=${gone.id}`)).body.data).toHaveLength(7);
    expect((await owner.api.get(`${path}/ips/198.51.100.1/licenses`)).body.data).toEqual([]);
  });

  test("a wrong range, too many buckets and a foreign product are refused", async () => {
    const { owner, path } = await anOrganization();
    const nowMs = Date.now();
    const wrong: [code: string, query: Record<string, string>][] = [
      ["range_empty", { from: time(nowMs), to: time(nowMs - dayMs) }],
      ["too_many_buckets", { from: time(nowMs - 60 * dayMs), interval: "hour" }],
      ["product_not_found", { product_id: fixture.productId }],
      ["invalid", { time_zone: "Europe/Atlantis" }],
    ];
    for (const [code, query] of wrong) {
      const { body } = await owner.api.get(`${path}/analytics?${new URLSearchParams(query)}`);
      expect(body.code).toBe(code);
    }
  });
});

const geoFile = mmdb({
  "192.0.2.0/24": { country: "DE", latitude: 52.52, longitude: 13.4 },
  "198.51.100.0/24": { country: "US", latitude: 40.71, longitude: -74 },
});
async function openWithGeo(make: TestedDatabase["make"]) {
  const folder = mkdtempSync(join(tmpdir(), "countersign-geoip-"));
  const path = join(folder, "cities.mmdb");
  writeFileSync(path, geoFile);
  const environment = { COUNTERSIGN_GEOIP_FILE: path };
  const fixture = await openManageFixture(make, { why: "has a GeoIP file", environment });
  const close = async () => {
    await fixture.close();
    rmSync(folder, { recursive: true });
  };
  return { ...fixture, close };
}

testsOn("sqlite", "analytics with a GeoIP file", openWithGeo, (fixture) => {
  test("real requests are counted at once, by country and towards the quota, and a license that changes place impossibly fast is a suspect", async () => {
    const { create, validate } = licensesOf(fixture);
    const { id, license_key: key } = await create({ ip_system_enabled: false });
    for (const ip of ["192.0.2.7", "192.0.2.8", "198.51.100.9", "203.0.113.1"]) await validate(key, ip);
    const analytics = async (rest = "") =>
      (await fixture.owner.api.get(`/organizations/${fixture.organizationId}/analytics${rest}`)).body;
    await until("four requests are counted", async () => (await analytics()).totals.requests === 4);
    const { productId: product_id } = fixture;
    const yesterday = quotaDay(await fixture.store.clock()) - 1;
    await fixture.store.transaction((db) => setDailyUsage(db, product_id, yesterday, 70));
    const counted = { requests: 1, previous_requests: 0 };
    const places = [{ country: "DE", requests: 2 }, { country: null }, { country: "US" }];
    const travel = {
      before: { ip: "192.0.2.8", country: "DE", device_ids: [] },
      after: { ip: "198.51.100.9", country: "US" },
      distance_km: 6_385,
    };
    const check = async () => {
      expect(await analytics()).toMatchObject({
        totals: { outcomes: { active: 4 }, unique_licenses: 1, active_licenses: 1, unique_ips: 4 },
        quota: [{ product_id, used_today: 4, used_yesterday: 70 }],
        has_countries: true,
        countries: places.map((place) => ({ ...counted, ...place })),
      });
      expect(await analytics("/sharing")).toMatchObject({
        has_places: true,
        data: [{ license_id: id, reasons: ["impossible_travel"], travel }],
      });
    };
    await check();
    // As if time had passed.
    const geo = await openGeo(geoFile);
    const journal = await openJournal(fixture.database.location, () => geo);
    await closeSegments(journal, Date.now() + hourMs);
    await journal.close();
    await check();
  });
});
