import { describe, expect, test } from "bun:test";
import { RequestSpans } from "./request-spans.ts";
import type { SpanRecord } from "./span.ts";
import { Tracer } from "./tracer.ts";

const parent = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", isSampled: true };

function tracing(ratio: number, followsParent = true) {
  const kept: SpanRecord[] = [];
  return { kept, tracer: new Tracer({ followsParent, ratio }, (span) => kept.push(span)) };
}

describe("a tracer", () => {
  test("starts traces with IDs of their own, of the size that the format requires", () => {
    const { kept, tracer } = tracing(1);
    for (let index = 0; index < 1_000; index++) tracer.start("job", "internal", null, {})?.end();
    expect(new Set(kept.map(({ traceId }) => traceId)).size).toBe(1_000);
    expect(new Set(kept.map(({ spanId }) => spanId)).size).toBe(1_000);
    for (const { traceId, spanId } of kept)
      expect(`${traceId}-${spanId}`).toMatch(/^[0-9a-f]{32}-[0-9a-f]{16}$/);
  });

  test("keeps about the configured share", () => {
    const { kept, tracer } = tracing(0.1);
    for (let index = 0; index < 20_000; index++) tracer.start("job", "internal", null, {})?.end();
    expect(kept.length).toBeGreaterThan(1_600);
    expect(kept.length).toBeLessThan(2_400);
  });

  test("keeps nothing at 0", () => {
    const { tracer } = tracing(0);
    for (let index = 0; index < 1_000; index++) expect(tracer.start("job", "internal", null, {})).toBeNull();
  });

  test("lets the caller decide, if it is configured to", () => {
    expect(tracing(0).tracer.start("a", "server", parent, {})).toMatchObject({ traceId: parent.traceId });
    expect(tracing(1).tracer.start("a", "server", { ...parent, isSampled: false }, {})).toBeNull();
    expect(tracing(0, false).tracer.start("a", "server", parent, {})).toBeNull();
    expect(tracing(1, false).tracer.start("a", "server", { ...parent, isSampled: false }, {})).not.toBeNull();
  });

  test("makes the same choice for the same trace everywhere", () => {
    const halves = [tracing(0.5, false).tracer, tracing(0.5, false).tracer];
    for (const traceId of [
      parent.traceId,
      `${"0".repeat(18)}${"f".repeat(14)}`,
      `${"f".repeat(18)}${"0".repeat(14)}`,
    ]) {
      const [here, there] = halves.map(
        (tracer) => tracer.start("a", "server", { ...parent, traceId }, {}) !== null,
      );
      expect(here).toBe(there as boolean);
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
});

test("a batch without a sampled request is not traced", () => {
  const { tracer } = tracing(1);
  expect(new RequestSpans(tracer, "postgres").batch([{ span: null }, { span: null }])).toBeNull();
});
