import { Badge, Button, Group, Stack, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { urlOf } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { useMay, useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { effectivePlan, planName, usePlans } from "../../session/plan.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { MissingPage, Page } from "../../ui/page.tsx";
import { Facts, Panel } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { DeletionPanel, TransferPanel } from "./danger-panels.tsx";
import { GeneralPanel } from "./general-panel.tsx";
import classes from "./settings-page.module.css";
import { SettingsTabs } from "./settings-tabs.tsx";

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
              <Badge size="md" color="orange">
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

function ExportPanel() {
  const { t } = useTranslation("organizations");
  const { id, slug } = useOrganization();
  return (
    <Panel
      title={t("export.title")}
      lead={t("export.lead")}
      actions={
        <Button
          variant="default"
          component="a"
          href={urlOf("exportOrganization", { params: { organization_id: id } })}
          download={`${slug}.jsonl`}
          leftSection={<Icon name="download" size={16} />}
        >
          {t("export.do")}
        </Button>
      }
    />
  );
}

/** Turned on immediately, turned off after confirmation. Reverted with a reason if refused. */
function SigningPanel() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const params = { organization_id: organization.id };
  const update = useChange("updateOrganization");
  const set = (signed_validation: boolean) => update.mutateAsync({ params, body: { signed_validation } });
  const isOn = update.isPending
    ? (update.variables.body?.signed_validation ?? false)
    : organization.signed_validation;
  const change = async (next: boolean) => {
    await set(next);
    notify(t(next ? "signing.nowOn" : "signing.nowOff"), () => set(!next));
  };
  const stopping = useConfirm(() => ({
    title: t("signing.stop.title"),
    children: (
      <Stack gap="xs">
        <Text>{t("signing.stop.words")}</Text>
        <SigningProducts />
      </Stack>
    ),
    action: t("signing.stop.do"),
    onConfirm: () => change(false),
  }));
  return (
    <Panel title={t("signing.title")} lead={t("signing.lead")}>
      <Switch
        label={t("signing.label")}
        description={t(isOn ? "signing.on" : "signing.off")}
        checked={isOn}
        onChange={(event) =>
          event.currentTarget.checked ? void change(true).catch(notifyProblem) : stopping.ask()
        }
      />
      <ValidateHelp about="signing" />
      {stopping.dialog}
    </Panel>
  );
}

/** The products whose responses are signed now. */
function SigningProducts() {
  const { t, i18n } = useTranslation("organizations");
  const { id } = useOrganization();
  const products = useQuery(ask("listProducts", { params: { organization_id: id }, query: { limit: 200 } }));
  if (products.data === undefined) return null;
  const names = products.data.data.filter((product) => product.signed_validation).map(({ name }) => name);
  const shown = new Intl.ListFormat(i18n.language).format(names.slice(0, 10));
  return (
    <Text fw={600} role="status">
      {names.length === 0
        ? t("signing.stop.none")
        : t("signing.stop.count", { count: names.length, names: names.length > 10 ? `${shown} …` : shown })}
    </Text>
  );
}
