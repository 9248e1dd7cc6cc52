import { expect, test } from "bun:test";
import { priceFor, recurringRevenue, type SubscriptionSum, trialCount } from "./subscription.ts";

test("an example price sells nothing for real money before the plan was saved", () => {
  const example = { monthly_price: 2900, yearly_price: 29_000, updated_at: 0 };
  expect([priceFor(example, "month", "test"), priceFor(example, "year", "test")]).toEqual([2900, 29_000]);
  expect(priceFor(example, "month", "live")).toBeNull();
  const saved = { ...example, monthly_price: null, updated_at: 1 };
  expect([priceFor(saved, "year", "live"), priceFor(saved, "month", "live")]).toEqual([29_000, null]);
});

test("only paid subscriptions are revenue, and a yearly price counts a twelfth", () => {
  const sums: readonly SubscriptionSum[] = [
    { currency: "usd", interval: "month", status: "active", amount: 5800, count: 2 },
    { currency: "usd", interval: "year", status: "active", amount: 29_000, count: 1 },
    { currency: "usd", interval: "month", status: "trialing", amount: 2900, count: 3 },
    { currency: "usd", interval: "month", status: "past_due", amount: 2900, count: 1 },
    { currency: "usd", interval: "month", status: "canceled", amount: 2900, count: 1 },
    { currency: "eur", interval: "year", status: "active", amount: 12_000, count: 1 },
  ];
  expect(recurringRevenue(sums)).toEqual([
    { currency: "usd", monthly_amount: 8217, subscription_count: 3 },
    { currency: "eur", monthly_amount: 1000, subscription_count: 1 },
  ]);
  expect(trialCount(sums)).toBe(3);
  expect(recurringRevenue([])).toEqual([]);
});
