import { Group, NumberInput, Radio, Stack, Switch } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ValidateHelp } from "../../ui/help.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { EndField } from "../../ui/time-fields.tsx";
import { exactUnits, units } from "./bulk-actions.ts";
import { TermFields } from "./bulk-fields.tsx";
import { type Expiry, expiryChosen, type FieldsProps } from "./new-draft.ts";

const expiries = ["lifetime", "from_now", "first_use", "date"] as const;

/** The expiry and the IP limit of a license. */
export function TermsFields({ draft, set, error }: FieldsProps) {
  const { t } = useTranslation("licenses");
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t("columns.expires")}
        value={draft.expiry}
        onChange={(expiry) => set(expiryChosen(draft, expiry as Expiry))}
      >
        <Group gap="md" mt={6}>
          {expiries.map((expiry) => (
            <Radio key={expiry} value={expiry} label={t(`expiries.${expiry}`)} />
          ))}
        </Group>
      </Radio.Group>
      {draft.expiry === "date" && (
        <EndField
          label={t("fields.expires_at")}
          required
          value={draft.expiresOn}
          error={fieldError(error, "expires_at")}
          onChange={(expiresOn) => set({ expiresOn })}
        />
      )}
      {(draft.expiry === "from_now" || draft.expiry === "first_use") && (
        <TermFields
          label={t("fields.term")}
          amount={draft.amount}
          unit={draft.unit}
          units={draft.expiry === "first_use" ? exactUnits : units}
          error={fieldError(error, "expires_in") ?? fieldError(error, "term_seconds")}
          onChange={set}
        />
      )}
      {draft.expiry !== "lifetime" && <ValidateHelp about="expiry" />}
      <Switch
        mt="xs"
        label={t("fields.ip_system_enabled")}
        description={t("new.ipSystemHint")}
        checked={draft.ipSystem}
        onChange={(event) => set({ ipSystem: event.currentTarget.checked })}
      />
      {draft.ipSystem && (
        <NumberInput
          label={t("fields.max_ips")}
          value={draft.maxIps}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          required
          maw={220}
          error={fieldError(error, "max_ips")}
          onChange={(maxIps) => set({ maxIps })}
        />
      )}
      {draft.ipSystem && <ValidateHelp about="ipLimit" />}
    </Stack>
  );
}
