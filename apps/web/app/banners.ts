import { dayMs } from "@countersign/domain/dates/lengths";
import type { Organization } from "../session/current-organization.ts";

/** What every page of an organization says first, besides a suspension by the operator and a pending deletion. */
export type Banner = "impersonated" | "suspended" | "grace" | "planEnds";

const soonMs = 14 * dayMs;

type Terms = Pick<Organization, "impersonated_until" | "billing_state" | "grace_ends_at" | "plan_ends_at">;

export function bannersOf(organization: Terms, nowMs: number): Banner[] {
  const { impersonated_until, billing_state: state, grace_ends_at, plan_ends_at } = organization;
  const banners: Banner[] = [];
  if (impersonated_until !== null) banners.push("impersonated");
  if (state === "suspended") banners.push("suspended");
  if (state === "grace" && grace_ends_at !== null) banners.push("grace");
  if (plan_ends_at !== null && Date.parse(plan_ends_at) - nowMs <= soonMs) banners.push("planEnds");
  return banners;
}
