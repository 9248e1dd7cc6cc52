import { SimpleGrid } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { AreaField, Choice, SwitchField, TextField } from "../../../ui/fields.tsx";
import { JsonField } from "../../../ui/json-field.tsx";
import { NumberField } from "../../../ui/number-field.tsx";
import { fieldError } from "../../../ui/problem-alert.tsx";
import { TagsField } from "../../../ui/select-field.tsx";
import { EndField } from "../../../ui/time-fields.tsx";
import type { FormState } from "../../../ui/use-form.tsx";
import type { Draft } from "./draft.ts";
import { Part } from "./edit-part.tsx";
import type { License } from "./license.ts";

interface EditFieldsProps {
  readonly form: FormState<Draft>;
  readonly license: License;
}

export function EditFields({ form, license }: EditFieldsProps) {
  const { t } = useTranslation("licenses");
  const { values, field } = form;
  const named = <Name extends keyof Draft>(name: Name) => ({ ...field(name), label: t(`fields.${name}`) });
  return (
    <>
      <Part title={t("fields.customer")}>
        <TextField
          {...named("customer_email")}
          description={t("edit.emailHelp")}
          type="email"
          autoComplete="off"
          data-autofocus
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextField {...named("customer_name")} autoComplete="off" />
          <TextField {...named("customer_discord_id")} inputMode="numeric" autoComplete="off" />
        </SimpleGrid>
      </Part>
      <Part title={t("fields.expiry")} about="expiry">
        <Choice
          {...field("expiry")}
          label={t("edit.expiry")}
          values={
            license.first_used_at === null || values.expiry === "first_use" ? expiries : expiries.slice(0, 2)
          }
          words={(value) => t(`expiries.${value}`)}
        />
        {values.expiry === "date" && <EndField {...field("expires_at")} label={t("edit.until")} required />}
        {values.expiry === "first_use" && (
          <NumberField
            {...field("term_days")}
            error={fieldError(form.error, "term_seconds")}
            label={t("edit.termDays")}
            description={t("edit.termHelp")}
            min={0.01}
            max={36_500}
            required
          />
        )}
      </Part>
      <Part title={t("fields.max_ips")} about="ipLimit">
        <SwitchField {...named("ip_system_enabled")} description={t("edit.ipLimitHelp")} />
        <NumberField
          {...named("max_ips")}
          description={
            Number(values.max_ips) < license.current_unique_ip_count
              ? t("edit.limitBelowCount", { count: license.current_unique_ip_count })
              : undefined
          }
          min={1}
          max={1_000_000}
          allowDecimal={false}
          required
          disabled={!values.ip_system_enabled}
        />
      </Part>
      <Part title={t("fields.version")} about="versions">
        <Choice
          {...named("version_pin_mode")}
          values={["any", "pinned", "range"]}
          words={(value) => t(`versionChoices.${value}`)}
        />
        {values.version_pin_mode === "pinned" && (
          <TextField {...named("version_pinned")} placeholder="2.1.0" required autoComplete="off" />
        )}
        {values.version_pin_mode === "range" && (
          <SimpleGrid cols={2}>
            <TextField {...named("version_range_min")} placeholder="1.9.0" autoComplete="off" />
            <TextField {...named("version_range_max")} placeholder="3.0.0" autoComplete="off" />
          </SimpleGrid>
        )}
      </Part>
      <Part title={t("notesAndData")} about="customOverride">
        <TagsField {...named("tags")} description={t("fields.tagsHint")} />
        <AreaField {...named("notes")} description={t("fields.notesHint")} maxRows={12} />
        <JsonField {...named("metadata")} description={t("fields.metadataHint")} />
        <JsonField {...named("custom_override")} description={t("edit.overrideHelp")} />
      </Part>
    </>
  );
}

const expiries = ["lifetime", "date", "first_use"] as const;
