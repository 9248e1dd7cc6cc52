import { describe, expect, test } from "bun:test";
import type { TraceSettings } from "@countersign/domain/traces/settings";
import { openOtlpReceiver } from "../../../../tests/support/otlp-receiver.ts";
import { openReceiver } from "../../../../tests/support/receiver.ts";
import { until } from "../../../../tests/support/until.ts";
import { RequestSpans, SpanSender } from "./request-traces.ts";
import { SpanQueue } from "./span-queue.ts";
import { type SpanRecord, Tracer } from "./tracer.ts";
import { otlpExport } from "./worker-traces.ts";

const parent = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", isSampled: true };

function tracing(ratio: number, followsParent = true) {
  const kept: SpanRecord[] = [];
  return { kept, tracer: new Tracer({ followsParent, ratio }, (span) => kept.push(span)) };
}

describe("tracers", () => {
  const start = (tracer: Tracer) => tracer.start("job", "internal", null, {});

  test("a tracer starts traces with IDs of their own, of the size that the format requires", () => {
    const { kept, tracer } = tracing(1);
    for (let index = 0; index < 1_000; index++) start(tracer)?.end();
    expect(new Set(kept.map(({ traceId }) => traceId)).size).toBe(1_000);
    expect(new Set(kept.map(({ spanId }) => spanId)).size).toBe(1_000);
    for (const { traceId, spanId } of kept)
      expect(`${traceId}-${spanId}`).toMatch(/^[0-9a-f]{32}-[0-9a-f]{16}$/);
  });

  test("a tracer keeps about the configured share of traces, and none at 0", () => {
    const { kept, tracer } = tracing(0.1);
    for (let index = 0; index < 20_000; index++) start(tracer)?.end();
    expect(kept.length).toBeWithin(1_600, 2_400);
    const none = tracing(0).tracer;
    for (let index = 0; index < 1_000; index++) expect(start(none)).toBeNull();
  });

  test("a tracer lets the caller decide, if it is configured to", () => {
    expect(tracing(0).tracer.start("a", "server", parent, {})).toMatchObject({ traceId: parent.traceId });
    expect(tracing(1).tracer.start("a", "server", { ...parent, isSampled: false }, {})).toBeNull();
    expect(tracing(0, false).tracer.start("a", "server", parent, {})).toBeNull();
    expect(tracing(1, false).tracer.start("a", "server", { ...parent, isSampled: false }, {})).not.toBeNull();
  });

  test("every tracer makes the same choice for the same trace", () => {
    const halves = [tracing(0.5, false).tracer, tracing(0.5, false).tracer];
    for (const traceId of [parent.traceId, `${"0".repeat(18)}${"f".repeat(14)}`, "f".repeat(32)]) {
      const here = halves.map((tracer) => tracer.start("a", "server", { ...parent, traceId }, {}) !== null);
      expect(here[0]).toBe(here[1] as boolean);
    }
  });
});

test("a batch is part of the first sampled request, and linked with the others in both directions", () => {
  const { kept, tracer } = tracing(1);
  const spans = new RequestSpans(tracer, "sqlite");
  const request = (id: string) => spans.request("validate", null, id, performance.now());
  const calls = [{ span: null }, { span: request("1") }, { span: request("2") }, { span: request("3") }];
  const batch = spans.batch(calls);
  batch?.end();
  for (const { span } of calls) span?.end();
  const [ofBatch, first, second, third] = kept;
  expect(ofBatch).toMatchObject({
    parentId: first?.spanId as string,
    traceId: first?.traceId as string,
    attributes: { "countersign.batch_size": 4, "db.system.name": "sqlite" },
  });
  const reference = (span: SpanRecord | undefined) => ({ traceId: span?.traceId, spanId: span?.spanId });
  expect(ofBatch?.links).toEqual([reference(second), reference(third)] as SpanRecord["links"]);
  expect(first?.links).toEqual([]);
  expect(second?.links).toEqual([reference(ofBatch)] as SpanRecord["links"]);
  // A batch without a sampled request is not traced.
  expect(spans.batch([{ span: null }, { span: null }])).toBeNull();
});

