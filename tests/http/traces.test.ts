import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { apiOf } from "../support/api.ts";
import { on, sqlite } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from "../support/otlp-receiver.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";
import { allowLoopback, makeEndpoint } from "../support/webhooks.ts";

setDefaultTimeout(120_000);

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const callerSpanId = "00f067aa0ba902b7";

describe.each(on("sqlite"))("traces on $kind", ({ kind, make }) => {
  let collector: OtlpReceiver;
  let endpoint: Receiver;
  let fixture: ManageFixture;
  let licenseKey: string;
  beforeAll(async () => {
    collector = await openOtlpReceiver();
    endpoint = await openReceiver();
    fixture = await openManageFixture(make, {
      why: "sends traces",
      environment: {
        ...allowLoopback,
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=a%20b",
        OTEL_SERVICE_NAME: "license-server",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
      },
    });
    licenseKey = await newLicense();
  });
  afterAll(async () => {
    await fixture.close();
    await endpoint.close();
    await collector.close();
  });

  const newLicense = async () => {
    const customer = { customer_email: "ada@example.com" };
    const { body } = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, customer);
    return String(body.license_key);
  };
  const arrived = async (what: string, isIt: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> => {
    await until(`${what} arrives`, () => collector.spans().some(isIt));
    return collector.spans().find(isIt) as ReceivedSpan;
  };

  test("a validation continues the caller's trace, and its batch is part of it", async () => {
    const traceparent = `00-${traceId}-${callerSpanId}-01`;
    const answer = await fixture.publicApi.validate({ license_key: licenseKey }, { traceparent });
    const requestId = answer.headers.get("x-request-id");
    const span = await arrived(
      "the request",
      (one) => one.attributes["countersign.request_id"] === requestId,
    );
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
      resource: {
        "service.name": "license-server",
        "deployment.environment.name": "test",
        "service.version": expect.any(String),
        "service.instance.id": expect.any(String),
      },
      failed: false,
    });
    const batch = await arrived("the batch", (one) => one.parentSpanId === span.spanId);
    expect(batch).toMatchObject({
      name: "database batch",
      kind: 3,
      traceId,
      attributes: {
        "db.system.name": kind === "postgres" ? "postgresql" : "sqlite",
        "countersign.batch_size": 1,
      },
    });
    expect(batch.startNanoseconds).toBeGreaterThanOrEqual(span.startNanoseconds);
    expect(batch.endNanoseconds).toBeLessThanOrEqual(span.endNanoseconds);
    expect(Math.abs(Number(span.startNanoseconds / 1_000_000n) - Date.now())).toBeLessThan(600_000);
    expect(collector.requests[0]?.headers["x-tenant"]).toBe("a b");
    expect(collector.requests[0]?.path).toBe("/v1/traces");
  });

  test("a caller that does not sample is not traced; one without a valid header starts a new trace", async () => {
    const unsampled = await fixture.publicApi.lookup(licenseKey, {
      traceparent: `00-${traceId}-${callerSpanId}-00`,
    });
    const invalid = await fixture.publicApi.lookup("none", { traceparent: `00-${"0".repeat(32)}-x-01` });
    const span = await arrived(
      "the lookup",
      (one) => one.attributes["countersign.request_id"] === invalid.headers.get("x-request-id"),
    );
    expect(span).toMatchObject({
      name: "GET /api/v1/license/{key}",
      parentSpanId: null,
      attributes: { "countersign.outcome": "not_found", "http.response.status_code": 404 },
      failed: false,
    });
    expect(span.traceId).not.toBe(traceId);
    const ids = collector.spans().map((one) => one.attributes["countersign.request_id"]);
    expect(ids).not.toContain(unsampled.headers.get("x-request-id"));
  });

  test("a management request is named after its route", async () => {
    const response = await fetch(`${fixture.server.url}/api/manage/v1/products/${fixture.productId}`, {
      headers: {
        authorization: `Bearer ${fixture.owner.token}`,
        traceparent: `00-${traceId}-${callerSpanId}-01`,
      },
    });
    const requestId = response.headers.get("x-request-id");
    const span = await arrived(
      "the request",
      (one) => one.attributes["countersign.request_id"] === requestId,
    );
    expect(span).toMatchObject({
      name: "GET /api/manage/v1/products/{product_id}",
      kind: 2,
      traceId,
      parentSpanId: callerSpanId,
      attributes: {
        "countersign.api": "manage",
        "countersign.route": expect.any(String),
        "http.response.status_code": 200,
      },
    });
  });

  test("the receiver of a webhook gets the position in its trace", async () => {
    await makeEndpoint(fixture.store, fixture.organizationId, endpoint.url);
    await newLicense();
    await until("the webhook arrives", () => endpoint.received.length > 0);
    const [received] = endpoint.received;
    const [, ofTrace, ofSpan] = String(received?.headers.traceparent).split("-");
    const span = await arrived("the delivery", (one) => one.spanId === ofSpan);
    expect(span).toMatchObject({
      name: "POST webhook",
      kind: 3,
      traceId: ofTrace,
      parentSpanId: null,
      attributes: { "countersign.webhook_id": received?.id, "http.response.status_code": 200 },
      failed: false,
    });
  });

  test("periodic jobs are traced", async () => {
    const span = await arrived("a job", (one) => one.name.startsWith("job "));
    expect(span).toMatchObject({
      kind: 1,
      parentSpanId: null,
      name: `job ${span.attributes["countersign.job"]}`,
    });
  });

  test("no span contains a license key, an API key, an organization, a product or an IP address", async () => {
    const everything = collector.requests.map(({ body }) => body).join("\n");
    const { apiKey, organizationId, productId } = fixture;
    for (const text of [licenseKey, apiKey, organizationId, productId, "127.0.0.1", "ada@example.com"])
      expect(everything).not.toContain(text);
  });

  test("spans that are left are exported when the server stops", async () => {
    const answer = await fixture.publicApi.validate({ license_key: "none" });
    await fixture.server.stop();
    const ids = collector.spans().map((one) => one.attributes["countersign.request_id"]);
    expect(ids).toContain(answer.headers.get("x-request-id"));
  });
});

test("while the endpoint is down, requests are answered, spans are dropped and counted, and the server stops in time", async () => {
  const closed = await openReceiver();
  await closed.close();
  const fixture = await openManageFixture(sqlite.make, {
    why: "sends traces",
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: closed.url },
  });
  try {
    const dropped = async () => {
      const text = await (await fetch(`${fixture.server.url}/metrics`)).text();
      return Number(/^countersign_trace_spans_dropped_total (\d+)$/m.exec(text)?.[1]);
    };
    expect(await dropped()).toBe(0);
    const api = apiOf(fixture.server.url, fixture.apiKey);
    await until("spans are dropped", async () => {
      const answer = await api.validate({ license_key: "none" });
      expect(answer.body.status).toBe("license_not_found");
      return (await dropped()) > 0;
    });
    await until("the log says so", () =>
      fixture.server.output().includes("Traces could not be exported. They were dropped."),
    );
    expect(await fixture.server.stop()).toBe(0);
  } finally {
    await fixture.close();
  }
});
