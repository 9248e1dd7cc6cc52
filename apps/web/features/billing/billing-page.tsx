import { Button, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { usePlans } from "../../session/plan.ts";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Waiting } from "../../ui/waiting.tsx";
import { SettingsTabs } from "../organizations/settings-tabs.tsx";
import { AskPanel } from "./ask-panel.tsx";
import { type Billing, isSetByOperator, isUnlimited } from "./billing.ts";
import { BillingNotice } from "./billing-notice.tsx";
import { CheckoutNotice } from "./checkout-notice.tsx";
import { DowngradePanel } from "./downgrade-panel.tsx";
import { InvoicesPanel } from "./invoices-panel.tsx";
import { NoLimitsPanel, PlanPanel } from "./plan-panel.tsx";
import { PlansPanel } from "./plans-panel.tsx";

/** The plan of an organization, its limits, and how it is paid. */
export function BillingPage() {
  const { t } = useTranslation("billing");
  const { t: settings } = useTranslation("organizations");
  const organization = useOrganization();
  const billing = useQuery(ask("getBilling", { params: { organization_id: organization.id } }));
  if (billing.data === undefined && billing.error === null) return <Waiting />;
  return (
    <Page title={settings("title")} part={t("title")} lead={t("lead")}>
      <SettingsTabs />
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
