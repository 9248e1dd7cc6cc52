import { shownAmount } from "@countersign/domain/billing/money";
import { Text } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../session/plan.ts";
import { Choice } from "../../ui/fields.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import classes from "./billing.module.css";
import { type Billing, type Interval, yearlySaving } from "./billing.ts";
import { PlanCard } from "./plan-card.tsx";
import { usePaymentPages } from "./use-payment-pages.ts";

interface PlansPanelProps {
  readonly billing: Billing;
  readonly plans: readonly Plan[];
  readonly canPay: boolean;
}

const intervals: readonly Interval[] = ["month", "year"];

/** The plans side by side, with their prices. */
export function PlansPanel({ billing, plans, canPay }: PlansPanelProps) {
  const { t, i18n } = useTranslation("billing");
  const pages = usePaymentPages();
  const [interval, setInterval] = useState<Interval>(billing.subscription?.interval ?? "month");
  const sold = plans.filter((plan) => plan.can_be_bought);
  const hasBoth =
    sold.some((plan) => plan.monthly_price !== null) && sold.some((plan) => plan.yearly_price !== null);
  const savings = sold.filter((plan) => yearlySaving(plan) > 0);
  return (
    <Panel title={t("plans.title")} lead={t("plans.lead")}>
      {hasBoth && (
        <div className={classes.interval}>
          <Choice
            label={t("plans.interval")}
            values={intervals}
            words={(one) => t(`intervals.${one}`)}
            value={interval}
            onChange={setInterval}
          />
          {savings.map((plan) => (
            <Text key={plan.plan} size="sm" c="dimmed" mt={4}>
              {t("plans.saving", {
                plan: plan.name,
                amount: shownAmount(yearlySaving(plan), plan.currency, i18n.language),
              })}
            </Text>
          ))}
        </div>
      )}
      <ul className={classes.plans}>
        {plans.map((plan) => (
          <PlanCard
            key={plan.plan}
            plan={plan}
            plans={plans}
            interval={interval}
            billing={billing}
            pages={canPay ? pages : null}
          />
        ))}
      </ul>
      <ProblemAlert error={pages.error} />
      {!canPay && <Text c="dimmed">{t("plans.viewOnly")}</Text>}
    </Panel>
  );
}