const spans = (count: number) => Array.from({ length: count }, () => ({ name: "a" }) as SpanRecord);

test("spans are exported in batches, one at a time", async () => {
  const sizes: number[] = [];
  let running = 0;
  const receiving = async (batch: readonly SpanRecord[]) => {
    running += 1;
    expect(running).toBe(1);
    sizes.push(batch.length);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  const queue = new SpanQueue(receiving, () => {});
  queue.add(spans(1_200));
  await until("all are exported", () => queue.counts.exported === 1_200);
  expect(sizes).toEqual([512, 512, 176]);
  expect(queue.counts.dropped).toBe(0);
  await queue.close();
});

test("a receiver that hangs fills the queue; the rest is dropped, and closing does not wait for it", async () => {
  const queue = new SpanQueue(
    () => new Promise<void>(() => {}),
    () => {},
  );
  queue.add(spans(20_000));
  expect(queue.counts.dropped).toBe(20_000 - 8_192);
  await queue.close();
  queue.add(spans(1));
  expect(queue.counts.dropped).toBe(20_001 - 8_192);
});

test("spans that the receiver refuses are dropped and reported", async () => {
  const failures: number[] = [];
  const queue = new SpanQueue(
    () => Promise.reject(new Error("401")),
    (count) => failures.push(count),
  );
  queue.add(spans(3));
  await queue.close();
  expect(queue.counts).toEqual({ exported: 0, dropped: 3 });
  expect(failures).toEqual([3]);
});

test("the validating thread keeps a bounded number of spans while the worker does not take them", async () => {
  const taken = Promise.withResolvers<void>();
  const sender = new SpanSender(() => taken.promise);
  for (const one of spans(5_000)) sender.keep(one);
  const flushed = sender.flush();
  for (const one of spans(5_000)) sender.keep(one);
  expect(sender.dropped).toBe(10_000 - 8_192);
  taken.reject(new Error("The worker has exited."));
  await flushed;
  expect(sender.dropped).toBe(10_000 - 8_192 + 5_000);
  await sender.flush();
});

test("a span arrives as JSON, with its times to the nanosecond, and as a protocol buffer; a refusal is an error", async () => {
  const span: SpanRecord = {
    traceId: parent.traceId,
    spanId: parent.spanId,
    parentId: null,
    name: "job old mail",
    kind: "internal",
    startMs: 1_794_939_616_516.25,
    durationMs: 2.5,
    attributes: { "countersign.job": "old mail" },
    links: [{ traceId: "1".repeat(32), spanId: "2".repeat(16) }],
    failed: true,
  };
  const receiver = await openOtlpReceiver();
  const send = async (url: string, protocol: TraceSettings["protocol"]) => {
    const sampler = { followsParent: true, ratio: 1 };
    const rest = { headers: { "x-key": "secret" }, sampler, resource: { "service.name": "test" } };
    await (await otlpExport({ url, protocol, ...rest }, "node"))([span]);
  };
  await send(`${receiver.url}/v1/traces`, "http/json");
  expect(receiver.spans()).toMatchObject([
    {
      name: "job old mail",
      kind: 1,
      parentSpanId: null,
      startNanoseconds: 1_794_939_616_516_250_000n,
      endNanoseconds: 1_794_939_616_518_750_000n,
      links: span.links,
      failed: true,
      resource: { "service.name": "test", "service.instance.id": "node" },
    },
  ]);
  expect(receiver.requests[0]?.headers["x-key"]).toBe("secret");
  await send(`${receiver.url}/own/path`, "http/protobuf");
  expect(receiver.requests[1]).toMatchObject({
    path: "/own/path",
    headers: { "content-type": "application/x-protobuf" },
    body: expect.stringContaining("job old mail"),
  });
  await receiver.close();
  const refusing = await openReceiver(() => ({ status: 401 }));
  await expect(send(refusing.url, "http/json")).rejects.toThrow();
  await refusing.close();
});
