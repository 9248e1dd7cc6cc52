import { graceDays } from "@countersign/domain/billing/terms";
import { Group, Select, SimpleGrid, Stack, Text, Textarea, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { DateTimeField, fromLocal, toLocal } from "../../ui/date-time-field.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { SaveForm } from "../../ui/save-form.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { changedFields } from "./changed-fields.ts";
import { OverrideField } from "./limit-fields.tsx";
import { leastOf, mostOf } from "./plan-changes.ts";
import { usePlanName, usePlanOf } from "./plan-names.ts";
import { RefusedLicenses } from "./suspension-panel.tsx";
import { billingStates, type Override, overrides, plans } from "./terms.ts";
import { useSave } from "./use-save.ts";

type Organization = Answer<"getPlatformOrganization">;

/** Plan, limits and billing of an organization. */
export function TermsPanel({ organization }: { organization: Organization }) {
  const { t } = useTranslation("admin");
  const saved = termsOf(organization);
  const [typed, setTyped] = useState(saved);
  const { save, error, isBusy } = useSave("updatePlatformOrganization");
  const [isAsking, setAsking] = useState(false);
  const stops = typed.billing_state === "suspended" && organization.billing_state !== "suspended";
  // The free plan has no end.
  const terms = { ...typed, plan_ends_at: typed.plan === "free" ? "" : typed.plan_ends_at };
  const submit = () => {
    const { plan_ends_at: end, ...changes } = changedFields(saved, {
      ...terms,
      plan_note: terms.plan_note?.trim() || null,
    });
    return save({
      params: { organization_id: organization.id },
      body: {
        ...changes,
        ...(end === undefined ? {} : { plan_ends_at: fromLocal(end) }),
        updated_at: organization.updated_at,
      },
    });
  };
  const fields: FieldsProps = {
    organization,
    terms: typed,
    set: (changes) => setTyped((before) => ({ ...before, ...changes })),
    error,
  };
  return (
    <Panel title={t("terms.title")} lead={t("terms.lead")}>
      <SaveForm
        onSubmit={() => {
          if (!stops) return submit();
          setAsking(true);
          // Nothing has been sent yet.
          return false;
        }}
        isBusy={isBusy}
        typed={terms}
        base={saved}
        error={error}
      >
        <PlanFields {...fields} />
        <OverrideFields {...fields} />
        <Group gap={0}>
          <ProblemAlert error={error} beside={shownAtFields} />
        </Group>
      </SaveForm>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t("suspension.billing", { name: organization.name })}
        action={t("everywhere:save")}
        onConfirm={submit}
      >
        <Stack gap="xs">
          <Text>{t("suspension.billingWords")}</Text>
          <RefusedLicenses count={organization.license_count} />
          <ValidateHelp about="billingSuspended" />
        </Stack>
      </Confirm>
    </Panel>
  );
}

const shownAtFields = [
  "plan",
  "plan_note",
  "plan_ends_at",
  "daily_limit_override",
  "daily_emails_override",
  ...overrides,
];

type Terms = ReturnType<typeof termsOf>;

/** What the form changes, as it is saved; the end of the plan as it is typed. */
function termsOf(organization: Organization) {
  return {
    plan: organization.plan,
    plan_note: organization.plan_note,
    plan_ends_at: toLocal(organization.plan_ends_at),
    billing_state: organization.billing_state,
    daily_limit_override: organization.daily_limit_override,
    daily_emails_override: organization.daily_emails_override,
    max_products_override: organization.max_products_override,
    max_licenses_override: organization.max_licenses_override,
    max_members_override: organization.max_members_override,
    max_webhooks_override: organization.max_webhooks_override,
    request_log_days_override: organization.request_log_days_override,
    audit_log_days_override: organization.audit_log_days_override,
  };
}

interface FieldsProps {
  readonly organization: Organization;
  readonly terms: Terms;
  readonly set: (changes: Partial<Terms>) => void;
  readonly error: Error | null;
}

