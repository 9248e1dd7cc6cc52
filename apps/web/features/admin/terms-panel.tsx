import { graceDays } from "@countersign/domain/billing/terms";
import { Group, Select, SimpleGrid, Stack, Text, Textarea, Title } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer, Body } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { SaveForm } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { DateTimeField, fromLocal, toLocal } from "../../ui/time-fields.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { changedFields } from "./changed-fields.ts";
import { OverrideField } from "./override-field.tsx";
import { leastOf, mostOf } from "./plan-changes.ts";
import { usePlanName, usePlanOf } from "./plan-names.ts";
import { RefusedLicenses } from "./suspension-panel.tsx";
import { billingStates, type Override, overrides, plans } from "./terms.ts";

type Organization = Answer<"getPlatformOrganization">;

/** Plan, limits and billing of an organization. */
export function TermsPanel({ organization }: { organization: Organization }) {
  const { t, i18n } = useTranslation("admin");
  const planName = usePlanName();
  const planOf = usePlanOf();
  const saved = termsOf(organization);
  const [terms, setTerms] = useState(saved);
  const [endsAt, setEndsAt] = useState(toLocal(organization.plan_ends_at));
  const set = (changes: Partial<typeof saved>) => setTerms((before) => ({ ...before, ...changes }));
  const save = useChange("updatePlatformOrganization");
  const [isAsking, setAsking] = useState(false);
  const { plan, billing_state: billing } = terms;
  const stops = billing === "suspended" && organization.billing_state !== "suspended";
  // A cancelled organization is served like one on the free plan.
  const served = planOf(billing === "cancelled" ? "free" : plan);
  const usual = (limit: number | null | undefined) =>
    limit === undefined
      ? t("allowance.planDefault")
      : limit === null
        ? t("terms.planNoLimit")
        : t("terms.planLimit", { limit: limit.toLocaleString(i18n.language) });
  // The free plan has no end.
  const end = plan === "free" ? "" : endsAt;
  const submit = () => {
    const changes: Body<"updatePlatformOrganization"> = changedFields(saved, {
      ...terms,
      plan_note: terms.plan_note?.trim() || null,
    });
    if (end !== toLocal(organization.plan_ends_at)) changes.plan_ends_at = fromLocal(end);
    // The new state remounts the form, and callbacks of an unmounted form are not called.
    return save
      .mutateAsync({
        params: { organization_id: organization.id },
        body: { ...changes, updated_at: organization.updated_at },
      })
      .then(
        () => notify(t("terms.done")),
        // The error is shown above the button.
        () => undefined,
      );
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
        isBusy={save.isPending}
        typed={[terms, end]}
        base={[saved, toLocal(organization.plan_ends_at)]}
        error={save.error}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Select
            label={t("organizations.plan")}
            description={
              organization.subscription === null ? t("terms.planWords") : t("terms.planWordsSubscribed")
            }
            inputWrapperOrder={["label", "input", "description", "error"]}
            data={plans.map((value) => ({ value, label: planName(value) }))}
            value={plan}
            onChange={(value) => set({ plan: plans.find((one) => one === value) ?? plan })}
            allowDeselect={false}
            error={fieldError(save.error, "plan")}
          />
          {plan !== "free" && (
            <DateTimeField
              label={t("terms.ends")}
              description={t("terms.endsWords")}
              inputWrapperOrder={["label", "input", "description", "error"]}
              value={endsAt}
              onChange={setEndsAt}
              error={fieldError(save.error, "plan_ends_at")}
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
          error={fieldError(save.error, "plan_note")}
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
        <Title order={3}>{t("terms.limits")}</Title>
        <OverrideField
          label={t("terms.requests")}
          description={t("terms.requestsWords")}
          usual={usual(served?.daily_limit)}
          value={terms.daily_limit_override}
          onChange={(value) => set({ daily_limit_override: value })}
          error={fieldError(save.error, "daily_limit_override")}
          max={1_000_000_000_000}
        />
        <ValidateHelp about="dailyLimit" />
        <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="md">
          {overrides.map((name) => {
            const isLog = name === "request_log_days_override";
            const limit = planLimitOf(name);
            const ofPlan = served?.[limit];
            return (
              <OverrideField
                key={name}
                label={t(`limits.${limit}`)}
                description={t(`terms.${limit}`)}
                usual={isLog && ofPlan === null ? t("terms.serverDefault") : usual(ofPlan)}
                value={terms[name]}
                onChange={(value) => set({ [name]: value })}
                error={fieldError(save.error, name)}
                min={leastOf(limit)}
                max={mostOf[limit]}
              />
            );
          })}
          <OverrideField
            label={t("terms.emails")}
            description={t("terms.emailsWords")}
            usual={t("terms.serverDefault")}
            value={terms.daily_emails_override}
            onChange={(value) => set({ daily_emails_override: value })}
            error={fieldError(save.error, "daily_emails_override")}
            max={1_000_000_000}
          />
        </SimpleGrid>
        <Group gap={0}>
          <ProblemAlert
            error={save.error}
            beside={[
              "plan",
              "plan_note",
              "plan_ends_at",
              "daily_limit_override",
              "daily_emails_override",
              ...overrides,
            ]}
          />
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

/** What the form changes, as it is saved. */
function termsOf(organization: Organization) {
  return {
    plan: organization.plan,
    plan_note: organization.plan_note,
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

type OverriddenLimit = Override extends `${infer Limit}_override` ? Limit : never;

function planLimitOf(name: Override) {
  return name.replace(/_override$/, "") as "max_products" & OverriddenLimit;
}
