import { expect, test } from "bun:test";
import { bannersOf } from "./banners.ts";

const nowMs = Date.parse("2026-11-17T12:00:00.000Z");
const well = {
  impersonated_until: null,
  billing_state: "active",
  grace_ends_at: null,
  plan_ends_at: null,
} as const;

test.each([
  ["nothing to say", well, []],
  [
    "a payment is overdue",
    { ...well, billing_state: "grace", grace_ends_at: "2026-11-20T00:00:00.000Z" },
    ["grace"],
  ],
  ["it stayed overdue", { ...well, billing_state: "suspended" }, ["suspended"]],
  ["the subscription has ended", { ...well, billing_state: "cancelled" }, []],
  ["the plan ends in 14 days", { ...well, plan_ends_at: "2026-12-01T12:00:00.000Z" }, ["planEnds"]],
  ["the plan ends later", { ...well, plan_ends_at: "2026-12-01T12:00:01.000Z" }, []],
  [
    "a platform admin looks at it",
    { ...well, impersonated_until: "2026-11-17T13:00:00.000Z", billing_state: "suspended" },
    ["impersonated", "suspended"],
  ],
] as const)("%s", (_, organization, banners) => {
  expect(bannersOf(organization, nowMs)).toEqual([...banners]);
});
