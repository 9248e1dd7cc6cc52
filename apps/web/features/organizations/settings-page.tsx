import { Alert, Badge, Button, Group, Stack, Switch, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { type Answer, call, urlOf } from "../../api/client.ts";
import { ask, reloadAfter, useChange } from "../../api/queries.ts";
import { useMay, useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { effectivePlan, planName, usePlans } from "../../session/plan.ts";
import { useConfirm } from "../../ui/confirm.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { TextField } from "../../ui/fields.tsx";
import { SaveForm } from "../../ui/form.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoLink } from "../../ui/links.tsx";
import { notify, notifyProblem } from "../../ui/notify.tsx";
import { MissingPage, Page } from "../../ui/page.tsx";
import { Fact, Facts, Panel } from "../../ui/section.tsx";
import { LanguageSelect, TimeZoneSelect } from "../../ui/select-field.tsx";
import { Time } from "../../ui/time.tsx";
import { FormProblem, useForm } from "../../ui/use-form.tsx";
import { DeletionPanel, TransferPanel } from "./danger-panels.tsx";
import classes from "./settings.module.css";

export function SettingsPage() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const canChange = useMay()("organization:manage");
  if (!useMaySee()("organization:manage")) return <MissingPage />;
  return (
    <Page title={t("title")} lead={t("lead", { organization: organization.name })}>
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

/** Name, slug, language and time zone, saved together. */
function GeneralPanel() {
  const { t } = useTranslation("organizations");
  const organization = useOrganization();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const form = useForm({
    start: {
      name: organization.name,
      slug: organization.slug,
      locale: organization.locale,
      time_zone: organization.time_zone,
    },
    send: async (values) => {
      const saved = await call("updateOrganization", {
        params: { organization_id: organization.id },
        body: { ...values, updated_at: organization.updated_at },
      });
      notify(t("general.done"));
      // Cache it under both slugs for a moment, so that the current page works until the new one is shown.
      if (saved.slug !== organization.slug) {
        queries.setQueryData(
          ask("listOrganizations", { query: { limit: 200 } }).queryKey,
          (before: Answer<"listOrganizations"> | undefined) =>
            before && { ...before, data: [...before.data, saved] },
        );
        await navigate({ ...paths.settings(saved.slug), replace: true });
      }
      await reloadAfter("updateOrganization");
    },
  });
  const { slug } = form.values;
  return (
    <Panel title={t("general.title")}>
      <SaveForm {...form.props}>
        <TextField
          {...form.field("name")}
          label={t("general.name")}
          description={t("general.nameWords")}
          required
          maxLength={100}
        />
        <TextField
          {...form.field("slug")}
          label={t("general.slug")}
          description={t("general.slugWords", { address: addressOf(slug) })}
          required
          maxLength={48}
          spellCheck={false}
          autoCapitalize="none"
          classNames={{ input: "mono" }}
        />
        {slug !== organization.slug && (
          <Alert color="orange" icon={<Icon name="warning" />} title={t("general.linksChange")}>
            {t("general.linksWords", { before: addressOf(organization.slug) })}
          </Alert>
        )}
        <LanguageSelect
          {...form.field("locale")}
          label={t("general.locale")}
          description={t("general.localeWords")}
        />
        <TimeZoneSelect
          {...form.field("time_zone")}
          label={t("general.timeZone")}
          description={t("general.timeZoneWords")}
          nothingFound={t("general.noTimeZone")}
        />
        <FormProblem form={form} />
      </SaveForm>
    </Panel>
  );
}

/** As text, not as a link: while it is typed, no page has it. */
function addressOf(slug: string): string {
  return ["", "o", slug].join("/");
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
        <Fact name={t("plan.plan")}>
          <Group gap="xs">
            <Text>{planName(plans, effectivePlan(organization))}</Text>
            {organization.billing_state !== "active" && (
              <Badge size="md" color="orange">
                {t(`billing.${organization.billing_state}`)}
              </Badge>
            )}
          </Group>
        </Fact>
        <Fact name={t("plan.requests")}>
          <Stack gap={0}>
            {limit}
            {organization.daily_limit !== null && <ValidateHelp about="dailyLimit" />}
          </Stack>
        </Fact>
        <Fact name={t("plan.since")}>
          <Time at={organization.created_at} />
        </Fact>
        <Fact name={t("plan.id")}>
          <Copyable value={organization.id} />
        </Fact>
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
