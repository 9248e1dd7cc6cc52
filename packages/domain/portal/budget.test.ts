import { expect, test } from "bun:test";
import { dayMs } from "../dates/lengths.ts";
import { affordableAt, type Budget, budgetOf, ipRemovalWindowMs, type Spending } from "./budget.ts";

const now = Date.UTC(2030, 5, 15, 12);
const daysAgo = (days: number, count = 1): Spending => ({ atMs: now - days * dayMs, count });
const inDays = (days: number) => now + days * dayMs;

test.each<[name: string, limit: number, spendings: Spending[], expected: Budget]>([
  ["nothing is used", 3, [], { limit: 3, used: 0, left: 3, nextAtMs: null }],
  ["the seller does not offer it", 0, [], { limit: 0, used: 0, left: 0, nextAtMs: null }],
  ["turned off after some were used", 0, [daysAgo(1)], { limit: 0, used: 0, left: 0, nextAtMs: null }],
  ["one is used", 3, [daysAgo(10)], { limit: 3, used: 1, left: 2, nextAtMs: inDays(20) }],
  ["just now", 3, [daysAgo(0)], { limit: 3, used: 1, left: 2, nextAtMs: inDays(30) }],
  ["all are used", 2, [daysAgo(10), daysAgo(4)], { limit: 2, used: 2, left: 0, nextAtMs: inDays(20) }],
  ["in any order", 2, [daysAgo(4), daysAgo(10)], { limit: 2, used: 2, left: 0, nextAtMs: inDays(20) }],
  ["several at once", 5, [daysAgo(10, 4)], { limit: 5, used: 4, left: 1, nextAtMs: inDays(20) }],
  ["30 days ago exactly", 3, [daysAgo(30)], { limit: 3, used: 0, left: 3, nextAtMs: null }],
  [
    "a millisecond less than 30 days ago",
    3,
    [{ atMs: now - 30 * dayMs + 1, count: 1 }],
    { limit: 3, used: 1, left: 2, nextAtMs: now + 1 },
  ],
  ["long ago", 3, [daysAgo(31), daysAgo(400)], { limit: 3, used: 0, left: 3, nextAtMs: null }],
  [
    "by a node whose clock is ahead",
    3,
    [{ atMs: now + 500, count: 1 }],
    { limit: 3, used: 1, left: 2, nextAtMs: inDays(30) + 500 },
  ],
  [
    "the limit was lowered: the first that ends does not yet leave one",
    1,
    [daysAgo(20), daysAgo(10), daysAgo(5)],
    { limit: 1, used: 1, left: 0, nextAtMs: inDays(25) },
  ],
  ["the limit was raised", 9, [daysAgo(20, 3)], { limit: 9, used: 3, left: 6, nextAtMs: inDays(10) }],
])("what is left of a budget of 30 days: %s", (_, limit, spendings, expected) => {
  expect(budgetOf({ limit, windowMs: ipRemovalWindowMs }, spendings, now)).toEqual(expected);
});

test.each<[name: string, limit: number, cost: number, spendings: Spending[], at: number | null]>([
  ["now", 5, 5, [], now],
  ["now, with the rest", 5, 3, [daysAgo(3, 2)], now],
  ["once the first has ended", 5, 4, [daysAgo(10), daysAgo(3)], inDays(20)],
  ["once both have ended", 5, 5, [daysAgo(10), daysAgo(3)], inDays(27)],
  ["never, if it takes more than the limit", 5, 6, [], null],
  ["never, if the seller does not offer it", 0, 1, [], null],
])("when something that takes several is possible: %s", (_, limit, cost, spendings, at) => {
  expect(affordableAt({ limit, windowMs: ipRemovalWindowMs }, spendings, cost, now)).toBe(at);
});
