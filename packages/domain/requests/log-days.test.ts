import { describe, expect, test } from "bun:test";
import { keptSince, logDays } from "./log-days.ts";

describe("retention", () => {
  test.each<[why: string, organization: number | null, plan: number | null, days: number]>([
    ["as the server says", null, null, 30],
    ["as the plan says, if shorter", null, 7, 7],
    ["as the plan says, if longer", null, 90, 90],
    ["as the operator set for the organization", 3, 90, 3],
    ["as the operator set for the organization without a plan's days", 400, null, 400],
  ])("requests are kept as long %s", (_why, ofOrganization, ofPlan, days) => {
    expect(logDays({ ofOrganization, ofPlan, ofServer: 30 })).toBe(days);
  });

  test("requests are kept since 1970 at the earliest", () => {
    expect(keptSince(1, 86_400_001)).toBe(1);
    expect(keptSince(3_650, 1_000)).toBe(0);
  });
});
