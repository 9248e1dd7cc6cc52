import { expect, test } from "bun:test";
import { recurringRevenue, type SubscriptionSum, trialCount } from "./revenue.ts";

const sums: readonly SubscriptionSum[] = [
  { currency: "usd", interval: "month", status: "active", amount: 5800, count: 2 },
  { currency: "usd", interval: "year", status: "active", amount: 29_000, count: 1 },
  { currency: "usd", interval: "month", status: "trialing", amount: 2900, count: 3 },
  { currency: "usd", interval: "month", status: "past_due", amount: 2900, count: 1 },
  { currency: "usd", interval: "month", status: "canceled", amount: 2900, count: 1 },
  { currency: "eur", interval: "year", status: "active", amount: 12_000, count: 1 },
];

test("only paid subscriptions count, and a yearly price counts a twelfth", () => {
  expect(recurringRevenue(sums)).toEqual([
    { currency: "usd", monthly_amount: 8217, subscription_count: 3 },
    { currency: "eur", monthly_amount: 1000, subscription_count: 1 },
  ]);
  expect(trialCount(sums)).toBe(3);
  expect(recurringRevenue([])).toEqual([]);
});
