import type { Plan } from "../quota/limit.ts";

/**
 * The plan of new organizations if nobody has decided. On the operator's own machine there is no reason for a limit; for
 * anyone who signs up there is.
 */
export function usualDefaultPlan(signUp: "closed" | "open"): Plan {
  return signUp === "open" ? "free" : "enterprise";
}

/** What decides how much anyone who signs up can use. */
export interface SignUpFacts {
  readonly signUp: "closed" | "open";
  /** Of the plan of new organizations: requests per day and product; null for any number. */
  readonly dailyLimit: number | null;
  /** Of the same plan; null for any number. */
  readonly maxProducts: number | null;
}

/** What is missing so that the requests of a new organization have a limit, while anyone can sign up; null if nothing is. */
export function missingSignUpLimit({
  signUp,
  dailyLimit,
  maxProducts,
}: SignUpFacts): "daily_limit" | "max_products" | null {
  if (signUp === "closed") return null;
  if (dailyLimit === null) return "daily_limit";
  // The daily limit is one per product.
  return maxProducts === null ? "max_products" : null;
}

/** If anyone can sign up, there is always an allowance: this one, if a plan has none. */
const maxIfOpen = 100;

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
  return (plan === defaultPlan ? perUser.free : null) ?? maxIfOpen;
}
