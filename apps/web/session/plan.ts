import type { Item } from "../api/client.ts";
import type { Organization } from "./current-organization.ts";

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
