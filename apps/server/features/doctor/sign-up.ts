import { missingSignUpLimit } from "@countersign/domain/organizations/sign-up";
import type { PlatformFacts } from "@countersign/store/inspection";
import type { Config } from "../../base/config.ts";
import { settingsFrom } from "../settings/platform-settings.ts";
import { type Check, warning } from "./check.ts";

/** Whether anyone who signs up gets an organization without a limit in total. */
export function checkSignUp({ settings, plans }: PlatformFacts, config: Config): Check[] {
  const { sign_up: signUp, default_plan: defaultPlan } = settingsFrom(settings, config).values;
  const plan = plans.find(({ id }) => id === defaultPlan);
  if (plan === undefined) return [];
  const { name, daily_limit: dailyLimit, max_products: maxProducts } = plan;
  const missing = missingSignUpLimit({ signUp, dailyLimit, maxProducts });
  if (missing === null) return [];
  const url = `${config.url}/admin/plans?edit=${defaultPlan}`;
  const found =
    missing === "daily_limit"
      ? `Anyone can sign up, and the plan of new organizations, ${name}, has no daily limit.`
      : `Anyone can sign up, and the plan of new organizations, ${name}, has no limit of products. The daily limit is one per product, so an organization has none in total.`;
  const action =
    missing === "daily_limit"
      ? `Set COUNTERSIGN_DEFAULT_PLAN to a plan with limits, or give this one a daily limit and a limit of products at ${url}.`
      : `Give it a limit of products at ${url}.`;
  return [warning("sign-up", found, action)];
}
