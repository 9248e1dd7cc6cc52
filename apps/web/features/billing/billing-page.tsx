import { Button, Group, Loader, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask, reloadAfter } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { type Plan, planName, usePlans } from "../../session/plan.ts";
import { ValidateHelp } from "../../ui/help.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Page, Waiting } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { exactTime, shortDate } from "../../ui/time.tsx";
import { type Billing, isPaid, isSetByOperator, isSubscribed, isUnlimited, noticeOf } from "./billing.ts";
import { DowngradePanel } from "./downgrade.tsx";
import { InvoicesPanel } from "./invoices-panel.tsx";
import { AskPanel, usePaymentPages } from "./payment.tsx";
import { NoLimitsPanel, PlanPanel } from "./plan-panel.tsx";
import { PlansPanel } from "./plans-panel.tsx";

/** The plan of an organization, its limits, and how it is paid. */
export function BillingPage() {
  const { t } = useTranslation("billing");
  const organization = useOrganization();
  const billing = useQuery(ask("getBilling", { params: { organization_id: organization.id } }));
  if (billing.data === undefined && billing.error === null) return <Waiting />;
  return (
    <Page title={t("title")} lead={t("lead")}>
      {billing.data === undefined ? (
        <Stack align="flex-start">
          <ProblemAlert error={billing.error} />
          <Button onClick={() => void billing.refetch()} loading={billing.isFetching}>
            {t("everywhere:tryAgain")}
          </Button>
        </Stack>
      ) : (
        <Panels key={organization.id} billing={billing.data} />
      )}
    </Page>
  );
}

function Panels({ billing }: { readonly billing: Billing }) {
  const organization = useOrganization();
  const plans = usePlans();
  const canPay = useMay()("billing:manage") && billing.payments_available;
  const its = { billing, plans, canPay };
  if (isUnlimited(billing, organization.daily_limit))
    return (
      <>
        <CheckoutNotice billing={billing} />
        <NoLimitsPanel billing={billing} />
        <InvoicesPanel billing={billing} />
      </>
    );
  const isForSale = billing.payments_available && plans.some((plan) => plan.can_be_bought);
  return (
    <>
      <CheckoutNotice billing={billing} />
      <BillingNotice {...its} />
      <PlanPanel billing={billing} canPay={canPay} />
      <DowngradePanel billing={billing} />
      {isForSale && !isSetByOperator(billing) ? <PlansPanel {...its} /> : <AskPanel billing={billing} />}
      <InvoicesPanel billing={billing} />
    </>
  );
}

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
function BillingNotice({ billing, plans, canPay }: BillingNoticeProps) {
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

const billingRoute = getRouteApi("/signed-in/o/$organization/settings/billing");
const everyMs = 2_000;
const maxTries = 30;

/** For users who come back from the payment page. */
function CheckoutNotice({ billing }: { readonly billing: Billing }) {
  const { t } = useTranslation("billing");
  const { checkout } = billingRoute.useSearch();
  const navigate = billingRoute.useNavigate();
  const isConfirmed = isPaid(billing);
  // Said once: a reload or a bookmark is not another return. Until it is confirmed, a reload keeps waiting.
  const [returned, setReturned] = useState(checkout);
  const isOver = checkout === "cancelled" || (checkout === "done" && isConfirmed);
  useEffect(() => {
    if (!isOver) return;
    setReturned(checkout);
    void navigate({ search: {}, replace: true });
    void reloadAfter("startCheckout");
  }, [isOver, checkout, navigate]);
  if (returned === undefined) return null;
  if (returned === "cancelled")
    return (
      <div role="status">
        <Notice tone="info" title={t("checkout.cancelled.title")}>
          <Text>{t("checkout.cancelled.words")}</Text>
        </Notice>
      </div>
    );
  return (
    <div role="status">
      {isConfirmed ? (
        <Notice tone="info" title={t("checkout.confirmed.title", { plan: billing.plan_name })}>
          <Text>{t("checkout.confirmed.words")}</Text>
        </Notice>
      ) : (
        <Confirming />
      )}
    </div>
  );
}

/** Asks the server until the payment is confirmed, which takes seconds, and stops after a minute. */
function Confirming() {
  const { t } = useTranslation("billing");
  const queries = useQueryClient();
  const [tries, setTries] = useState(0);
  const isWaiting = tries < maxTries;
  useEffect(() => {
    if (tries >= maxTries) return;
    const timer = setTimeout(async () => {
      await queries.refetchQueries({ queryKey: ["getBilling"] });
      setTries(tries + 1);
    }, everyMs);
    return () => clearTimeout(timer);
  }, [tries, queries]);
  return (
    <Notice tone="info" title={t(isWaiting ? "checkout.waiting.title" : "checkout.slow.title")}>
      <Stack gap="xs">
        <Text>{t(isWaiting ? "checkout.waiting.words" : "checkout.slow.words")}</Text>
        <Group>
          {isWaiting ? (
            <Loader size={18} aria-hidden="true" />
          ) : (
            <Button variant="default" onClick={() => setTries(0)}>
              {t("checkout.slow.again")}
            </Button>
          )}
        </Group>
      </Stack>
    </Notice>
  );
}
