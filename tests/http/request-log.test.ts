import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { RequestLogRow } from "@countersign/store/tables";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

describe.each(on("sqlite"))("the request log on $kind", ({ make }) => {
  let fixture: PublicApiFixture;
  beforeAll(async () => {
    fixture = await openPublicApiFixture(make, {}, { why: "is stopped" });
  });
  afterAll(() => fixture.close());

  const organization = async (options: Parameters<typeof openTestOrganization>[1] = {}) => {
    const { store } = fixture.org;
    const org = await openTestOrganization(null, { store, ...options });
    return { org, api: apiOf(fixture.server.url, org.apiKey) };
  };
  const logged = async (organizationId: string, count: number): Promise<RequestLogRow[]> => {
    let rows: RequestLogRow[] = [];
    await until("the requests are in the log", async () => {
      rows = await requestLog(fixture.org.store, { organization_id: organizationId });
      return rows.length >= count;
    });
    return rows;
  };

  test("has a body that is too large and a lookup that cannot match, without a license", async () => {
    const { org, api } = await organization();
    const large = await api.validateRaw("x".repeat(20_000));
    const impossible = await api.lookup("?");
    expect([large.status, impossible.status]).toEqual([413, 404]);
    const rows = await logged(org.organizationId, 2);
    const shared = {
      ...{ product_id: org.productId, license_id: null, ip: "127.0.0.1" },
      ...{ count: 1, sandbox: 0, facts: null },
    };
    expect(rows.toSorted((a, b) => (a.endpoint < b.endpoint ? -1 : 1))).toEqual([
      expect.objectContaining({
        ...{ ...shared, id: String(impossible.headers.get("x-request-id")) },
        ...{ endpoint: "lookup", status: "not_found" },
      }),
      expect.objectContaining({
        ...{ ...shared, id: String(large.headers.get("x-request-id")) },
        ...{ endpoint: "validate", status: "body_too_large" },
      }),
    ]);
    for (const { duration_us: duration } of rows) {
      expect(duration).toBeGreaterThan(0);
      expect(duration).toBeLessThan(60_000_000);
    }
  });

  test("has what a refusal was based on", async () => {
    const { org, api } = await organization();
    const expires = Date.UTC(2020, 0, 1);
    const { key } = await org.license({ expiresAtMs: expires, maxIps: 4 });
    const { key: valid } = await org.license();
    await api.validate({ license_key: key, version: "1.2" });
    await api.validate({ license_key: valid });
    await api.validate({ license_key: "AAAA-BBBB-CCCC-DDDD" });
    const rows = await logged(org.organizationId, 3);
    const facts = new Map(rows.map((row) => [row.status, row.facts]));
    expect(facts.get("active")).toBeNull();
    expect(facts.get("license_not_found")).toBeNull();
    expect(JSON.parse(facts.get("expired") ?? "null")).toMatchObject({
      expires: new Date(expires).toISOString(),
      max_ips: 4,
      ip_count: 0,
    });
  });

  test("has one entry for many requests beyond the daily limit, and loses none when the server stops", async () => {
    const { org, api } = await organization({ dailyLimit: 0 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => api.validate({ license_key: "A" })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    await fixture.server.stop();
    const rows = await requestLog(fixture.org.store, { organization_id: org.organizationId });
    expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(40);
    // Two each, in at most two minutes.
    expect(rows.length).toBeLessThanOrEqual(4);
    expect(new Set(rows.map((row) => row.status))).toEqual(new Set(["rate_limit_exceeded"]));
    const ids = new Set(answers.map(({ headers }) => headers.get("x-request-id")));
    for (const row of rows) {
      expect(ids.has(row.id)).toBeTrue();
      expect(row).toMatchObject({ product_id: org.productId, endpoint: "validate", ip: "127.0.0.1" });
      expect(row.duration_us).toBeGreaterThan(0);
    }
  });
});
