import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { freshDatabase, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

/** The metrics and labels that dashboards and alerts depend on. */
const metricNames = [
  'countersign_requests_total{endpoint="validate",outcome="active"} 2',
  'countersign_requests_total{endpoint="validate",outcome="license_not_found"} 1',
  'countersign_requests_total{endpoint="validate",outcome="invalid_api_key"} 1',
  'countersign_requests_total{endpoint="lookup",outcome="found"} 1',
  'countersign_requests_total{endpoint="lookup",outcome="not_found"} 1',
  "countersign_quota_refusals_total 0",
  "countersign_batch_size_bucket",
  'countersign_request_duration_seconds_count{endpoint="validate"} 3',
  'countersign_request_duration_seconds_bucket{endpoint="lookup",le="+Inf"} 2',
  "countersign_batch_duration_seconds_bucket",
  'countersign_batch_failures_total{reason="unreachable"} 0',
  'countersign_build_info{version="',
  "countersign_ready 1",
  "countersign_request_log_dropped_total 0",
  "countersign_request_log_failures_total 0",
  "process_resident_memory_bytes",
];

const token = "prometheus-reads-this";

for (const { kind, make } of on("sqlite")) {
  describe(`health on ${kind}`, () => {
    let fixture: PublicApiFixture;
    beforeAll(async () => {
      fixture = await openPublicApiFixture(
        make,
        {},
        { why: "counts all requests of the server", environment: { COUNTERSIGN_METRICS_TOKEN: token } },
      );
    });
    afterAll(() => fixture.close());

    const metrics = (authorization: string | null) =>
      fetch(`${fixture.server.url}/metrics`, { headers: authorization === null ? {} : { authorization } });
    const plain = [
      ["/healthz", "ok\n"],
      ["/readyz", "ready\n"],
    ] as const;
    for (const [path, text] of plain) {
      test(`${path} answers ${text.trim()} and forbids caching`, async () => {
        const response = await fetch(fixture.server.url + path);
        expect(response.status).toBe(200);
        expect(await response.text()).toBe(text);
        expect(response.headers.get("cache-control")).toBe("no-store");
        expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
      });
    }

    test("/metrics counts requests by endpoint and outcome", async () => {
      const { api, org, server } = fixture;
      const { key } = await org.license();
      await api.validate({ license_key: key });
      await api.validate({ license_key: key });
      await api.validate({ license_key: "none" });
      await apiOf(server.url, "wrong").validate({ license_key: key });
      await api.lookup(key);
      await api.lookup("none");
      const response = await metrics(`Bearer ${token}`);
      expect(response.headers.get("content-type")).toStartWith("text/plain");
      const text = await response.text();
      for (const name of metricNames) expect(text).toContain(`\n${name}`);
    });

    test("/metrics contains no license, key or customer", async () => {
      const { key } = await fixture.org.license();
      await fixture.api.validate({ license_key: key });
      const text = await (await metrics(`Bearer ${token}`)).text();
      for (const secret of [key, fixture.org.apiKey, fixture.org.productId, fixture.org.organizationId]) {
        expect(text).not.toContain(secret);
      }
    });

    test.each([
      ["no header", null, 401],
      ["another token", "Bearer prometheus-reads-that", 401],
      ["a prefix of it", "Bearer prometheus", 401],
      ["the token with a suffix", `Bearer ${token}x`, 401],
      ["another scheme", `Basic ${token}`, 401],
      ["an empty token", "Bearer ", 401],
      ["the token", `Bearer ${token}`, 200],
      ["a scheme in lower case", `bearer ${token}`, 200],
    ])("/metrics requires the token: %s", async (_, authorization, status) => {
      const answer = await metrics(authorization);
      expect(answer.status).toBe(status);
      expect((await answer.text()).includes("countersign_requests_total")).toBe(status === 200);
      if (status === 401) expect(answer.headers.get("www-authenticate")).toBe("Bearer");
    });
  });
}

describe("health during a PostgreSQL outage", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  test("readiness and validations return 503 and recover automatically", async () => {
    const url = await freshDatabase(postgres.url);
    const org = await openTestOrganization({ kind: "postgres", url });
    const { key } = await org.license();
    await org.store.close();
    const server = await startServerProcess({ DATABASE_URL: url });
    const api = apiOf(server.url, org.apiKey);
    const readiness = async () => (await fetch(`${server.url}/readyz`)).status;
    expect((await api.validate({ license_key: key })).body.status).toBe("active");

    await postgres.stop();
    await until("readiness is withdrawn", async () => (await readiness()) === 503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    for (const answer of [await api.validate({ license_key: key }), await api.lookup(key)]) {
      expect(answer.status).toBe(503);
      expect(answer.body).toMatchObject({ valid: false, status: "unavailable" });
      expect(answer.headers.get("retry-after")).toBe("1");
    }

    await postgres.start();
    await until("readiness is back", async () => (await readiness()) === 200);
    expect((await api.validate({ license_key: key })).body.status).toBe("active");
    expect(await server.stop()).toBe(0);
  });
});
