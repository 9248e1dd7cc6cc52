import { Badge, Group, Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay, useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { effectivePlan, planName, usePlans } from "../../session/plan.ts";
import { Copyable } from "../../ui/copy.tsx";
import { Facts } from "../../ui/facts.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { MissingPage } from "../../ui/missing-page.tsx";
import { Page } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Time } from "../../ui/time.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { DeletionPanel } from "./deletion-panel.tsx";
import { ExportPanel } from "./export-panel.tsx";
import { GeneralPanel } from "./general-panel.tsx";
import classes from "./settings-page.module.css";
import { SettingsTabs } from "./settings-tabs.tsx";
import { SigningPanel } from "./signing-panel.tsx";
import { TransferPanel } from "./transfer-panel.tsx";

export function SettingsPage() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const canChange = useMay()("organization:manage");
  if (!useMaySee()("organization:manage")) return <MissingPage />;
  return (
    <Page title={t("title")} lead={t("lead", { organization: organization.name })}>
      <SettingsTabs />
      <div className={classes.narrow}>
        {canChange && <GeneralPanel key={organization.updated_at} />}
        {canChange && <SigningPanel />}
        <PlanPanel />
        {organization.is_owner && <ExportPanel />}
        {/* Also possible while a payment is overdue. */}
        {organization.is_owner && organization.suspended_at === null && (
          <>
            <TransferPanel />
            <DeletionPanel />
          </>
        )}
      </div>
    </Page>
  );
}

function PlanPanel() {
  const { t, i18n } = useTranslation("organizations");
  const organization = useOrganization();
  const maySee = useMaySee();
  const plans = usePlans();
  const limit =
    organization.daily_limit === null
      ? t("plan.noLimit")
      : t("plan.limit", { limit: organization.daily_limit.toLocaleString(i18n.language) });
  return (
    <Panel
      title={t("plan.title")}
      actions={
        maySee("billing:view", "billing:manage") && (
          <GoLink to={paths.billing(organization.slug)}>{t("plan.billing")}</GoLink>
        )
      }
    >
      <Facts>
        <dt>{t("plan.plan")}</dt>
        <dd>
          <Group gap="xs">
            <Text>{planName(plans, effectivePlan(organization))}</Text>
            {organization.billing_state !== "active" && (
              <Badge variant="light" color="orange">
                {t(`billing.${organization.billing_state}`)}
              </Badge>
            )}
          </Group>
        </dd>
        <dt>{t("plan.requests")}</dt>
        <dd>
          <Stack gap={0}>
            {limit}
            {organization.daily_limit !== null && <ValidateHelp about="dailyLimit" />}
          </Stack>
        </dd>
        <dt>{t("plan.since")}</dt>
        <dd>
          <Time at={organization.created_at} />
        </dd>
        <dt>{t("plan.id")}</dt>
        <dd>
          <Copyable value={organization.id} />
        </dd>
      </Facts>
    </Panel>
  );
}
