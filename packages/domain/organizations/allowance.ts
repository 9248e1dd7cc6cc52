import type { Plan } from "../quota/limit.ts";

/** How many organizations a person may own while all of them are on Free or Pro (specification 8.5). */
const usual = 2;
/** The same for the owner of an Enterprise organization, where anyone can sign up. */
const enterprise = 100;

export interface AllowanceFacts {
  /** What the operator set for the person. */
  readonly override: number | null;
  /** The plans of the organizations that the person owns and that are served. */
  readonly ownedPlans: readonly Plan[];
  /** The plan of new organizations. */
  readonly defaultPlan: Plan;
  readonly signUp: "closed" | "open";
  readonly isPlatformAdmin: boolean;
}

/** How many organizations a person may own; null for any number. */
export function organizationAllowance(facts: AllowanceFacts): number | null {
  if (facts.override !== null) return facts.override;
  // People who run the server for themselves.
  if (facts.signUp === "closed" && facts.isPlatformAdmin) return null;
  const hasEnterprise = facts.ownedPlans.includes("enterprise");
  if (facts.signUp !== "open") return hasEnterprise ? null : usual;
  // Where every new organization is on Enterprise, owning one shows no decision of the operator's.
  return hasEnterprise && facts.defaultPlan !== "enterprise" ? enterprise : usual;
}
