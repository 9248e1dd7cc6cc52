import type { Plan } from "../quota/limit.ts";

/** How many organizations a user can own while all of them are on Free or Pro. */
const usual = 2;
/** The same for the owner of an Enterprise organization, if anyone can sign up. */
const enterprise = 100;

export interface AllowanceFacts {
  /** What the operator set for this user. */
  readonly override: number | null;
  /** The plans of the active organizations that the user owns. */
  readonly ownedPlans: readonly Plan[];
  /** The plan of new organizations. */
  readonly defaultPlan: Plan;
  readonly signUp: "closed" | "open";
  readonly isPlatformAdmin: boolean;
}

/** How many organizations a user can own; null for any number. */
export function organizationAllowance(facts: AllowanceFacts): number | null {
  if (facts.override !== null) return facts.override;
  // People who run the server for themselves.
  if (facts.signUp === "closed" && facts.isPlatformAdmin) return null;
  const hasEnterprise = facts.ownedPlans.includes("enterprise");
  if (facts.signUp !== "open") return hasEnterprise ? null : usual;
  // If every new organization is on Enterprise, owning one does not reflect a decision by the operator.
  return hasEnterprise && facts.defaultPlan !== "enterprise" ? enterprise : usual;
}
