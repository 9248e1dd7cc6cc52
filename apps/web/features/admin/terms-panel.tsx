import { effectivePlan } from "@countersign/domain/quota/limit";
import { Group, Select, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask, useChange } from "../../api/queries.ts";
import { Confirm } from "../../ui/confirm.tsx";
import { notify } from "../../ui/notify.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { SaveForm } from "../../ui/save-form.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { OverrideField } from "./override-field.tsx";
import { RefusedLicenses } from "./suspension-panel.tsx";
import { billingStates, plans } from "./terms.ts";

/** Plan, limits and billing of an organization. */
export function TermsPanel({ organization }: { organization: Answer<"getPlatformOrganization"> }) {
  const { t, i18n } = useTranslation("admin");
  const [plan, setPlan] = useState(organization.plan);
  const [billing, setBilling] = useState(organization.billing_state);
  const [requests, setRequests] = useState(organization.daily_limit_override);
  const [emailLimit, setEmailLimit] = useState(organization.daily_emails_override);
  const save = useChange("updatePlatformOrganization", [
    "getPlatformOrganization",
    "listPlatformOrganizations",
    "listOrganizations",
  ]);
  const known = useQuery(ask("listPlans"));
  const ofPlan = known.data?.data.find((one) => one.plan === effectivePlan(plan, billing))?.daily_limit;
  const [isAsking, setAsking] = useState(false);
  const stops = billing === "suspended" && organization.billing_state !== "suspended";
  const submit = () =>
    // The new state remounts the form, and callbacks of an unmounted form are not called.
    save
      .mutateAsync({
        params: { organization_id: organization.id },
        body: {
          plan,
          billing_state: billing,
          daily_limit_override: requests,
          daily_emails_override: emailLimit,
          updated_at: organization.updated_at,
        },
      })
      .then(
        () => notify(t("terms.done")),
        // The error is shown above the button.
        () => undefined,
      );
  return (
    <Panel title={t("terms.title")} lead={t("terms.lead")}>
      <SaveForm
        onSave={() => {
          if (!stops) return submit();
          setAsking(true);
          // Nothing has been sent yet.
          return false;
        }}
        isBusy={save.isPending}
        typed={[plan, billing, requests, emailLimit]}
        base={[
          organization.plan,
          organization.billing_state,
          organization.daily_limit_override,
          organization.daily_emails_override,
        ]}
        error={save.error}
      >
        <Group grow align="flex-start">
          <Select
            label={t("organizations.plan")}
            data={plans.map((value) => ({ value, label: t(`plans.${value}`) }))}
            value={plan}
            onChange={(value) => setPlan(plans.find((one) => one === value) ?? plan)}
            allowDeselect={false}
          />
          <Select
            label={t("organizations.billing")}
            data={billingStates.map((value) => ({ value, label: t(`billing.${value}`) }))}
            value={billing}
            onChange={(value) => setBilling(billingStates.find((one) => one === value) ?? billing)}
            allowDeselect={false}
          />
        </Group>
        <OverrideField
          label={t("terms.requests")}
          description={t("terms.requestsWords")}
          usual={
            ofPlan === undefined || ofPlan === null
              ? t(ofPlan === null ? "terms.planNoLimit" : "terms.planDefault")
              : t("terms.planLimit", { limit: ofPlan.toLocaleString(i18n.language) })
          }
          value={requests}
          onChange={setRequests}
          error={fieldError(save.error, "daily_limit_override")}
          max={1_000_000_000_000}
        />
        <ValidateHelp about="dailyLimit" />
        <OverrideField
          label={t("terms.emails")}
          description={t("terms.emailsWords")}
          usual={t("terms.serverDefault")}
          value={emailLimit}
          onChange={setEmailLimit}
          error={fieldError(save.error, "daily_emails_override")}
          max={1_000_000_000}
        />
        <ProblemAlert error={save.error} beside={["daily_limit_override", "daily_emails_override"]} />
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
