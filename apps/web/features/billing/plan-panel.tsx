import { shownAmount } from "@countersign/domain/billing/money";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { ValidateHelp } from "../../ui/help.tsx";
import { Meter } from "../../ui/meter.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Facts, Panel } from "../../ui/section.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { shortDate } from "../../ui/time.tsx";
import classes from "./billing.module.css";
import { type Billing, isSubscribed, nextDateOf } from "./billing.ts";
import { usePaymentPages } from "./use-payment-pages.ts";

const tones = { active: "good", grace: "warn", suspended: "bad", cancelled: "off" } as const;

interface PlanPanelProps {
  readonly billing: Billing;
  readonly canPay: boolean;
}

/** The current plan, what it allows, how much of that is used, and what it costs. */
export function PlanPanel({ billing, canPay }: PlanPanelProps) {
  const { t, i18n } = useTranslation("billing");
  const organization = useOrganization();
  const pages = usePaymentPages();
  const next = nextDateOf(billing);
  const { subscription } = billing;
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Panel
      title={t("plan.title")}
      actions={
        canPay &&
        billing.can_manage_payments && (
          <Button
            variant="default"
            onClick={() => void pages.openPortal().catch(() => undefined)}
            loading={pages.isBusy}
          >
            {t("managePayment")}
          </Button>
        )
      }
    >
      <ProblemAlert error={pages.error} />
      <Facts>
        <dt>{t("plan.plan")}</dt>
        <dd>
          <Group gap="sm">
            <Text fw={600}>{billing.plan_name}</Text>
            <StateMark tone={tones[billing.billing_state]}>{t(`state.${billing.billing_state}`)}</StateMark>
          </Group>
        </dd>
        {billing.plan_set_by === "operator" && (
          <>
            <dt>{t("plan.setBy")}</dt>
            <dd>{t("plan.operator")}</dd>
          </>
        )}
        {billing.plan_ends_at !== null && (
          <>
            <dt>{t("plan.until")}</dt>
            <dd>{shortDate(billing.plan_ends_at, i18n.language)}</dd>
          </>
        )}
        {subscription !== null && isSubscribed(billing) && (
          <>
            <dt>{t("plan.price")}</dt>
            <dd className="figures">
              {t(`price.${subscription.interval}`, {
                price: shownAmount(subscription.amount, subscription.currency, i18n.language),
              })}
            </dd>
          </>
        )}
        {next !== null && (
          <>
            <dt>{t(`plan.${next.what}`)}</dt>
            <dd>{shortDate(next.at, i18n.language)}</dd>
          </>
        )}
        <dt>{t("plan.requests")}</dt>
        <dd>
          {organization.daily_limit === null
            ? t("noLimit")
            : t("plan.perDay", { limit: number.format(organization.daily_limit) })}
          {organization.daily_limit !== null && <ValidateHelp about="dailyLimit" />}
        </dd>
        <dt>{t("plan.versions")}</dt>
        <dd>{t(billing.version_checks.included ? "plan.included" : "plan.notIncluded")}</dd>
        {billing.request_log_days !== null && (
          <>
            <dt>{t("plan.log")}</dt>
            <dd>{t("plan.days", { count: billing.request_log_days })}</dd>
          </>
        )}
        {billing.audit_log_days !== null && (
          <>
            <dt>{t("plan.auditLog")}</dt>
            <dd>{t("plan.days", { count: billing.audit_log_days })}</dd>
          </>
        )}
      </Facts>
      <div className={classes.meters}>
        {billing.limits.map(({ name, used, limit }) => (
          <Meter key={name} name={t(`limits.${name}`)} used={used} limit={limit} />
        ))}
      </div>
    </Panel>
  );
}

/** For organizations that nothing is limited in. */
export function NoLimitsPanel({ billing }: { readonly billing: Billing }) {
  const { t } = useTranslation("billing");
  return (
    <Panel title={t("plan.title")}>
      <Stack gap={4}>
        <Group gap="sm">
          <Text fw={600}>{billing.plan_name}</Text>
          <StateMark tone="good">{t("noLimits.title")}</StateMark>
        </Group>
        <Text>{t("noLimits.words")}</Text>
      </Stack>
    </Panel>
  );
}
