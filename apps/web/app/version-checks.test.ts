import { expect, test } from "bun:test";
import type { Plan } from "./plan.ts";
import { versionChecksOf } from "./version-checks.ts";

const plans = [
  { plan: "free", version_module: false },
  { plan: "pro", version_module: true },
] as Plan[];
const neverHad = { had_version_module: false, version_checks_on_downgrade: "enforce" } as const;
const free = { plan: "free", billing_state: "active", ...neverHad } as const;
const downgraded = { had_version_module: true } as const;

test.each([
  ["never on a plan that includes them", {}, "off"],
  ["on a plan that includes them", { ...downgraded, plan: "pro" }, "included"],
  ["after a downgrade", downgraded, "enforced"],
  ["after a downgrade to reports", { ...downgraded, version_checks_on_downgrade: "report" }, "reported"],
  ["after the subscription", { ...downgraded, plan: "pro", billing_state: "cancelled" }, "enforced"],
] as const)("%s", (_, changes, checks) => {
  expect(versionChecksOf({ ...free, ...changes }, plans)).toBe(checks);
});

test("nothing is called ineffective before the plans are known", () =>
  expect(versionChecksOf(free, [])).toBe("included"));
