import { usualDefaultPlan } from "@countersign/domain/organizations/sign-up";
import { Radio, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { SaveForm } from "../../ui/form.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { Page, Waiting } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Panel } from "../../ui/section.tsx";
import { SelectField } from "../../ui/select-field.tsx";
import { FormProblem } from "../../ui/use-form.tsx";
import { numberSeparators } from "./limit-fields.tsx";
import { PaymentSettings } from "./payment-settings.tsx";
import { usePlanName, usePlanOf } from "./plans.ts";
import { type Settings, useSettingsForm } from "./settings-form.ts";
import { AuditLogArchiveNotice, OpenSignUpNotice } from "./settings-notices.tsx";
import { plans } from "./terms.ts";

/** The settings of the whole server. Each panel is reset if someone else changes what it shows. */
export function SettingsPage() {
  const { t } = useTranslation("admin");
  const { data, isPending, error } = useQuery(ask("getPlatformSettings"));
  if (isPending) return <Waiting />;
  return (
    <Page narrow title={t("settings.title")} lead={t("settings.lead")}>
      <ProblemAlert error={error} />
      {data !== undefined && (
        <>
          <OpenSignUpNotice settings={data} />
          <AuditLogArchiveNotice settings={data} />
          <SignUpSettings key={`sign-up ${data.default_plan} ${data.sign_up}`} settings={data} />
          <LimitSettings
            key={`limits ${data.daily_emails} ${data.webhook_endpoints} ${data.request_log_days} ${data.request_log_mb}`}
            settings={data}
          />
          <PaymentSettings
            key={`payments ${data.currency} ${data.billing_contact} ${data.automatic_tax}`}
            settings={data}
          />
        </>
      )}
    </Page>
  );
}

/** Who can create an account, and the plan of new organizations. */
function SignUpSettings({ settings }: { settings: Settings }) {
  const { t, i18n } = useTranslation("admin");
  const planName = usePlanName();
  const planOf = usePlanOf();
  const form = useSettingsForm(
    { default_plan: settings.default_plan, sign_up: settings.sign_up },
    (values) => values,
  );
  const isPlanFixed = settings.default_plan_set_by === "environment";
  const isSignUpFixed = settings.sign_up_set_by === "environment";
  const plan = planOf(form.values.default_plan);
  /** As long as nobody has decided on the default plan, it depends on who signs up. */
  const chooseSignUp = (sign_up: Settings["sign_up"]) => {
    const isUndecided = settings.default_plan_set_by === "nobody";
    form.set({ sign_up, ...(isUndecided ? { default_plan: usualDefaultPlan(sign_up) } : {}) });
  };
  const figure = (value: number | null | undefined) =>
    value == null ? t("noLimit") : value.toLocaleString(i18n.language);
  return (
    <Panel title={t("settings.signUp")} lead={t("settings.signUpLead")}>
      <SaveForm {...form.props}>
        <Radio.Group
          {...form.field("sign_up")}
          label={t("settings.whoSignsUp")}
          description={
            isSignUpFixed ? t("settings.environment", { variable: "COUNTERSIGN_SIGN_UP" }) : undefined
          }
          onChange={(value) => chooseSignUp(value === "open" ? "open" : "closed")}
        >
          <Stack gap={6} mt={6}>
            {(["closed", "open"] as const).map((value) => (
              <Radio
                key={value}
                value={value}
                label={t(`settings.sign_up.${value}`)}
                description={t(`settings.sign_up.${value}_words`)}
                disabled={isSignUpFixed}
              />
            ))}
          </Stack>
        </Radio.Group>
        <SelectField
          {...form.field("default_plan")}
          maw={420}
          label={t("settings.plan")}
          description={
            isPlanFixed
              ? t("settings.environment", { variable: "COUNTERSIGN_DEFAULT_PLAN" })
              : t("settings.planWords", {
                  requests: figure(plan?.daily_limit),
                  organizations: figure(plan?.organizations_per_user),
                })
          }
          inputWrapperOrder={["label", "input", "description", "error"]}
          disabled={isPlanFixed}
          values={plans}
          words={planName}
        />
        <FormProblem form={form} />
      </SaveForm>
    </Panel>
  );
}

const limits = [
  { name: "daily_emails", variable: "COUNTERSIGN_DAILY_EMAILS", min: 0, max: 10_000_000 },
  { name: "webhook_endpoints", variable: "COUNTERSIGN_WEBHOOK_ENDPOINTS", min: 1, max: 1_000 },
  { name: "request_log_days", variable: "COUNTERSIGN_REQUEST_LOG_DAYS", min: 1, max: 3_650 },
  { name: "request_log_mb", variable: "COUNTERSIGN_REQUEST_LOG_MB", min: 10, max: 10_000_000 },
] as const;

type LimitName = (typeof limits)[number]["name"];

/** What applies to organizations without limits of their own. */
function LimitSettings({ settings }: { settings: Settings }) {
  const { t, i18n } = useTranslation("admin");
  const start: Record<LimitName, number | ""> = {
    daily_emails: settings.daily_emails,
    webhook_endpoints: settings.webhook_endpoints,
    request_log_days: settings.request_log_days,
    request_log_mb: settings.request_log_mb,
  };
  // An empty field is required, so that the form is not sent with one.
  const form = useSettingsForm(start, (values) => values as Record<LimitName, number>);
  return (
    <Panel title={t("settings.limits")} lead={t("settings.limitsLead")}>
      <SaveForm {...form.props}>
        {limits.map(({ name, variable, min, max }) => {
          const isFixed = settings[`${name}_set_by`] === "environment";
          return (
            <NumberField
              key={name}
              {...form.field(name)}
              maw={420}
              label={t(`settings.${name}`)}
              description={isFixed ? t("settings.environment", { variable }) : t(`settings.${name}_words`)}
              inputWrapperOrder={["label", "input", "description", "error"]}
              disabled={isFixed}
              required
              withAsterisk={false}
              min={min}
              max={max}
              clampBehavior="strict"
              allowDecimal={false}
              allowNegative={false}
              hideControls={isFixed}
              {...numberSeparators(i18n.language)}
            />
          );
        })}
        <FormProblem form={form} />
      </SaveForm>
    </Panel>
  );
}
