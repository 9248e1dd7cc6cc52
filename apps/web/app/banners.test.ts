import { expect, test } from "bun:test";
import { bannersOf } from "./banners.ts";

const nowMs = Date.parse("2026-11-17T12:00:00.000Z");
const noEnd = { grace_ends_at: null, plan_ends_at: null };
const well = { impersonated_until: null, billing_state: "active", ...noEnd } as const;
const overdue = { billing_state: "grace", grace_ends_at: "2026-11-20T00:00:00.000Z" } as const;
const suspended = { billing_state: "suspended" } as const;
const visited = { ...suspended, impersonated_until: "2026-11-17T13:00:00.000Z" };

test.each([
  ["all is well", {}, []],
  ["a payment is overdue", overdue, ["grace"]],
  ["a payment stayed overdue", suspended, ["suspended"]],
  ["the subscription has ended", { billing_state: "cancelled" }, []],
  ["the plan ends in 14 days", { plan_ends_at: "2026-12-01T12:00:00.000Z" }, ["planEnds"]],
  ["the plan ends later", { plan_ends_at: "2026-12-01T12:00:01.000Z" }, []],
  ["a platform admin views it", visited, ["impersonated", "suspended"]],
] as const)("the right banners are shown if %s", (_, changes, banners) => {
  expect(bannersOf({ ...well, ...changes }, nowMs)).toEqual([...banners]);
});
