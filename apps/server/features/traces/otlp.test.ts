import { expect, test } from "bun:test";
import type { TraceSettings } from "@countersign/domain/traces/settings";
import { openOtlpReceiver } from "../../../../tests/support/otlp-receiver.ts";
import { openReceiver } from "../../../../tests/support/receiver.ts";
import { otlpExport } from "./otlp.ts";
import type { SpanRecord } from "./span.ts";

const span: SpanRecord = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentId: null,
  name: "job old mail",
  kind: "internal",
  startMs: 1_794_939_616_516.25,
  durationMs: 2.5,
  attributes: { "countersign.job": "old mail" },
  links: [{ traceId: "1".repeat(32), spanId: "2".repeat(16) }],
  failed: true,
};

function settingsFor(url: string, protocol: TraceSettings["protocol"]): TraceSettings {
  const sampler = { followsParent: true, ratio: 1 };
  return { url, protocol, headers: { "x-key": "secret" }, sampler, resource: { "service.name": "test" } };
}

test("a span arrives as JSON, with its times to the nanosecond", async () => {
  const receiver = await openOtlpReceiver();
  const send = await otlpExport(settingsFor(`${receiver.url}/v1/traces`, "http/json"), "node");
  await send([span]);
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
  await receiver.close();
});

test("a span arrives as a protocol buffer", async () => {
  const receiver = await openOtlpReceiver();
  const send = await otlpExport(settingsFor(`${receiver.url}/own/path`, "http/protobuf"), "node");
  await send([span]);
  expect(receiver.requests[0]).toMatchObject({
    path: "/own/path",
    headers: { "content-type": "application/x-protobuf" },
    body: expect.stringContaining("job old mail"),
  });
  await receiver.close();
});

test("an endpoint that refuses spans is an error", async () => {
  const receiver = await openReceiver(() => ({ status: 401 }));
  const send = await otlpExport(settingsFor(receiver.url, "http/json"), "node");
  expect(send([span])).rejects.toThrow();
  await receiver.close();
});
