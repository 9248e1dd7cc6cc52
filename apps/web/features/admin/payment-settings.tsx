import { Code, Select, Stack, Text } from "@mantine/core";
import { Trans, useTranslation } from "react-i18next";
import { paths } from "../../session/paths.ts";
import { Copyable } from "../../ui/copy.tsx";
import { SwitchField, TextField } from "../../ui/fields.tsx";
import { SaveForm } from "../../ui/form.tsx";
import { GoLink } from "../../ui/links.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/section.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { FormProblem } from "../../ui/use-form.tsx";
import classes from "./admin.module.css";
import { type Settings, useSettingsForm } from "./settings-form.ts";

/** How organizations pay, or whom they ask. */
export function PaymentSettings({ settings }: { settings: Settings }) {
  const { t, i18n } = useTranslation("admin");
  const form = useSettingsForm(
    {
      currency: settings.currency,
      billing_contact: settings.billing_contact ?? "",
      automatic_tax: settings.automatic_tax,
    },
    (values) => ({ ...values, billing_contact: values.billing_contact.trim() || null }),
  );
  return (
    <Panel title={t("settings.payments")} lead={t("settings.paymentsLead")}>
      <PaymentStatus payments={settings.payments} />
      <SaveForm {...form.props}>
        <Select
          {...form.field("currency")}
          maw={420}
          label={t("settings.currency")}
          description={t("settings.currencyWords")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          searchable
          data={currencyChoices(i18n.language, settings.currency)}
          onChange={(currency) => currency !== null && form.set({ currency })}
          allowDeselect={false}
        />
        {form.values.currency !== settings.currency && (
          <Notice tone="warn" title={t("settings.currencyChanges")}>
            <GoLink to={paths.plans()} size="sm" underline="always">
              {t("settings.checkPrices")}
            </GoLink>
          </Notice>
        )}
        <TextField
          {...form.field("billing_contact")}
          maw={420}
          label={t("settings.contact")}
          description={t("settings.contactWords")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          placeholder="billing@example.com"
          autoComplete="off"
          maxLength={2_000}
        />
        <SwitchField
          {...form.field("automatic_tax")}
          label={t("settings.tax")}
          description={t("settings.taxWords")}
        />
        <FormProblem form={form} />
      </SaveForm>
    </Panel>
  );
}

/** Whether Stripe is set up, which only the environment can do, and how. */
function PaymentStatus({ payments }: { payments: Settings["payments"] }) {
  const { t } = useTranslation("admin");
  return (
    <Stack gap="xs">
      <StateMark tone={payments === "live" ? "good" : payments === "test" ? "warn" : "off"}>
        {t(`settings.status.${payments}`)}
      </StateMark>
      <Text size="sm">{t(`settings.statusWords.${payments}`)}</Text>
      {payments === "off" && (
        <ol className={classes.steps}>
          <li>
            <Trans t={t} i18nKey="settings.setup.key" components={{ code: <Code /> }} />
          </li>
          <li>
            {t("settings.setup.webhook")}
            <Copyable value={`${window.location.origin}/api/stripe/webhook`} />
          </li>
          <li>
            <Trans t={t} i18nKey="settings.setup.secret" components={{ code: <Code /> }} />
          </li>
          <li>
            <GoLink to={paths.plans()} inherit underline="always">
              {t("settings.setup.prices")}
            </GoLink>
          </li>
        </ol>
      )}
    </Stack>
  );
}

/** The currencies to choose from, with their names in a language. */
function currencyChoices(language: string, current: string) {
  const names = new Intl.DisplayNames(language, { type: "currency" });
  const codes = new Set([current.toUpperCase(), ...Intl.supportedValuesOf("currency")]);
  return [...codes]
    .filter((code) => code === current.toUpperCase() || !isOutOfUse(code, names))
    .map((code) => ({ value: code.toLowerCase(), label: `${code} – ${nameOf(code, names)}` }))
    .sort((one, other) => one.label.localeCompare(other.label, language));
}

/** Browsers list currencies of the past too; their names end with the years. */
function isOutOfUse(code: string, names: Intl.DisplayNames): boolean {
  return (
    /\d{4}/.test(nameOf(code, names)) || code.startsWith("X") !== ["XAF", "XCD", "XOF", "XPF"].includes(code)
  );
}

function nameOf(code: string, names: Intl.DisplayNames): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code;
  }
}
