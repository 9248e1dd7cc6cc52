import { shownAmount } from "@countersign/domain/billing/money";
import { Badge, Button, Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../session/plan.ts";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Choice } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import classes from "./billing.module.css";
import { type Billing, type Interval, isSubscribed, offerOf, planActionOf, yearlySaving } from "./billing.ts";
import { LeaveQuestion } from "./downgrade.tsx";
import { AskOperator, type PaymentPages, usePaymentPages } from "./payment.tsx";

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
            <Dimmed key={plan.plan} mt={4}>
              {t("plans.saving", {
                plan: plan.name,
                amount: shownAmount(yearlySaving(plan), plan.currency, i18n.language),
              })}
            </Dimmed>
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

interface PlanCardProps {
  readonly plan: Plan;
  readonly plans: readonly Plan[];
  readonly interval: Interval;
  readonly billing: Billing;
  /** Null without permission to pay. */
  readonly pages: PaymentPages | null;
}

/** One plan: its price, what it allows, and how to get it. */
function PlanCard({ plan, plans, interval, billing, pages }: PlanCardProps) {
  const { t, i18n } = useTranslation("billing");
  const features = usePlanFeatures(plan);
  const [isAsking, setAsking] = useState(false);
  const isCurrent = plan.plan === billing.plan;
  const action = planActionOf(plan, plans, billing);
  const offer = offerOf(plan, interval);
  // Only the first subscription starts with a trial.
  const hasTrial = plan.can_be_bought && plan.trial_days > 0 && !billing.can_manage_payments;
  const losesChecks =
    billing.version_checks.included && billing.version_checks.product_count > 0 && !plan.version_module;
  const start = () => {
    if (pages === null) return;
    if (action === "switch" && losesChecks) setAsking(true);
    else if (action === "switch") void pages.openPortal().catch(() => undefined);
    else if (plan.plan !== "free" && offer !== null)
      void pages.openCheckout(plan.plan, offer.interval).catch(() => undefined);
  };
  return (
    <li className={classes.plan} data-current={isCurrent || undefined}>
      <Group justify="space-between" gap="xs">
        <Title order={3}>{plan.name}</Title>
        {isCurrent && <Badge size="md">{t("plans.current")}</Badge>}
      </Group>
      <div>
        {offer === null ? (
          <div className={classes.price}>{t(plan.plan === "free" ? "plans.free" : "plans.onRequest")}</div>
        ) : (
          <div className={`${classes.price} figures`}>
            {t(`price.${offer.interval}`, { price: shownAmount(offer.price, plan.currency, i18n.language) })}
          </div>
        )}
        {hasTrial && <Dimmed>{t("plans.trial", { count: plan.trial_days })}</Dimmed>}
      </div>
      <ul className={classes.features}>
        {features.map(({ id, words, isThere }) => (
          <li key={id}>
            <Icon name={isThere ? "check" : "minus"} size={16} />
            {words}
          </li>
        ))}
      </ul>
      {action === "ask" && <AskOperator contact={billing.contact} />}
      {pages !== null && (action === "upgrade" || action === "switch") && (
        <Button
          variant={action === "upgrade" ? "filled" : "default"}
          onClick={start}
          loading={pages.isBusy}
          fullWidth
        >
          {t(`plans.${action}`, { plan: plan.name })}
        </Button>
      )}
      {pages !== null && isSubscribed(billing) && losesChecks && (
        <LeaveQuestion
          opened={isAsking}
          onClose={() => setAsking(false)}
          billing={billing}
          plan={plan}
          onConfirm={pages.openPortal}
        />
      )}
    </li>
  );
}

interface PlanFeature {
  readonly id: string;
  readonly words: string;
  readonly isThere: boolean;
}

/** What a plan allows. */
function usePlanFeatures(plan: Plan): readonly PlanFeature[] {
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
