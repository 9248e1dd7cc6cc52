import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { randomFillSync } from "node:crypto";
import { bucketStarts } from "@countersign/domain/analytics/range";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { localTime, startOfDay } from "@countersign/domain/dates/local-day";
import { uuidSource } from "@countersign/domain/ids/uuid";
import { quotaDay } from "@countersign/domain/quota/day";
import { openJournal } from "@countersign/store/open";
import type { Journal } from "@countersign/store/store";
import type { RequestLogRow } from "@countersign/store/tables";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { journalEntry } from "../support/request-log.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const time = (ms: number) => new Date(ms).toISOString();
const zone = "Europe/Berlin";

/** The last day of another length than 24 hours in Berlin, at least a week ago. */
function lastChangeOfClocks(nowMs: number): { day: string; hours: number } {
  for (let atMs = nowMs - 7 * dayMs; ; atMs -= dayMs) {
    const day = localTime(atMs, zone).slice(0, 10);
    const next = localTime(startOfDay(day, zone) + 30 * hourMs, zone).slice(0, 10);
    const hours = (startOfDay(next, zone) - startOfDay(day, zone)) / hourMs;
    if (hours !== 24) return { day, hours };
  }
}

describe.each(on("postgres"))("analytics on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let journal: Journal;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    journal = await openJournal(fixture.database.location);
  });
  afterAll(async () => {
    await journal.close();
    await fixture.close();
  });

  const anOrganization = async () => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name: "Figures" });
    const organizationId = String(body.id);
    const path = `/organizations/${organizationId}`;
    const addProduct = async (name: string) =>
      String((await owner.api.post(`${path}/products`, { name })).body.id);
    const productId = await addProduct("Plugin");
    const get = async (rest: string, query: Record<string, string> = {}) => {
      const found = await owner.api.get(`${path}/analytics${rest}?${new URLSearchParams(query)}`);
      expect(found.status, found.text).toBe(200);
      return found.body;
    };
    const log = (rows: readonly Partial<RequestLogRow>[]) =>
      journal.append(
        rows.map((row) => journalEntry({ organization_id: organizationId, product_id: productId, ...row })),
      );
    const addLicense = async (values: object = {}, product = productId) => {
      const created = await owner.api.post(`/products/${product}/licenses`, {
        customer_email: "someone@example.com",
        ...values,
      });
      expect(created.status, created.text).toBe(201);
      return created.body;
    };
    return { organizationId, owner, path, addProduct, productId, get, log, addLicense };
  };

  test("requests are counted by outcome in buckets of the reader's days, also when clocks change", async () => {
    const nowMs = await fixture.store.clock();
    const { day, hours } = lastChangeOfClocks(nowMs);
    const { get, log } = await anOrganization();
    const startMs = startOfDay(day, zone);
    const lastMs = startMs + hours * hourMs - 1;
    await log([
      { at: startMs - 1, status: "active" },
      { at: startMs, status: "active", license_id: "l1", ip: "192.0.2.1" },
      { at: startMs + 3 * hourMs, status: "expired", license_id: "l1", ip: "192.0.2.2" },
      { at: lastMs, status: "active", license_id: "l2", ip: "192.0.2.1" },
      { at: lastMs, status: "found", endpoint: "lookup", license_id: "l2", ip: "192.0.2.1" },
      { at: lastMs, status: "rate_limit_exceeded", count: 40, ip: "192.0.2.1" },
      { at: lastMs, status: "active", sandbox: 1, ip: "192.0.2.9" },
      { at: lastMs + 1, status: "ip_blocked", license_id: "l3" },
    ]);
    const from = time(startMs - dayMs);
    const to = time(lastMs + 1 + dayMs);
    const found = await get("", { from, to, time_zone: zone, interval: "day" });
    expect(found).toMatchObject({ from, to, time_zone: zone, interval: "day", has_countries: false });
    expect(
      found.buckets.map((bucket: { from: string; requests: number }) => [bucket.from, bucket.requests]),
    ).toEqual([
      [from, 1],
      [time(startMs), 44],
      [time(lastMs + 1), 1],
    ]);
    expect(found.buckets[1]).toMatchObject({
      from: time(startMs),
      to: time(lastMs + 1),
      validations: 43,
      refused: 41,
      outcomes: { active: 2, expired: 1, found: 1, rate_limit_exceeded: 40 },
    });
    expect(found.totals).toMatchObject({ from, to, requests: 46, unique_licenses: 3, active_licenses: 2 });
    expect(found.totals.outcomes).toEqual({
      active: 3,
      expired: 1,
      found: 1,
      ip_blocked: 1,
      rate_limit_exceeded: 40,
    });
    // In UTC, the same requests are in other buckets.
    const utc = await get("", { from, to, interval: "hour" });
    expect(utc.totals).toEqual(found.totals);
    expect(utc.buckets.filter((bucket: { requests: number }) => bucket.requests > 0)).toHaveLength(5);
  });

  test("days of a zone with half an hour start at the next full hour, and nothing is lost", async () => {
    const nowMs = await fixture.store.clock();
    const { get, log } = await anOrganization();
    const fromMs = Math.floor((nowMs - 10 * dayMs) / hourMs) * hourMs;
    await log(Array.from({ length: 72 }, (_, at) => ({ at: fromMs + at * hourMs + 40 * 60_000 })));
    const query = { from: time(fromMs), to: time(fromMs + 72 * hourMs), interval: "day" };
    const { buckets, totals } = await get("", { ...query, time_zone: "Asia/Kolkata" });
    expect(totals.requests).toBe(72);
    const range = { from: fromMs / hourMs, to: fromMs / hourMs + 72 };
    const starts = bucketStarts(range, "day", "Asia/Kolkata", 100) ?? [];
    expect(buckets.map((bucket: { from: string }) => Date.parse(bucket.from) / hourMs)).toEqual(starts);
    expect(buckets.map((bucket: { requests: number }) => bucket.requests)).toEqual(
      starts.map((start, at) => (starts[at + 1] ?? range.to) - start),
    );
  });

  test("a range is compared with the period before, per product and for all products", async () => {
    const nowMs = await fixture.store.clock();
    const { get, log, addProduct, productId } = await anOrganization();
    const other = await addProduct("Second");
    const fromMs = Math.floor((nowMs - 5 * dayMs) / hourMs) * hourMs;
    const shared = { license_id: "l1", ip: "192.0.2.1" };
    await log([
      { at: fromMs - 4 * hourMs - 1, ...shared },
      { at: fromMs - 4 * hourMs, ...shared, version: "1.0" },
      { at: fromMs - 3 * hourMs, ...shared, version: "0.9", status: "version_not_allowed" },
      { at: fromMs - 1, ...shared, product_id: other },
      { at: fromMs, ...shared, version: "1.0" },
      { at: fromMs, ...shared, version: "1.1" },
      { at: fromMs + hourMs, ...shared, version: "1.1" },
      { at: fromMs + hourMs, ...shared, product_id: other },
      { at: fromMs + 4 * hourMs, ...shared },
    ]);
    const query = { from: time(fromMs), to: time(fromMs + 4 * hourMs) };
    const all = await get("", query);
    expect(all).toMatchObject({
      interval: "hour",
      totals: { requests: 4, unique_licenses: 1, unique_ips: 1 },
      previous: { from: time(fromMs - 4 * hourMs), to: time(fromMs), requests: 3, unique_ips: 1 },
      versions: [],
    });
    const one = await get("", { ...query, product_id: productId });
    expect(one.totals.requests).toBe(3);
    expect(one.previous.requests).toBe(2);
    expect(one.previous.validation_outcomes).toEqual({ active: 1, version_not_allowed: 1 });
    expect(one.versions).toEqual([
      { version: "1.1", is_other: false, validations: 2, previous_validations: 0, buckets: [1, 1, 0, 0] },
      { version: "1.0", is_other: false, validations: 1, previous_validations: 1, buckets: [1, 0, 0, 0] },
      // Only before.
      { version: "0.9", is_other: false, validations: 0, previous_validations: 1, buckets: [0, 0, 0, 0] },
    ]);
  });

  test("requests are counted before their part of the log is closed and the same after it", async () => {
    const { get, owner, productId, addLicense } = await anOrganization();
    const license = await addLicense();
    const key = await owner.api.post(`/products/${productId}/api-keys`, { name: "Analytics" });
    const publicApi = apiOf(fixture.server.url, String(key.body.api_key));
    const request = { license_key: license.license_key, version: "3.1" };
    for (let at = 0; at < 3; at++) expect((await publicApi.validate(request)).body.status).toBe("active");
    const analytics = () => get("", { product_id: productId });
    await until("three requests are counted", async () => (await analytics()).totals.requests === 3);
    const found = await analytics();
    expect(found.totals).toMatchObject({ outcomes: { active: 3 }, unique_licenses: 1, active_licenses: 1 });
    expect(found.versions).toMatchObject([{ version: "3.1", validations: 3 }]);
    expect(found.quota).toMatchObject([{ product_id: productId, used_today: 3, used_yesterday: 0 }]);
    const day = quotaDay(await fixture.store.clock()) - 1;
    await fixture.store.transaction((db) =>
      db
        .insertInto("daily_usage")
        .values({ product_id: productId, day, used: 70, last_granted: 1, daily_limit: null })
        .execute(),
    );
    expect((await analytics()).quota).toMatchObject([{ used_yesterday: 70 }]);
    // As if time had passed.
    while ((await journal.closeSegment(Date.now() + hourMs)) > 0);
    const after = await analytics();
    expect(after.totals).toEqual(found.totals);
    expect(after.versions).toEqual(found.versions);
  });

  test("most refused licenses are listed with their outcomes, and to whom they belong for those who may know", async () => {
    const nowMs = await fixture.store.clock();
    const { get, log, addLicense, organizationId } = await anOrganization();
    const often = await addLicense({ customer_email: "often@example.com" });
    const rarely = await addLicense();
    const row = (license_id: string, status: string, count: number) => ({
      ...{ at: nowMs - dayMs, license_id, status, count },
    });
    await log([
      row(rarely.id, "expired", 2),
      row(often.id, "ip_blocked", 5),
      row(often.id, "expired", 1),
      row(often.id, "active", 9),
      { ...row(often.id, "expired", 3), at: nowMs - 35 * dayMs },
      { at: nowMs - dayMs, status: "license_not_found", count: 50 },
    ]);
    const { data } = await get("/refused");
    expect(data).toMatchObject([
      { license_id: often.id, refused: 6, previous_refused: 3, outcomes: { expired: 1, ip_blocked: 5 } },
      { license_id: rarely.id, refused: 2, previous_refused: 0, outcomes: { expired: 2 } },
    ]);
    expect(data[0]).toMatchObject({ customer_email: "often@example.com", product_name: "Plugin" });
    expect(data[0].license_key).toBe(`${String(often.license_key).slice(0, 4)}…`);
    const analyst = await fixture.member(["analytics:view"], organizationId);
    const seen = await analyst.api.get(`/organizations/${organizationId}/analytics/refused`);
    expect(seen.body.data[0]).toMatchObject({ license_id: often.id, customer_email: null });
  });

  test("licenses with many IP addresses or devices on a day are listed with the evidence", async () => {
    const nowMs = await fixture.store.clock();
    const { get, log, addLicense } = await anOrganization();
    const shared = await addLicense();
    const company = await addLicense({ ip_system_enabled: true, max_ips: 20 });
    const normal = await addLicense();
    const dayStart = Math.floor(nowMs / dayMs) * dayMs - 2 * dayMs;
    const uses = (license_id: string, count: number, daysEarlier = 0) =>
      Array.from({ length: count }, (_, at) => ({
        ...{ at: dayStart - daysEarlier * dayMs + at * hourMs, license_id, ip: `198.51.100.${at}` },
        device_id: license_id === shared.id ? `device ${at % 6}` : "one",
      }));
    await log([...uses(shared.id, 7), ...uses(company.id, 7), ...uses(normal.id, 4)]);
    // In the 30 days before, two of which have signs.
    await log([...uses(shared.id, 6, 35), ...uses(shared.id, 9, 40), ...uses(shared.id, 3, 45)]);
    await log([...uses(shared.id, 9, 70), ...uses(normal.id, 9, 35)]);
    const { data, has_places } = await get("/sharing");
    expect(has_places).toBe(false);
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      ...{ license_id: shared.id, reasons: ["many_ips", "many_devices"], ips: 7, devices: 6, days: 1 },
      ...{ previous_days: 2, last_day: time(dayStart), travel: null },
    });
    expect(data[0].sample_ips).toContainEqual({ ip: "198.51.100.3", device_ids: ["device 3"] });
  });

  test("new, active, expiring and churned licenses are counted over the range and before it", async () => {
    const { get, log, addLicense, owner, productId } = await anOrganization();
    const nowMs = await fixture.store.clock();
    const soon = await addLicense({ expires_at: time(nowMs + 3 * dayMs) });
    const later = await addLicense({ expires_at: time(nowMs + 60 * dayMs) });
    const gone = await addLicense();
    expect((await owner.api.post(`/licenses/${gone.id}/revoke`, { reason: "Refund" })).status).toBe(200);
    const ended = await addLicense({ expires_at: time(nowMs + dayMs) });
    await fixture.store.transaction((db) =>
      db
        .updateTable("licenses")
        .set({ expires_at: nowMs - 2 * hourMs, created_at: nowMs - 10 * dayMs })
        .where("id", "=", String(ended.id))
        .execute(),
    );
    await log([
      { at: nowMs - hourMs, license_id: String(soon.id) },
      { at: nowMs - hourMs, license_id: String(gone.id), status: "revoked" },
      { at: nowMs - 9 * dayMs, license_id: String(later.id) },
    ]);
    const week = { from: time(nowMs - 7 * dayMs), product_id: productId };
    const { totals, previous, expiring } = await get("/licenses", week);
    expect(totals).toMatchObject({ new: 3, active: 1, stopped: 1, expired: 1, revoked: 1, churned: 2 });
    expect(previous).toMatchObject({ new: 1, active: 1, stopped: 0, churned: 0 });
    expect(expiring).toMatchObject({ count: 1, previous_count: 1 });
    expect((await get("/licenses", { from: week.from })).totals).toEqual(totals);
  });

  test("each table can be exported as CSV", async () => {
    const nowMs = await fixture.store.clock();
    const { owner, path, log, addLicense, productId } = await anOrganization();
    const license = await addLicense();
    await log([{ at: nowMs - dayMs, license_id: String(license.id), status: "expired", version: "=1" }]);
    const csv = async (table: string) => {
      const query = new URLSearchParams({ table, product_id: productId, interval: "day" });
      const { status, text, headers } = await owner.api.get(`${path}/analytics/export?${query}`);
      expect(status, text).toBe(200);
      expect(headers.get("content-type")).toStartWith("text/csv");
      return text.split("\r\n").map((line) => line.split(","));
    };
    const requests = await csv("requests");
    expect(requests[0]?.slice(0, 3)).toEqual(["period", "from", "to"]);
    expect(requests.at(-2)?.[0]).toBe("previous");
    expect(requests[0]?.at(-1)).toBe("expired");
    expect(requests.slice(1).filter((line) => line.at(-1) === "1")).toHaveLength(1);
    expect((await csv("versions")).some((line) => line[3] === "'=1" && line[5] === "1")).toBe(true);
    expect(await csv("countries")).toHaveLength(2);
    expect((await csv("licenses"))[1]?.[0]).toBe("range");
    expect((await csv("refused"))[1]?.[0]).toBe(String(license.id));
    expect(await csv("sharing")).toHaveLength(2);
    expect((await csv("outcomes"))[1]).toEqual(["expired", "1", "0"]);
    expect((await csv("quota"))[1]?.slice(0, 3)).toEqual([productId, "Plugin", "0"]);
  });

  test("requests of a deleted product still count, and its licenses are in no list", async () => {
    const nowMs = await fixture.store.clock();
    const { owner, path, get, log, addProduct, addLicense, productId } = await anOrganization();
    const other = await addProduct("Second");
    const [gone, left] = [await addLicense(), await addLicense({}, other)];
    const uses = (license: { id: string }, product_id: string, count: number) =>
      Array.from({ length: 7 }, (_, at) => ({
        ...{ at: nowMs - dayMs, license_id: license.id, product_id, status: "expired", count },
        // A request is found by the time in its ID.
        ...{ id: uuidSource(() => nowMs - dayMs, randomFillSync)(), ip: `198.51.100.${at}` },
      }));
    await log([...uses(gone, productId, 9), ...uses(left, other, 1)]);
    const deleted = await owner.api.delete(`/products/${productId}`);
    expect(deleted.status, deleted.text).toBe(204);
    const totals = async () => (await get("")).totals;
    expect(await totals()).toMatchObject({ requests: 70, outcomes: { expired: 70 }, unique_licenses: 2 });
    for (const list of ["/refused", "/sharing"]) {
      const { data } = await get(list, { limit: "1" });
      expect(data).toMatchObject([{ license_id: left.id, product_name: "Second" }]);
    }
    expect((await get("")).quota).toMatchObject([{ product_id: other }]);
    const { body } = await owner.api.get(`${path}/requests?product_id=${productId}`);
    expect(body.data).toHaveLength(7);
    expect(body.data[0]).toMatchObject({ license_id: gone.id, license_key: null, product_name: "Plugin" });
    const explained = await owner.api.get(`${path}/requests/${body.data[0].id}/explain`);
    expect(explained.body).toMatchObject({ outcome: "product_not_found", unrepeatable: "product_deleted" });
    expect((await owner.api.get(`${path}/requests?license_id=${gone.id}`)).body.data).toHaveLength(7);
    expect((await owner.api.get(`${path}/ips/198.51.100.1/licenses`)).body.data).toEqual([]);
    expect((await owner.api.get(`/licenses/${gone.id}`)).status).toBe(404);
  });

  test("a wrong range, too many buckets and a foreign product are refused", async () => {
    const { owner, path } = await anOrganization();
    const nowMs = await fixture.store.clock();
    const refusal = async (query: Record<string, string>) =>
      (await owner.api.get(`${path}/analytics?${new URLSearchParams(query)}`)).body.code;
    expect(await refusal({ from: time(nowMs), to: time(nowMs - dayMs) })).toBe("range_empty");
    expect(await refusal({ from: time(nowMs - 60 * dayMs), interval: "hour" })).toBe("too_many_buckets");
    expect(await refusal({ product_id: fixture.productId })).toBe("product_not_found");
    expect(await refusal({ time_zone: "Europe/Atlantis" })).toBe("invalid");
    const member = await fixture.member(["licenses:view", "requests:view"]);
    const { status, body } = await member.api.get(`/organizations/${fixture.organizationId}/analytics`);
    expect([status, body.code]).toEqual([403, "permission_missing"]);
  });
});
