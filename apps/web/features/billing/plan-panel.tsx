import { shownAmount } from "@countersign/domain/billing/money";
import { Button, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { ValidateHelp } from "../../ui/help.tsx";
import { Meter } from "../../ui/meter.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Fact, Facts, Panel } from "../../ui/section.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { shortDate } from "../../ui/time.tsx";
import classes from "./billing.module.css";
import { type Billing, isSubscribed, nextDateOf } from "./billing.ts";
import { usePaymentPages } from "./payment.tsx";

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
        <Fact name={t("plan.plan")}>
          <Group gap="sm">
            <Text fw={600}>{billing.plan_name}</Text>
            <StateMark tone={tones[billing.billing_state]}>{t(`state.${billing.billing_state}`)}</StateMark>
          </Group>
        </Fact>
        {billing.plan_set_by === "operator" && <Fact name={t("plan.setBy")}>{t("plan.operator")}</Fact>}
        {billing.plan_ends_at !== null && (
          <Fact name={t("plan.until")}>{shortDate(billing.plan_ends_at, i18n.language)}</Fact>
        )}
        {subscription !== null && isSubscribed(billing) && (
          <Fact name={t("plan.price")} className="figures">
            {t(`price.${subscription.interval}`, {
              price: shownAmount(subscription.amount, subscription.currency, i18n.language),
            })}
          </Fact>
        )}
        {next !== null && <Fact name={t(`plan.${next.what}`)}>{shortDate(next.at, i18n.language)}</Fact>}
        <Fact name={t("plan.requests")}>
          {organization.daily_limit === null
            ? t("noLimit")
            : t("plan.perDay", { limit: number.format(organization.daily_limit) })}
          {organization.daily_limit !== null && <ValidateHelp about="dailyLimit" />}
        </Fact>
        <Fact name={t("plan.versions")}>
          {t(billing.version_checks.included ? "plan.included" : "plan.notIncluded")}
        </Fact>
        {billing.request_log_days !== null && (
          <Fact name={t("plan.log")}>{t("plan.days", { count: billing.request_log_days })}</Fact>
        )}
        {billing.audit_log_days !== null && (
          <Fact name={t("plan.auditLog")}>{t("plan.days", { count: billing.audit_log_days })}</Fact>
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
