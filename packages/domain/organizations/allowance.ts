import type { Plan } from "../quota/limit.ts";

/** If anyone can sign up, there is always an allowance: this one, if a plan has none. */
const mostIfOpen = 100;

export interface AllowanceFacts {
  /** What the operator set for this user. */
  readonly override: number | null;
  /** The plans of the active organizations that the user owns. */
  readonly ownedPlans: readonly Plan[];
  /** How many organizations each plan allows a user to own; null for any number. */
  readonly perUser: Readonly<Record<Plan, number | null>>;
  /** The plan of new organizations. */
  readonly defaultPlan: Plan;
  readonly signUp: "closed" | "open";
  readonly isPlatformAdmin: boolean;
}

/** How many organizations a user can own; null for any number. The most generous plan of those they own decides. */
export function organizationAllowance(facts: AllowanceFacts): number | null {
  if (facts.override !== null) return facts.override;
  // People who run the server for themselves.
  if (facts.signUp === "closed" && facts.isPlatformAdmin) return null;
  const deciding: readonly Plan[] = facts.ownedPlans.length === 0 ? ["free"] : facts.ownedPlans;
  const allowed = deciding.map((plan) => allowedBy(plan, facts));
  return allowed.reduce((most, one) => (most === null || one === null ? null : Math.max(most, one)), 0);
}

function allowedBy(plan: Plan, { perUser, signUp, defaultPlan }: AllowanceFacts): number | null {
  if (perUser[plan] !== null || signUp !== "open") return perUser[plan];
  // If every new organization is on this plan, owning one does not reflect a decision by the operator.
  return (plan === defaultPlan ? perUser.free : null) ?? mostIfOpen;
}
