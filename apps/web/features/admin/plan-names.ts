import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import type { plans } from "./terms.ts";

export type Plan = (typeof plans)[number];

/** The plans with their limits, by their IDs. Undefined while they load. */
export function usePlans(): (plan: Plan) => Item<"listPlans"> | undefined {
  const { data } = useQuery(ask("listPlans"));
  return (plan) => data?.data.find((one) => one.plan === plan);
}

/** The names of the plans, which platform admins can change. */
export function usePlanName(): (plan: Plan) => string {
  const { t } = useTranslation("admin");
  const planOf = usePlans();
  return (plan) => planOf(plan)?.name ?? t(`plans.${plan}`);
}
