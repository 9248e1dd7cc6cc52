import { useTranslation } from "react-i18next";
import type { Plan } from "../../session/plan.ts";

interface PlanFeature {
  readonly id: string;
  readonly words: string;
  readonly isThere: boolean;
}

/** What a plan allows. */
export function usePlanFeatures(plan: Plan): readonly PlanFeature[] {
  const { t, i18n } = useTranslation("billing");
  const number = new Intl.NumberFormat(i18n.language);
  const counted = (id: string, limit: number | null): PlanFeature => ({
    id,
    isThere: true,
    words:
      limit === null
        ? t(`features.${id}.noLimit`)
        : t(`features.${id}.some`, { count: limit, number: number.format(limit) }),
  });
  return [
    counted("requests", plan.daily_limit),
    counted("products", plan.max_products),
    counted("licenses", plan.max_licenses),
    counted("members", plan.max_members),
    counted("webhooks", plan.max_webhooks),
    {
      id: "versions",
      isThere: plan.version_module,
      words: t(plan.version_module ? "features.versions" : "features.noVersions"),
    },
    ...(plan.request_log_days === null
      ? []
      : [{ id: "log", isThere: true, words: t("features.log", { count: plan.request_log_days }) }]),
    ...(plan.audit_log_days === null
      ? []
      : [{ id: "audit-log", isThere: true, words: t("features.auditLog", { count: plan.audit_log_days }) }]),
  ];
}
