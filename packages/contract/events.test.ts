import { describe, expect, test } from "bun:test";
import { eventTypes } from "@countersign/domain/events/types";
import { eventExample, summaryExample } from "./event-examples.ts";
import { eventBody } from "./events.ts";

describe.each([...eventTypes])("the example of %s", (type) => {
  test("matches its schema, with no other members", () => {
    const example = eventExample(type);
    const read = eventBody(type).safeParse(example);
    expect(read.error?.message).toBeUndefined();
    expect(read.data as object).toEqual(example);
  });
});

test("the example of a summary matches its schema, with no other members", () => {
  const read = eventBody("license.ip_limit_reached").safeParse(summaryExample());
  expect(read.data as object).toEqual(summaryExample());
});

test.each([
  ["license.transfer_requested", "approved"],
  ["license.transferred", "pending"],
  ["license.transfer_rejected", "approved"],
  ["license.transfer_cancelled", "rejected"],
] as const)("%s does not accept a transfer in the state %s", (type, state) => {
  const { data } = eventExample(type) as { data: { transfer: object } };
  const other = { ...eventExample(type), data: { ...data, transfer: { ...data.transfer, state } } };
  expect(eventBody(type).safeParse(other).success).toBe(false);
});
