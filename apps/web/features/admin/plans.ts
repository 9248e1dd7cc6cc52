import { maxAuditLogDays, minAuditLogDays } from "@countersign/domain/audit-log/audit-log-days";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { planName, usePlans } from "../../session/plan.ts";
import type { plans } from "./terms.ts";

export const planLimits = [
  "daily_limit",
  "organizations_per_user",
  "max_products",
  "max_licenses",
  "max_members",
  "max_webhooks",
  "request_log_days",
  "audit_log_days",
] as const;
export type PlanLimit = (typeof planLimits)[number];

/** Limits in days. They say what is deleted, not what can be added. */
export function isInDays(limit: PlanLimit): limit is "request_log_days" | "audit_log_days" {
  return limit === "request_log_days" || limit === "audit_log_days";
}

export const maxOf: Readonly<Record<PlanLimit, number>> = {
  daily_limit: 1_000_000_000_000,
  organizations_per_user: 1_000_000,
  max_products: 1_000_000_000_000,
  max_licenses: 1_000_000_000_000,
  max_members: 1_000_000_000_000,
  max_webhooks: 1_000_000_000_000,
  request_log_days: 3650,
  audit_log_days: maxAuditLogDays,
};

/** What a limit must be at least. */
export function minOf(limit: PlanLimit): number {
  if (limit === "audit_log_days") return minAuditLogDays;
  return limit === "request_log_days" ? 1 : 0;
}

export interface PlanFields extends Readonly<Record<PlanLimit, number | null>> {
  readonly version_module: boolean;
  readonly monthly_price: number | null;
  readonly yearly_price: number | null;
}

/** Whether a plan has only the prices that an installation comes with. */
export function hasExamplePrices(
  plan: Pick<PlanFields, "monthly_price" | "yearly_price"> & { readonly updated_at: string },
): boolean {
  // A plan that was never saved has the first time there is.
  return Date.parse(plan.updated_at) === 0 && (plan.monthly_price !== null || plan.yearly_price !== null);
}

export interface PlanEffects {
  /** Limits that are lower afterwards. No limit is the highest. */
  readonly lowered: readonly PlanLimit[];
  readonly losesVersions: boolean;
  readonly newPrice: boolean;
  readonly notSold: boolean;
}

/** What a changed plan means for the organizations that are on it. */
export function planEffects(saved: PlanFields, next: PlanFields): PlanEffects {
  const isSold = (plan: PlanFields) => plan.monthly_price !== null || plan.yearly_price !== null;
  return {
    lowered: planLimits.filter(
      (name) => (next[name] ?? Number.MAX_VALUE) < (saved[name] ?? Number.MAX_VALUE),
    ),
    losesVersions: saved.version_module && !next.version_module,
    newPrice:
      isSold(saved) &&
      isSold(next) &&
      (saved.monthly_price !== next.monthly_price || saved.yearly_price !== next.yearly_price),
    notSold: isSold(saved) && !isSold(next),
  };
}

export function needsConfirmation(effects: PlanEffects): boolean {
  return effects.lowered.length > 0 || effects.losesVersions || effects.newPrice || effects.notSold;
}

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
