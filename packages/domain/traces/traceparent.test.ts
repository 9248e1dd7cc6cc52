import { expect, test } from "bun:test";
import { parseTraceParent, traceParentHeader } from "./traceparent.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";

test.each([
  [`00-${traceId}-${spanId}-01`, true],
  [`00-${traceId}-${spanId}-00`, false],
  [` 00-${traceId}-${spanId}-03 `, true],
  [`01-${traceId}-${spanId}-01-more`, true],
])("the header %s is a position in a trace", (header, isSampled) => {
  expect(parseTraceParent(header)).toEqual({ traceId, spanId, isSampled });
});

test.each([
  null,
  "",
  `00-${traceId}-${spanId}`,
  `00-${traceId}-${spanId}-01-more`,
  `ff-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `01-${traceId}-${spanId}-01-${"x".repeat(300)}`,
])("the header %s is ignored", (header) => expect(parseTraceParent(header)).toBeNull());

test("the header that is sent can be parsed", () =>
  expect(parseTraceParent(traceParentHeader(traceId, spanId))).toEqual({ traceId, spanId, isSampled: true }));
