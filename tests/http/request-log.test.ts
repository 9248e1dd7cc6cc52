import { expect, setDefaultTimeout, test } from "bun:test";
import type { RequestLogRow } from "@countersign/store/tables";
import { apiOf } from "../support/api.ts";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import { requestLog } from "../support/request-log.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

testsOn(
  "sqlite",
  "the request log",
  (make) => openPublicApiFixture(make, {}, { why: "is stopped" }),
  (fixture) => {
    const organization = async (dailyLimit: number | null = null) => {
      const settings = { version_module_enabled: 1 } as const;
      const org = await openTestOrganization(null, { store: fixture.store, dailyLimit, settings });
      return { org, api: apiOf(fixture.url, org.apiKey) };
    };
    /** By status. */
    const logged = async (organizationId: string, count: number) => {
      let rows: RequestLogRow[] = [];
      await until("the requests are in the log", async () => {
        rows = await requestLog(fixture.store, { organization_id: organizationId });
        return rows.length >= count;
      });
      return Object.fromEntries(rows.map((row) => [row.status, row]));
    };

    test("has requests without a license, and the problem with a body", async () => {
      const { org, api } = await organization();
      const answers = {
        body_too_large: await api.validateRaw("x".repeat(20_000)),
        not_found: await api.lookup("?"),
        license_not_found: await api.validateRaw('{"license_key":5}'),
      };
      const common = {
        ...{ product_id: org.productId, license_id: null, ip: "127.0.0.1", version: null, device_id: null },
        ...{ count: 1, sandbox: 0, facts: null },
      };
      const id = (answer: { headers: Headers }) => String(answer.headers.get("x-request-id"));
      const rows = await logged(org.organizationId, 3);
      expect(rows).toMatchObject({
        body_too_large: { ...common, id: id(answers.body_too_large), endpoint: "validate" },
        not_found: { ...common, id: id(answers.not_found), endpoint: "lookup" },
        license_not_found: {
          ...{ ...common, id: id(answers.license_not_found), endpoint: "validate" },
          problem: "license_key is not a string. Send the license key as a string.",
        },
      });
      for (const { duration_us: duration } of Object.values(rows)) expect(duration).toBeWithin(1, 60_000_000);
    });

    test("has the version and the device, and what a refusal was based on", async () => {
      const { org, api } = await organization();
      const expires = Date.UTC(2020, 0, 1);
      const { key } = await org.license({ expiresAtMs: expires, maxIps: 4 });
      const { key: valid } = await org.license();
      await api.validate({ license_key: key, version: "1.2", device_id: "machine-9" });
      await api.validate({ license_key: valid });
      const { active, expired } = await logged(org.organizationId, 2);
      expect(active?.facts).toBeNull();
      expect(expired).toMatchObject({ version: "1.2", device_id: "machine-9", problem: null });
      expect(JSON.parse(expired?.facts ?? "null")).toMatchObject({
        expires: new Date(expires).toISOString(),
        max_ips: 4,
        ip_count: 0,
      });
    });

    test("has one entry for many requests beyond the daily limit, and loses none when the server stops", async () => {
      const { org, api } = await organization(0);
      const answers = await Promise.all(Array.from({ length: 40 }, () => api.validate({ license_key: "A" })));
      await fixture.server.stop();
      const rows = await requestLog(fixture.store, { organization_id: org.organizationId });
      expect(rows.reduce((sum, row) => sum + row.count, 0)).toBe(40);
      // Two each, in at most two minutes.
      expect(rows.length).toBeLessThanOrEqual(4);
      const ids = answers.map(({ headers }) => headers.get("x-request-id"));
      for (const row of rows) {
        expect(ids).toContain(row.id);
        expect(row).toMatchObject({
          ...{ status: "rate_limit_exceeded", product_id: org.productId, endpoint: "validate" },
          ip: "127.0.0.1",
        });
        expect(row.duration_us).toBeGreaterThan(0);
      }
    });
  },
);
