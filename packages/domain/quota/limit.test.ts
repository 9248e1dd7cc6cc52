import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { forAll } from "../../../tests/support/for-all.ts";
import type { BillingState } from "../validate/facts.ts";
import { effectivePlan, grant, type Plan } from "./limit.ts";

test.each<[Plan, BillingState, Plan]>([
  ["free", "active", "free"],
  ["enterprise", "active", "enterprise"],
  ["pro", "grace", "pro"],
  ["pro", "suspended", "pro"],
  ["pro", "cancelled", "free"],
  ["enterprise", "cancelled", "free"],
])("the plan whose limits apply: %s, billing %s: %s", (plan, billing, applies) =>
  expect(effectivePlan(plan, billing)).toBe(applies),
);

describe("how many of those who ask at once may pass", () => {
  test.each<[why: string, limit: number | null, used: number, asked: number, granted: number]>([
    ["all while there is room", 10, 3, 5, 5],
    ["what is left when it does not fit", 10, 8, 5, 2],
    ["none when it is used up", 10, 10, 5, 0],
    ["none when the limit was lowered below what was used", 10, 50, 5, 0],
    ["none at a limit of none", 0, 0, 3, 0],
    ["all without a limit", null, 1_000_000, 5, 5],
  ])("%s", (_why, limit, used, asked, granted) => expect(grant(limit, used, asked)).toBe(granted));

  test("over any sequence of askers, exactly the limit passes, or everybody", () =>
    forAll(100, [fc.nat({ max: 200 }), fc.array(fc.nat({ max: 30 }))], (limit, askers) => {
      const used = askers.reduce((sum, asked) => sum + grant(limit, sum, asked), 0);
      const asked = askers.reduce((sum, one) => sum + one, 0);
      expect(used).toBe(Math.min(limit, asked));
    }));
});
