import { dailyLimit } from "@countersign/domain/quota/limit";
import { Button, Group, Select, Stack } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { useChange } from "../../api/queries.ts";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { tell } from "../../ui/tell.tsx";
import { ValidateHelp } from "../../ui/validate-help.tsx";
import { OwnOrUsual } from "./own-or-usual.tsx";
import { billingStates, plans } from "./routes.tsx";

/** Plan, limits and billing of an organization. */
export function TermsPanel({ organization }: { organization: Answer<"getPlatformOrganization"> }) {
  const { t, i18n } = useTranslation("admin");
  const [plan, setPlan] = useState(organization.plan);
  const [billing, setBilling] = useState(organization.billing_state);
  const [requests, setRequests] = useState(organization.daily_limit_override);
  const [letters, setLetters] = useState(organization.daily_letters_override);
  const save = useChange("updatePlatformOrganization", [
    "getPlatformOrganization",
    "listPlatformOrganizations",
    "listOrganizations",
  ]);
  const isChanged =
    plan !== organization.plan ||
    billing !== organization.billing_state ||
    requests !== organization.daily_limit_override ||
    letters !== organization.daily_letters_override;
  const ofPlan = dailyLimit({ plan, billing, dailyLimitOverride: null });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The new state makes the form anew, and what hangs on a form is not called once it is gone.
    save
      .mutateAsync({
        params: { organization_id: organization.id },
        body: {
          plan,
          billing_state: billing,
          daily_limit_override: requests,
          daily_letters_override: letters,
          updated_at: organization.updated_at,
        },
      })
      .then(
        () => tell(t("terms.done")),
        // Shown above the button.
        () => undefined,
      );
  };
  return (
    <Panel title={t("terms.title")} lead={t("terms.lead")}>
      <form onSubmit={submit}>
        <Stack>
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
          <OwnOrUsual
            label={t("terms.requests")}
            description={t("terms.requestsWords")}
            usual={
              ofPlan === null
                ? t("terms.planNoLimit")
                : t("terms.planLimit", { limit: ofPlan.toLocaleString(i18n.language) })
            }
            value={requests}
            onChange={setRequests}
            error={fieldError(save.error, "daily_limit_override")}
            max={1_000_000_000_000}
          />
          <ValidateHelp about="dailyLimit" />
          <OwnOrUsual
            label={t("terms.letters")}
            description={t("terms.lettersWords")}
            usual={t("terms.asServer")}
            value={letters}
            onChange={setLetters}
            error={fieldError(save.error, "daily_letters_override")}
            max={1_000_000_000}
          />
          <ProblemAlert error={save.error} beside={["daily_limit_override", "daily_letters_override"]} />
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!isChanged}>
              {t("everywhere:save")}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
