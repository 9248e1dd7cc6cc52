import { shownAmount } from "@countersign/domain/billing/money";
import { Badge, Button, Group, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Plan } from "../../session/plan.ts";
import { Icon } from "../../ui/icon.tsx";
import { AskOperator } from "./ask-operator.tsx";
import classes from "./billing.module.css";
import { type Billing, type Interval, isSubscribed, offerOf, planActionOf } from "./billing.ts";
import { LeaveQuestion } from "./leave-question.tsx";
import { usePlanFeatures } from "./plan-features.ts";
import type { PaymentPages } from "./use-payment-pages.ts";

interface PlanCardProps {
  readonly plan: Plan;
  readonly plans: readonly Plan[];
  readonly interval: Interval;
  readonly billing: Billing;
  /** Null without permission to pay. */
  readonly pages: PaymentPages | null;
}

/** One plan: its price, what it allows, and how to get it. */
export function PlanCard({ plan, plans, interval, billing, pages }: PlanCardProps) {
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
        {isCurrent && <Badge variant="light">{t("plans.current")}</Badge>}
      </Group>
      <div>
        {offer === null ? (
          <div className={classes.price}>{t(plan.plan === "free" ? "plans.free" : "plans.onRequest")}</div>
        ) : (
          <div className={`${classes.price} figures`}>
            {t(`price.${offer.interval}`, { price: shownAmount(offer.price, plan.currency, i18n.language) })}
          </div>
        )}
        {hasTrial && (
          <Text size="sm" c="dimmed">
            {t("plans.trial", { count: plan.trial_days })}
          </Text>
        )}
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
