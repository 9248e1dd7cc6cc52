import { useQuery } from "@tanstack/react-query";
import type { Item } from "../api/client.ts";
import { ask } from "../api/queries.ts";
import type { Organization } from "./current-organization.ts";
import { useOrganization } from "./current-organization.ts";

export type Plan = Item<"listPlans">;
export type PlanId = Plan["plan"];

/** The plan whose limits apply: after a subscription has ended, the free one. */
export function effectivePlan({ plan, billing_state }: Pick<Organization, "plan" | "billing_state">): PlanId {
  return billing_state === "cancelled" ? "free" : plan;
}

/** The name that the operator gave it. */
export function planName(plans: readonly Plan[], id: PlanId): string {
  return plans.find(({ plan }) => plan === id)?.name ?? id.charAt(0).toUpperCase() + id.slice(1);
}

/** The server's plans, the smallest first. Empty until they are loaded. */
export function usePlans(): readonly Plan[] {
  return useQuery({ ...ask("listPlans"), staleTime: 60_000 }).data?.data ?? noPlans;
}

const noPlans: readonly Plan[] = [];

/** Whether products of the current organization check versions. */
export function useVersionChecks(): VersionChecks {
  return versionChecksOf(useOrganization(), usePlans());
}

/**
 * Whether products of an organization check versions. included: the plan includes it. enforced, reported: an earlier plan
 * did, and the organization chose what happens since. off: it never had such a plan.
 */
export type VersionChecks = "included" | "enforced" | "reported" | "off";

type Terms = Pick<
  Organization,
  "plan" | "billing_state" | "had_version_module" | "version_checks_on_downgrade"
>;

/** While the plans are not known, checks that there may be are assumed, so that nothing is called ineffective. */
export function versionChecksOf(organization: Terms, plans: readonly Plan[]): VersionChecks {
  const plan = plans.find((one) => one.plan === effectivePlan(organization));
  if (plan === undefined || plan.version_module) return "included";
  if (!organization.had_version_module) return "off";
  return organization.version_checks_on_downgrade === "enforce" ? "enforced" : "reported";
}
