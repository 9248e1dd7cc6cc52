import { expect, test } from "bun:test";
import { dayMs } from "../dates/lengths.ts";
import {
  budgetOf,
  canRequestTransfer,
  ipRemovalRefusal,
  ipRemovalWindowMs,
  keyRotationRefusal,
  type SelfServiceFacts,
  type Spending,
} from "./self-service.ts";

const offers = { ipRemovals: 3, keyRotation: true, transfers: "review", hasPendingTransfer: false } as const;
const states = { license: "active", product: "active", sellerIsSuspended: false } as const;
const everything: SelfServiceFacts = { ...states, ...offers };

const cases: [
  name: string,
  change: Partial<SelfServiceFacts>,
  removal: ReturnType<typeof ipRemovalRefusal>,
  rotation: ReturnType<typeof keyRotationRefusal>,
  transfer: boolean,
][] = [
  ["everything is on", {}, null, null, true],
  ["removals are off", { ipRemovals: 0 }, "self_service_off", null, true],
  ["key rotation is off", { keyRotation: false }, null, "self_service_off", true],
  ["transfers are off", { transfers: "off" }, null, null, false],
  ["a transfer is pending", { hasPendingTransfer: true }, null, null, false],
  ["the license is expired", { license: "expired" }, null, "license_is_expired", true],
  ["the license is revoked", { license: "revoked" }, "license_is_revoked", "license_is_revoked", false],
  ["the product is disabled", { product: "disabled" }, "product_not_active", "product_not_active", false],
  ["the product is archived", { product: "archived" }, "product_not_active", "product_not_active", false],
  ["the seller is suspended", { sellerIsSuspended: true }, "seller_suspended", "seller_suspended", false],
];
test.each(cases)("it is decided what customers can do if %s", (_, change, removal, rotation, transfer) => {
  const facts = { ...everything, ...change };
  const found = [ipRemovalRefusal(facts), keyRotationRefusal(facts), canRequestTransfer(facts)];
  expect(found).toEqual([removal, rotation, transfer]);
});

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
