import { Button, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type Plan, planName } from "../../session/plan.ts";
import { Notice } from "../../ui/notice.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { exactTime, shortDate } from "../../ui/time.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { type Billing, isSubscribed, noticeOf } from "./billing.ts";
import { usePaymentPages } from "./use-payment-pages.ts";

interface BillingNoticeProps {
  readonly billing: Billing;
  readonly plans: readonly Plan[];
  readonly canPay: boolean;
}

const tones = {
  suspended: "bad",
  grace: "warn",
  incomplete: "warn",
  cancels: "info",
  planEnds: "info",
  ended: "info",
} as const;

/** What is wrong with the payment, or when the plan changes; null if all is well. */
export function BillingNotice({ billing, plans, canPay }: BillingNoticeProps) {
  const { t, i18n } = useTranslation("billing");
  const pages = usePaymentPages();
  const notice = noticeOf(billing);
  if (notice === null) return null;
  const { grace_ends_at: graceEndsAt, plan_ends_at: planEndsAt, subscription } = billing;
  const cancelsAt = subscription?.cancels_at ?? null;
  const values = {
    plan: billing.plan_name,
    // A subscription that was paid all along applies again.
    free: planName(
      plans,
      notice === "planEnds" && isSubscribed(billing) ? (subscription?.plan ?? "free") : "free",
    ),
    time: graceEndsAt === null ? "" : exactTime(graceEndsAt, i18n.language),
    date: (planEndsAt ?? cancelsAt) === null ? "" : shortDate(planEndsAt ?? cancelsAt ?? "", i18n.language),
  };
  const isUnpaid = notice === "suspended" || notice === "grace" || notice === "incomplete";
  return (
    <Notice tone={tones[notice]} title={t(`notice.${notice}.title`, values)}>
      <Stack gap="xs">
        <Text>{t(`notice.${notice}.words`, values)}</Text>
        {notice === "suspended" && <ValidateHelp about="billingSuspended" />}
        {isUnpaid && canPay && billing.can_manage_payments && (
          <>
            <ProblemAlert error={pages.error} />
            <Group>
              <Button onClick={() => void pages.openPortal().catch(() => undefined)} loading={pages.isBusy}>
                {t("pay")}
              </Button>
            </Group>
          </>
        )}
        {isUnpaid && !canPay && <Text c="dimmed">{t("tellPayer")}</Text>}
      </Stack>
    </Notice>
  );
}
