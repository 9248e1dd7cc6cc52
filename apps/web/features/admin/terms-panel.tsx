import { graceDays } from "@countersign/domain/billing/terms";
import { Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { AreaField } from "../../ui/fields.tsx";
import { SaveForm } from "../../ui/form.tsx";
import { ValidateHelp } from "../../ui/help.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { DateTimeField, fromLocal, toLocal } from "../../ui/time-fields.tsx";
import { FormProblem, type FormState, useForm } from "../../ui/use-form.tsx";
import { OverrideField } from "./limit-fields.tsx";
import { maxOf, minOf, usePlanName, usePlanOf } from "./plans.ts";
import { changedFields } from "./settings-form.ts";
import { RefusedLicenses } from "./suspension-panel.tsx";
import { billingStates, type Override, overrides, plans } from "./terms.ts";

type Organization = Answer<"getPlatformOrganization">;

/** Plan, limits and billing of an organization. */
export function TermsPanel({ organization }: { organization: Organization }) {
  const { t } = useTranslation("admin");
  const save = useChange("updatePlatformOrganization");
  const saved = termsOf(organization);
  const form = useForm({
    start: saved,
    send: async (terms) => {
      const {
        plan_note: note,
        plan_ends_at: end,
        ...changes
      } = changedFields(saved, {
        ...withoutFreeEnd(terms),
        plan_note: terms.plan_note.trim(),
      });
      await save.mutateAsync({
        params: { organization_id: organization.id },
        body: {
          ...changes,
          ...(note === undefined ? {} : { plan_note: note || null }),
          ...(end === undefined ? {} : { plan_ends_at: fromLocal(end) }),
          updated_at: organization.updated_at,
        },
      });
      notify(t("terms.done"));
    },
  });
  const [isAsking, setAsking] = useState(false);
  const stops = form.values.billing_state === "suspended" && organization.billing_state !== "suspended";
  return (
    <Panel title={t("terms.title")} lead={t("terms.lead")}>
      <SaveForm
        {...form.props}
        typed={withoutFreeEnd(form.values)}
        onSubmit={() => {
          if (!stops) return form.submit();
          setAsking(true);
          // Nothing has been sent yet.
          return false;
        }}
      >
        <PlanFields form={form} isSubscribed={organization.subscription !== null} />
        <OverrideFields form={form} />
        <Group gap={0}>
          <FormProblem form={form} />
        </Group>
      </SaveForm>
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t("suspension.billing", { name: organization.name })}
        action={t("everywhere:save")}
        onConfirm={form.submit}
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

type Terms = ReturnType<typeof termsOf>;

/** What the form changes, as it is saved; the end of the plan as it is typed. */
function termsOf(organization: Organization) {
  return {
    plan: organization.plan,
    plan_note: organization.plan_note ?? "",
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

/** The free plan has no end. */
function withoutFreeEnd(terms: Terms): Terms {
  return terms.plan === "free" ? { ...terms, plan_ends_at: "" } : terms;
}

/** Which plan, until when, why, and whether it is paid. */
function PlanFields({ form, isSubscribed }: { form: FormState<Terms>; isSubscribed: boolean }) {
  const { t } = useTranslation("admin");
  const planName = usePlanName();
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <SelectField
          {...form.field("plan")}
          label={t("organizations.plan")}
          description={t(isSubscribed ? "terms.planWordsSubscribed" : "terms.planWords")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          values={plans}
          words={planName}
        />
        {form.values.plan !== "free" && (
          <DateTimeField
            {...form.field("plan_ends_at")}
            label={t("terms.ends")}
            description={t("terms.endsWords")}
            inputWrapperOrder={["label", "input", "description", "error"]}
          />
        )}
      </SimpleGrid>
      <AreaField
        {...form.field("plan_note")}
        label={t("terms.note")}
        description={t("terms.noteWords")}
        minRows={1}
        maxLength={2_000}
      />
      <SelectField
        {...form.field("billing_state")}
        label={t("organizations.billing")}
        description={t(`terms.states.${form.values.billing_state}`, { count: graceDays })}
        inputWrapperOrder={["label", "input", "description", "error"]}
        values={billingStates}
        words={(value) => t(`billing.${value}`)}
      />
    </>
  );
}

/** The limits, each that of the plan or another. */
function OverrideFields({ form }: { form: FormState<Terms> }) {
  const { t, i18n } = useTranslation("admin");
  // A cancelled organization is served like one on the free plan.
  const plan = usePlanOf()(form.values.billing_state === "cancelled" ? "free" : form.values.plan);
  const limitText = (limit: number | null | undefined) =>
    limit === undefined
      ? t("allowance.planDefault")
      : limit === null
        ? t("terms.planNoLimit")
        : t("terms.planLimit", { limit: limit.toLocaleString(i18n.language) });
  return (
    <>
      <Title order={3}>{t("terms.limits")}</Title>
      <OverrideField
        label={t("terms.requests")}
        description={t("terms.requestsWords")}
        defaultText={limitText(plan?.daily_limit)}
        max={1_000_000_000_000}
        {...form.field("daily_limit_override")}
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
              min={minOf(limit)}
              max={maxOf[limit]}
              {...form.field(name)}
            />
          );
        })}
        <OverrideField
          label={t("terms.emails")}
          description={t("terms.emailsWords")}
          defaultText={t("terms.serverDefault")}
          max={1_000_000_000}
          {...form.field("daily_emails_override")}
        />
      </SimpleGrid>
    </>
  );
}

type OverriddenLimit = Override extends `${infer Limit}_override` ? Limit : never;

function planLimitOf(name: Override) {
  return name.replace(/_override$/, "") as "max_products" & OverriddenLimit;
}