/** Which plan, until when, why, and whether it is paid. */
function PlanFields({ organization, terms, set, error }: FieldsProps) {
  const { t } = useTranslation("admin");
  const planName = usePlanName();
  const { plan, billing_state: billing } = terms;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={t("organizations.plan")}
          description={t(
            organization.subscription === null ? "terms.planWords" : "terms.planWordsSubscribed",
          )}
          inputWrapperOrder={["label", "input", "description", "error"]}
          data={plans.map((value) => ({ value, label: planName(value) }))}
          value={plan}
          onChange={(value) => set({ plan: plans.find((one) => one === value) ?? plan })}
          allowDeselect={false}
          error={fieldError(error, "plan")}
        />
        {plan !== "free" && (
          <DateTimeField
            label={t("terms.ends")}
            description={t("terms.endsWords")}
            inputWrapperOrder={["label", "input", "description", "error"]}
            value={terms.plan_ends_at}
            onChange={(value) => set({ plan_ends_at: value })}
            error={fieldError(error, "plan_ends_at")}
          />
        )}
      </SimpleGrid>
      <Textarea
        label={t("terms.note")}
        description={t("terms.noteWords")}
        autosize
        minRows={1}
        maxLength={2_000}
        value={terms.plan_note ?? ""}
        onChange={(event) => set({ plan_note: event.currentTarget.value || null })}
        error={fieldError(error, "plan_note")}
      />
      <Select
        label={t("organizations.billing")}
        description={t(`terms.states.${billing}`, { count: graceDays })}
        inputWrapperOrder={["label", "input", "description", "error"]}
        data={billingStates.map((value) => ({ value, label: t(`billing.${value}`) }))}
        value={billing}
        onChange={(value) => set({ billing_state: billingStates.find((one) => one === value) ?? billing })}
        allowDeselect={false}
      />
    </>
  );
}

/** The limits, each that of the plan or another. */
function OverrideFields({ terms, set, error }: FieldsProps) {
  const { t, i18n } = useTranslation("admin");
  // A cancelled organization is served like one on the free plan.
  const plan = usePlanOf()(terms.billing_state === "cancelled" ? "free" : terms.plan);
  const limitText = (limit: number | null | undefined) =>
    limit === undefined
      ? t("allowance.planDefault")
      : limit === null
        ? t("terms.planNoLimit")
        : t("terms.planLimit", { limit: limit.toLocaleString(i18n.language) });
  const field = (name: Override | "daily_limit_override" | "daily_emails_override") => ({
    value: terms[name],
    onChange: (value: number | null) => set({ [name]: value }),
    error: fieldError(error, name),
  });
  return (
    <>
      <Title order={3}>{t("terms.limits")}</Title>
      <OverrideField
        label={t("terms.requests")}
        description={t("terms.requestsWords")}
        defaultText={limitText(plan?.daily_limit)}
        max={1_000_000_000_000}
        {...field("daily_limit_override")}
      />
      <ValidateHelp about="dailyLimit" />
      <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="md">
        {overrides.map((name) => {
          const limit = planLimitOf(name);
          const isServerDefault = name === "request_log_days_override" && plan?.[limit] === null;
          return (
            <OverrideField
              key={name}
              label={t(`limits.${limit}`)}
              description={t(`terms.${limit}`)}
              defaultText={isServerDefault ? t("terms.serverDefault") : limitText(plan?.[limit])}
              min={leastOf(limit)}
              max={mostOf[limit]}
              {...field(name)}
            />
          );
        })}
        <OverrideField
          label={t("terms.emails")}
          description={t("terms.emailsWords")}
          defaultText={t("terms.serverDefault")}
          max={1_000_000_000}
          {...field("daily_emails_override")}
        />
      </SimpleGrid>
    </>
  );
}

type OverriddenLimit = Override extends `${infer Limit}_override` ? Limit : never;

function planLimitOf(name: Override) {
  return name.replace(/_override$/, "") as "max_products" & OverriddenLimit;
}
