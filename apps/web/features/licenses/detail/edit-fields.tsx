import { NumberInput, SimpleGrid, Switch, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Choice } from "../../../ui/choice.tsx";
import { EndField } from "../../../ui/end-field.tsx";
import { JsonField } from "../../../ui/json-field.tsx";
import type { Draft } from "./draft.ts";
import { errorAt } from "./edit-errors.ts";
import { Part } from "./edit-part.tsx";
import type { License } from "./license.ts";

interface EditFieldsProps {
  readonly draft: Draft;
  readonly license: License;
  readonly error: Error | null;
  readonly change: (changes: Partial<Draft>) => void;
}

export function EditFields({ draft, license, error, change }: EditFieldsProps) {
  const { t } = useTranslation("licenses");
  type TextField = {
    [Field in keyof Draft]: Draft[Field] extends string ? Field : never;
  }[keyof Draft];
  const text = (field: TextField, rest: object = {}) => (
    <TextInput
      label={t(`fields.${field}`)}
      value={draft[field]}
      onChange={(event) => change({ [field]: event.currentTarget.value })}
      error={errorAt(error, field)}
      autoComplete="off"
      {...rest}
    />
  );
  return (
    <>
      <Part title={t("fields.customer")}>
        {text("customer_email", {
          type: "email",
          description: t("edit.emailHelp"),
          "data-autofocus": true,
        })}
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          {text("customer_name")}
          {text("customer_discord_id", { inputMode: "numeric" })}
        </SimpleGrid>
      </Part>
      <Part title={t("fields.expiry")} about="expiry">
        <Choice
          label={t("edit.expiry")}
          values={
            license.first_used_at === null || draft.expiry === "first_use" ? expiries : expiries.slice(0, 2)
          }
          words={(value) => t(`expiries.${value}`)}
          value={draft.expiry}
          onChange={(expiry) => change({ expiry })}
        />
        {draft.expiry === "date" && (
          <EndField
            label={t("edit.until")}
            required
            value={draft.expires_at}
            onChange={(value) => change({ expires_at: value })}
            error={errorAt(error, "expires_at")}
          />
        )}
        {draft.expiry === "first_use" && (
          <NumberInput
            label={t("edit.termDays")}
            description={t("edit.termHelp")}
            min={0.01}
            max={36_500}
            required
            value={draft.term_days}
            onChange={(value) => change({ term_days: value })}
            error={errorAt(error, "term_seconds")}
          />
        )}
      </Part>
      <Part title={t("fields.max_ips")} about="ipLimit">
        <Switch
          label={t("fields.ip_system_enabled")}
          description={t("edit.ipLimitHelp")}
          checked={draft.ip_system_enabled}
          onChange={(event) => change({ ip_system_enabled: event.currentTarget.checked })}
          error={errorAt(error, "ip_system_enabled")}
        />
        <NumberInput
          label={t("fields.max_ips")}
          description={
            Number(draft.max_ips) < license.current_unique_ip_count
              ? t("edit.limitBelowCount", { count: license.current_unique_ip_count })
              : undefined
          }
          min={1}
          max={1_000_000}
          allowDecimal={false}
          required
          disabled={!draft.ip_system_enabled}
          value={draft.max_ips}
          onChange={(value) => change({ max_ips: value })}
          error={errorAt(error, "max_ips")}
        />
      </Part>
      <Part title={t("fields.version")} about="versions">
        <Choice
          label={t("fields.version_pin_mode")}
          values={["any", "pinned", "range"] as const}
          words={(value) => t(`versionChoices.${value}`)}
          value={draft.version_pin_mode}
          onChange={(mode) => change({ version_pin_mode: mode })}
        />
        {draft.version_pin_mode === "pinned" &&
          text("version_pinned", { required: true, placeholder: "2.1.0" })}
        {draft.version_pin_mode === "range" && (
          <SimpleGrid cols={2}>
            {text("version_range_min", { placeholder: "1.9.0" })}
            {text("version_range_max", { placeholder: "3.0.0" })}
          </SimpleGrid>
        )}
      </Part>
      <Part title={t("notesAndData")} about="customOverride">
        <TagsInput
          label={t("fields.tags")}
          description={t("fields.tagsHint")}
          maxTags={20}
          value={[...draft.tags]}
          onChange={(tags) => change({ tags })}
          error={errorAt(error, "tags")}
        />
        <Textarea
          label={t("fields.notes")}
          description={t("fields.notesHint")}
          autosize
          minRows={2}
          maxRows={12}
          value={draft.notes}
          onChange={(event) => change({ notes: event.currentTarget.value })}
          error={errorAt(error, "notes")}
        />
        <JsonField
          label={t("fields.metadata")}
          description={t("fields.metadataHint")}
          value={draft.metadata}
          onChange={(metadata) => change({ metadata })}
          error={errorAt(error, "metadata")}
        />
        <JsonField
          label={t("fields.custom_override")}
          description={t("edit.overrideHelp")}
          value={draft.custom_override}
          onChange={(override) => change({ custom_override: override })}
          error={errorAt(error, "custom_override")}
        />
      </Part>
    </>
  );
}

const expiries = ["lifetime", "date", "first_use"] as const;
