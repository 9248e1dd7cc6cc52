import { expect, test } from "bun:test";
import type Stripe from "stripe";
import { customerNamedBy } from "./event-customer.ts";

test.each<[name: string, event: object, customer: string | null]>([
  [
    "a subscription",
    { type: "customer.subscription.updated", data: { object: { customer: "cus_1" } } },
    "cus_1",
  ],
  [
    "an expanded customer",
    { type: "invoice.paid", data: { object: { customer: { id: "cus_1" } } } },
    "cus_1",
  ],
  ["a checkout", { type: "checkout.session.completed", data: { object: { customer: "cus_1" } } }, "cus_1"],
  [
    "a deleted customer",
    { type: "customer.deleted", data: { object: { object: "customer", id: "cus_1" } } },
    "cus_1",
  ],
  [
    "another account",
    { type: "invoice.paid", account: "acct_1", data: { object: { customer: "cus_1" } } },
    null,
  ],
  ["something else", { type: "charge.succeeded", data: { object: { customer: "cus_1" } } }, null],
  ["no customer", { type: "checkout.session.completed", data: { object: { customer: null } } }, null],
  ["a number", { type: "invoice.paid", data: { object: { customer: 1 } } }, null],
  ["no object", { type: "invoice.paid", data: {} }, null],
  ["no data", { type: "invoice.paid" }, null],
])("an event about %s", (_, event, customer) => {
  expect(customerNamedBy(event as Stripe.Event)).toBe(customer);
});
