import { expect, test } from "bun:test";
import { type VersionChecks, versionChecks } from "./checks.ts";

test.each<[boolean, VersionChecks, plan: string, onDowngrade: VersionChecks, VersionChecks | null]>([
  [true, "enforce", "includes it", "enforce", "enforce"],
  [true, "report", "includes it", "enforce", "report"],
  [true, "enforce", "includes it", "report", "enforce"],
  [true, "enforce", "had it", "enforce", "enforce"],
  [true, "enforce", "had it", "report", "report"],
  [true, "report", "had it", "enforce", "report"],
  [true, "report", "had it", "report", "report"],
  [true, "enforce", "never had it", "enforce", null],
  [true, "report", "never had it", "report", null],
  [false, "enforce", "includes it", "enforce", null],
  [false, "enforce", "had it", "enforce", null],
])(
  "with the module on %p and set to %s, the plan that %s, and %s on downgrade, checks are %p",
  (enabled, enforcement, plan, onDowngrade, checks) => {
    const inPlan = plan === "includes it";
    const hadModule = plan !== "never had it";
    expect(versionChecks({ enabled, enforcement, inPlan, hadModule, onDowngrade })).toBe(checks);
  },
);
