import { expect, test } from "bun:test";
import { dayMs } from "../dates/lengths.ts";
import { affordableAt, budgetOf, ipRemovalWindowMs, type Spending } from "./budget.ts";

const now = Date.UTC(2030, 5, 15, 12);
const daysAgo = (days: number, count = 1): Spending => ({ atMs: now - days * dayMs, count });
const inDays = (days: number) => now + days * dayMs;

type Row = [name: string, limit: number, spendings: Spending[], used: number, nextAtMs: number | null];
test.each<Row>([
  ["nothing is used", 3, [], 0, null],
  ["the seller does not offer it", 0, [], 0, null],
  ["it was turned off after some were used", 0, [daysAgo(1)], 0, null],
  ["one is used", 3, [daysAgo(10)], 1, inDays(20)],
  ["one was used just now", 3, [daysAgo(0)], 1, inDays(30)],
  ["all are used", 2, [daysAgo(10), daysAgo(4)], 2, inDays(20)],
  ["the uses are in any order", 2, [daysAgo(4), daysAgo(10)], 2, inDays(20)],
  ["several were used at once", 5, [daysAgo(10, 4)], 4, inDays(20)],
  ["one was used exactly 30 days ago", 3, [daysAgo(30)], 0, null],
  ["one was used almost 30 days ago", 3, [{ atMs: now - 30 * dayMs + 1, count: 1 }], 1, now + 1],
  ["all were used long ago", 3, [daysAgo(31), daysAgo(400)], 0, null],
  ["a node's clock is ahead", 3, [{ atMs: now + 500, count: 1 }], 1, inDays(30) + 500],
  // The first that ends does not yet leave one.
  ["the limit was lowered", 1, [daysAgo(20), daysAgo(10), daysAgo(5)], 1, inDays(25)],
  ["the limit was raised", 9, [daysAgo(20, 3)], 3, inDays(10)],
])("the rest of a budget of 30 days is known if %s", (_, limit, spendings, used, nextAtMs) => {
  const budget = budgetOf({ limit, windowMs: ipRemovalWindowMs }, spendings, now);
  expect(budget).toEqual({ limit, used, left: limit - used, nextAtMs });
});

test.each<[name: string, limit: number, cost: number, spendings: Spending[], at: number | null]>([
  ["now", 5, 5, [], now],
  ["now, with the rest", 5, 3, [daysAgo(3, 2)], now],
  ["once the first has ended", 5, 4, [daysAgo(10), daysAgo(3)], inDays(20)],
  ["once both have ended", 5, 5, [daysAgo(10), daysAgo(3)], inDays(27)],
  ["never, if it takes more than the limit", 5, 6, [], null],
  ["never, if the seller does not offer it", 0, 1, [], null],
])("an action that takes several uses is possible %s", (_, limit, cost, spendings, at) => {
  expect(affordableAt({ limit, windowMs: ipRemovalWindowMs }, spendings, cost, now)).toBe(at);
});
