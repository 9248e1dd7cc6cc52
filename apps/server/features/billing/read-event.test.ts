import { expect, test } from "bun:test";
import { readEvent } from "./read-event.ts";

const about = (object: unknown) => ({ data: { object } });

test.each<[name: string, event: object, customer: string | null]>([
  ["a subscription", { type: "customer.subscription.updated", ...about({ customer: "cus_1" }) }, "cus_1"],
  ["an expanded customer", { type: "invoice.paid", ...about({ customer: { id: "cus_1" } }) }, "cus_1"],
  ["a checkout", { type: "checkout.session.completed", ...about({ customer: "cus_1" }) }, "cus_1"],
  [
    "a deleted customer",
    { type: "customer.deleted", ...about({ object: "customer", id: "cus_1" }) },
    "cus_1",
  ],
  ["another account", { type: "invoice.paid", account: "acct_1", ...about({ customer: "cus_1" }) }, null],
  ["something else", { type: "charge.succeeded", ...about({ customer: "cus_1" }) }, null],
  ["no customer", { type: "checkout.session.completed", ...about({ customer: null }) }, null],
  ["a number", { type: "invoice.paid", ...about({ customer: 1 }) }, null],
  ["an ID that is none", { type: "invoice.paid", ...about({ customer: "cus\0" }) }, null],
  ["a list", { type: "invoice.paid", ...about([]) }, null],
  ["nothing", { type: "invoice.paid", data: null }, null],
])("an event about %s", (_, event, customerId) => {
  expect(readEvent({ id: "evt_1", ...event })).toMatchObject({ id: "evt_1", customerId });
});

test.each([
  [null],
  [1],
  ["evt"],
  [[]],
  [{}],
  [{ id: 1, type: "a" }],
  [{ id: "evt_1" }],
  [{ id: "", type: "a" }],
])("%j is not an event", (value) => {
  expect(readEvent(value)).toBeNull();
});
