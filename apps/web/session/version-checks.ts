import type { Organization } from "./current-organization.ts";
import { effectivePlan, type Plan } from "./plan.ts";

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
