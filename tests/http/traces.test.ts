import { expect, setDefaultTimeout, test } from "bun:test";
import type { TestedDatabase } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { openOtlpReceiver, type ReceivedSpan } from "../support/otlp-receiver.ts";
import { openReceiver } from "../support/receiver.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";
import { makeEndpoint } from "../support/webhooks.ts";

setDefaultTimeout(120_000);

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const callerSpanId = "00f067aa0ba902b7";
const traceparent = `00-${traceId}-${callerSpanId}-01`;

/** A server that sends its traces to a collector, which a test reads. */
async function openTracedServer(make: TestedDatabase["make"]) {
  const collector = await openOtlpReceiver();
  const fixture = await openManageFixture(make, {
    why: "sends traces",
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
      OTEL_SERVICE_NAME: "license-server",
    },
  });
  const close = async () => {
    await fixture.close();
    await collector.close();
  };
  return { ...fixture, collector, close, licenseKey: await newLicense(fixture) };
}

async function newLicense({ owner, productId }: ManageFixture): Promise<string> {
  const customer = { customer_email: "ada@example.com" };
  return (await owner.api.post(`/products/${productId}/licenses`, customer)).body.license_key;
}

// What happens while the collector is down is tested in metrics.test.ts.
testsOn("sqlite", "traces", openTracedServer, (fixture) => {
  const arrived = async (what: string, isIt: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> => {
    await until(`${what} arrives`, () => fixture.collector.spans().some(isIt));
    return fixture.collector.spans().find(isIt) as ReceivedSpan;
  };
  const isOf =
    ({ headers }: { headers: Headers }) =>
    ({ attributes }: ReceivedSpan) =>
      attributes["countersign.request_id"] === headers.get("x-request-id");
  const spanOf = (answer: { headers: Headers }) => arrived("the request", isOf(answer));

  test("a validation continues the caller's trace, and its batch is part of it", async () => {
    const { publicApi, licenseKey, collector } = fixture;
    const span = await spanOf(await publicApi.validate({ license_key: licenseKey }, { traceparent }));
    expect(span).toMatchObject({
      name: "POST /api/v1/validate",
      kind: 2,
      traceId,
      parentSpanId: callerSpanId,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/api/v1/validate",
        "http.response.status_code": 200,
        "countersign.outcome": "active",
      },
      resource: { "service.name": "license-server", "service.version": expect.any(String) },
      failed: false,
    });
    const batch = await arrived("the batch", (one) => one.parentSpanId === span.spanId);
    expect(batch).toMatchObject({ name: "database batch", kind: 3, traceId });
    expect(batch.startNanoseconds).toBeGreaterThanOrEqual(span.startNanoseconds);
    expect(batch.endNanoseconds).toBeLessThanOrEqual(span.endNanoseconds);
    expect(Math.abs(Number(span.startNanoseconds / 1_000_000n) - Date.now())).toBeLessThan(600_000);
    expect(collector.requests[0]).toMatchObject({ path: "/v1/traces", headers: { "x-tenant": "a b" } });
  });

  test("a caller that does not sample is not traced; one without a valid header starts a new trace", async () => {
    const { publicApi, licenseKey, collector } = fixture;
    const unsampled = await publicApi.lookup(licenseKey, { traceparent: traceparent.replace(/1$/, "0") });
    const span = await spanOf(await publicApi.lookup("none", { traceparent: "00-0-x-01" }));
    expect(span).toMatchObject({
      name: "GET /api/v1/license/{key}",
      parentSpanId: null,
      attributes: { "countersign.outcome": "not_found", "http.response.status_code": 404 },
      failed: false,
    });
    expect(span.traceId).not.toBe(traceId);
    expect(collector.spans().some(isOf(unsampled))).toBe(false);
  });

  test("a management request is named after its route", async () => {
    const answer = await fixture.owner.api.get(`/products/${fixture.productId}`, { traceparent });
    expect(await spanOf(answer)).toMatchObject({
      name: "GET /api/manage/v1/products/{product_id}",
      kind: 2,
      traceId,
      parentSpanId: callerSpanId,
      attributes: { "countersign.api": "manage", "http.response.status_code": 200 },
    });
  });

  test("the receiver of a webhook gets the position in its trace", async () => {
    const endpoint = await openReceiver();
    await makeEndpoint(fixture.store, fixture.organizationId, endpoint.url);
    await newLicense(fixture);
    const { id, headers } = await endpoint.arrival("a webhook", () => true);
    const [, ofTrace, ofSpan] = String(headers.traceparent).split("-");
    expect(await arrived("the delivery", (span) => span.spanId === ofSpan)).toMatchObject({
      name: "POST webhook",
      kind: 3,
      traceId: ofTrace,
      parentSpanId: null,
      attributes: { "countersign.webhook_id": id, "http.response.status_code": 200 },
      failed: false,
    });
    await endpoint.close();
  });

  test("periodic jobs are traced", async () => {
    const span = await arrived("a job", ({ name }) => name.startsWith("job "));
    const name = `job ${span.attributes["countersign.job"]}`;
    expect(span).toMatchObject({ kind: 1, parentSpanId: null, name });
  });

  test("spans that are left are exported when the server stops, and none contains a key, a customer or an ID of the organization", async () => {
    const answer = await fixture.publicApi.validate({ license_key: "none" });
    await fixture.server.stop();
    expect(fixture.collector.spans().some(isOf(answer))).toBe(true);
    const everything = fixture.collector.requests.map(({ body }) => body).join("\n");
    const { licenseKey, apiKey, organizationId, productId } = fixture;
    for (const text of [licenseKey, apiKey, organizationId, productId, "127.0.0.1", "ada@example.com"])
      expect(everything).not.toContain(text);
  });
});
