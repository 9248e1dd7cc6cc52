import { describe, expect, test } from "bun:test";
import { auditLogCutoff, auditLogDays } from "./audit-log-days.ts";

describe("how long the audit log is kept", () => {
  test.each<[why: string, organization: number | null, plan: number | null, days: number | null]>([
    ["for ever if nobody decided", null, null, null],
    ["as the plan says", null, 90, 90],
    ["as the operator set for the organization, if shorter", 30, 90, 30],
    ["as the operator set for the organization, if longer", 400, 90, 400],
    ["as the operator set for the organization without a plan's days", 400, null, 400],
  ])("entries are kept %s", (_why, ofOrganization, ofPlan, days) => {
    expect(auditLogDays({ ofOrganization, ofPlan })).toBe(days);
  });

  test.each<[why: string, days: number, now: string, cutoff: string]>([
    ["at the end of a day, all of it counts as kept", 30, "2026-03-31T23:59:59.999Z", "2026-03-01T00:00:00Z"],
    ["at midnight, one more day is over", 30, "2026-04-01T00:00:00.000Z", "2026-03-02T00:00:00Z"],
    ["a year", 365, "2026-03-01T12:00:00Z", "2025-03-01T00:00:00Z"],
    ["a number below the least is read as the least", 1, "2026-03-31T12:00:00Z", "2026-03-01T00:00:00Z"],
    ["1970 at the earliest", 36_500, "2026-03-31T12:00:00Z", "1970-01-01T00:00:00Z"],
  ])("entries before a day are deleted: %s", (_why, days, now, cutoff) => {
    expect(new Date(auditLogCutoff(days, Date.parse(now)))).toEqual(new Date(cutoff));
  });
});
