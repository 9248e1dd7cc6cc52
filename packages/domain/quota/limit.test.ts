import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import { type BillingState, effectivePlan, grant, type Plan } from "./limit.ts";

test.each<[Plan, BillingState, Plan]>([
  ["free", "active", "free"],
  ["enterprise", "active", "enterprise"],
  ["pro", "grace", "pro"],
  ["pro", "suspended", "pro"],
  ["pro", "cancelled", "free"],
  ["enterprise", "cancelled", "free"],
])("for the plan %s with the billing state %s, the limits of %s apply", (plan, billing, applies) =>
  expect(effectivePlan(plan, billing)).toBe(applies),
);

describe("concurrent requests", () => {
  test.each<[why: string, limit: number | null, used: number, asked: number, granted: number]>([
    ["all requests pass while the limit allows them", 10, 3, 5, 5],
    ["as many requests pass as are left", 10, 8, 5, 2],
    ["no request passes when the limit is reached", 10, 10, 5, 0],
    ["no request passes when the limit was lowered below what was used", 10, 50, 5, 0],
    ["no request passes at a limit of 0", 0, 0, 3, 0],
    ["all requests pass without a limit", null, 1_000_000, 5, 5],
  ])("%s", (_why, limit, used, asked, granted) => expect(grant(limit, used, asked)).toBe(granted));

  test("of any sequence of requests, exactly the limit passes, or all of them", () =>
    forAll(100, [fc.nat({ max: 200 }), fc.array(fc.nat({ max: 30 }))], (limit, askers) => {
      const used = askers.reduce((sum, asked) => sum + grant(limit, sum, asked), 0);
      const asked = askers.reduce((sum, one) => sum + one, 0);
      expect(used).toBe(Math.min(limit, asked));
    }));
});
