import { expect, test } from "bun:test";
import { eventTypes } from "@countersign/domain/events/types";
import { eventExample } from "./event-examples.ts";
import { eventBody } from "./events.ts";

/** An event that summarizes an hour. */
function summaryExample(): object {
  const { data, ...event } = eventExample("license.ip_limit_reached") as { data: object };
  const summary = {
    count: 4_211,
    ip_count: 90,
    ip_count_is_exact: false,
    first_at: "2031-01-02T02:11:09.004Z",
    last_at: "2031-01-02T02:59:58.731Z",
  };
  return { ...event, data: { ...data, summary } };
}

test.each([
  ...eventTypes.map((type) => [type, eventExample(type)] as const),
  ["license.ip_limit_reached", summaryExample()] as const,
])("the example of %s matches its schema, with no other members", (type, example) => {
  const read = eventBody(type).safeParse(example);
  expect(read.error?.message).toBeUndefined();
  expect(read.data as object).toEqual(example);
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
