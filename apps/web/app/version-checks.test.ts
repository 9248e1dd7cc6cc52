import { expect, test } from "bun:test";
import type { Plan } from "./plan.ts";
import { versionChecksOf } from "./version-checks.ts";

const plans = [
  { plan: "free", version_module: false },
  { plan: "pro", version_module: true },
] as Plan[];
const free = {
  plan: "free",
  billing_state: "active",
  had_version_module: false,
  version_checks_on_downgrade: "enforce",
} as const;

test.each([
  ["never on a plan that includes them", free, "off"],
  ["on a plan that includes them", { ...free, plan: "pro" as const, had_version_module: true }, "included"],
  ["after a downgrade", { ...free, had_version_module: true }, "enforced"],
  [
    "after a downgrade, if only reports are wanted",
    { ...free, had_version_module: true, version_checks_on_downgrade: "report" as const },
    "reported",
  ],
  [
    "after the subscription has ended",
    { ...free, plan: "pro" as const, billing_state: "cancelled" as const, had_version_module: true },
    "enforced",
  ],
] as const)("%s", (_, organization, checks) => {
  expect(versionChecksOf(organization, plans)).toBe(checks);
});

test("nothing is called ineffective before the plans are known", () => {
  expect(versionChecksOf(free, [])).toBe("included");
});
