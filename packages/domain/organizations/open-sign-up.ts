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
