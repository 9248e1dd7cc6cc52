import { organizationAllowance } from "@countersign/domain/organizations/sign-up";
import type { Plan } from "@countersign/domain/quota/limit";
import { lockedAllowance } from "@countersign/store/queries/organizations/organizations";
import { allPlans } from "@countersign/store/queries/plans/plans";
import type { Database } from "@countersign/store/store";
import type { Context } from "../../api/context.ts";
import { Problem } from "../../http/problem.ts";
import { platformSettings } from "../settings/platform-settings.ts";

/**
 * Rejects more organizations than a person can own. Two organizations that a person gains at the same time are counted
 * one after the other.
 */
export async function checkAllowance(
  db: Database,
  { config }: Context,
  userId: string,
  as: "creator" | "new_owner",
): Promise<void> {
  const { count, ...owner } = await lockedAllowance(db, userId);
  const { default_plan: defaultPlan, sign_up: signUp } = await platformSettings(db, config);
  const plans = await allPlans(db);
  const perUser = Object.fromEntries(plans.map((plan) => [plan.id, plan.organizations_per_user])) as Record<
    Plan,
    number | null
  >;
  const allowance = organizationAllowance({ ...owner, perUser, defaultPlan, signUp });
  if (allowance === null || count < allowance) return;
  if (as === "creator") throw new Problem("organization_limit_reached", { count });
  throw new Problem("new_owner_organization_limit_reached", { count });
}
