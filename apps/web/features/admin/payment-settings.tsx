import { Code, Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { Trans, useTranslation } from "react-i18next";
import { paths } from "../../session/paths.ts";
import { Copyable } from "../../ui/copy.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Notice } from "../../ui/notice.tsx";
import { Panel } from "../../ui/panel.tsx";
import { fieldError, ProblemAlert } from "../../ui/problem-alert.tsx";
import { SaveForm } from "../../ui/save-form.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import classes from "./admin.module.css";
import { changedFields } from "./changed-fields.ts";
import type { Settings } from "./settings-notices.tsx";
import { useSave } from "./use-save.ts";

/** How organizations pay, or whom they ask. */
export function PaymentSettings({ settings }: { settings: Settings }) {
  const { t, i18n } = useTranslation("admin");
  const { save, error, isBusy } = useSave("updatePlatformSettings");
  const saved = {
    currency: settings.currency,
    billing_contact: settings.billing_contact,
    automatic_tax: settings.automatic_tax,
  };
  const [typed, setTyped] = useState(saved);
  return (
    <Panel title={t("settings.payments")} lead={t("settings.paymentsLead")}>
      <PaymentStatus payments={settings.payments} />
      <SaveForm
        onSubmit={() =>
          save({
            body: changedFields(saved, { ...typed, billing_contact: typed.billing_contact?.trim() || null }),
          })
        }
        isBusy={isBusy}
        typed={typed}
        base={saved}
        error={error}
      >
        <Select
          maw={420}
          label={t("settings.currency")}
          description={t("settings.currencyWords")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          searchable
          data={currencyChoices(i18n.language, settings.currency)}
          value={typed.currency}
          onChange={(value) => setTyped({ ...typed, currency: value ?? typed.currency })}
          allowDeselect={false}
          error={fieldError(error, "currency")}
        />
        {typed.currency !== saved.currency && (
          <Notice tone="warn" title={t("settings.currencyChanges")}>
            <GoLink to={paths.plans()} size="sm" underline="always">
              {t("settings.checkPrices")}
            </GoLink>
          </Notice>
        )}
        <TextInput
          maw={420}
          label={t("settings.contact")}
          description={t("settings.contactWords")}
          inputWrapperOrder={["label", "input", "description", "error"]}
          placeholder="billing@example.com"
          autoComplete="off"
          maxLength={2_000}
          value={typed.billing_contact ?? ""}
          onChange={(event) => setTyped({ ...typed, billing_contact: event.currentTarget.value || null })}
          error={fieldError(error, "billing_contact")}
        />
        <Switch
          label={t("settings.tax")}
          description={t("settings.taxWords")}
          checked={typed.automatic_tax}
          onChange={(event) => setTyped({ ...typed, automatic_tax: event.currentTarget.checked })}
        />
        <ProblemAlert error={error} beside={["currency", "billing_contact"]} />
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
