import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { planName, usePlans } from "../../session/plan.ts";
import type { PlanLimit } from "./plan-changes.ts";
import type { plans } from "./terms.ts";

type PlanId = (typeof plans)[number];

/** A plan with its limits. Undefined while they load. */
export function usePlanOf(): (id: PlanId) => Item<"listPlans"> | undefined {
  const all = usePlans();
  return (id) => all.find(({ plan }) => plan === id);
}

/** The names of the plans, which platform admins can change. */
export function usePlanName(): (id: PlanId) => string {
  const all = usePlans();
  return (id) => planName(all, id);
}

/** What a limit of a plan that is null means. */
export function useNoLimit(): (limit: PlanLimit) => string {
  const { t } = useTranslation("admin");
  return (limit) => {
    switch (limit) {
      case "request_log_days":
        return t("terms.serverDefault");
      case "audit_log_days":
        return t("forEver");
      default:
        return t("noLimit");
    }
  };
}
