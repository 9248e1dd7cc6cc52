import { Checkbox, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { AreaField } from "../../ui/fields.tsx";
import { NumberField } from "../../ui/number-field.tsx";
import { fieldError } from "../../ui/problem-alert.tsx";
import { SelectField, TagsField } from "../../ui/select-field.tsx";
import { EndField } from "../../ui/time-fields.tsx";
import type { Field, FormState } from "../../ui/use-form.tsx";
import { units as allUnits, type BulkAction, type BulkDraft, type Unit } from "./bulk-actions.ts";

interface BulkFieldsProps {
  readonly action: BulkAction;
  readonly form: FormState<BulkDraft>;
  readonly isDisabled: boolean;
}

/** The inputs of an action. */
export function BulkFields({ action, form, isDisabled }: BulkFieldsProps) {
  const { t } = useTranslation("licenses");
  const common = { disabled: isDisabled, "data-autofocus": true };
  switch (action) {
    case "revoke":
      return (
        <AreaField
          {...form.field("reason")}
          {...common}
          label={t("bulk.reason")}
          description={t("bulk.reasonHint")}
          maxLength={500}
          minRows={1}
        />
      );
    case "extend":
      return (
        <TermFields
          label={t("bulk.by")}
          amount={form.field("amount")}
          unit={form.field("unit")}
          isDisabled={isDisabled}
          error={fieldError(form.error, "extend_by")}
        />
      );
    case "set_expiry":
      return (
        <>
          <Checkbox
            label={t("lifetime")}
            checked={form.values.isLifetime}
            disabled={isDisabled}
            onChange={(event) => form.set({ isLifetime: event.currentTarget.checked })}
          />
          {!form.values.isLifetime && (
            <EndField {...form.field("expires_at")} {...common} label={t("fields.expires_at")} />
          )}
        </>
      );
    case "set_max_ips":
      return (
        <NumberField
          {...form.field("max_ips")}
          {...common}
          label={t("fields.max_ips")}
          min={1}
          max={1_000_000}
          allowDecimal={false}
        />
      );
    case "add_tags":
    case "remove_tags":
      return (
        <TagsField
          {...form.field("tags")}
          {...common}
          label={t("fields.tags")}
          description={t("fields.tagsHint")}
          maxLength={50}
          acceptValueOnBlur
        />
      );
    case "reinstate":
    case "delete":
    case "reset_ips":
      return null;
  }
}

interface TermFieldsProps {
  readonly label: string;
  readonly amount: Field<number | "">;
  readonly unit: Field<Unit>;
  readonly units?: readonly Unit[];
  readonly isDisabled?: boolean;
  readonly error: string | null;
}

/** A number of days, weeks, months or years. */
export function TermFields(props: TermFieldsProps) {
  const { label, amount, unit, units = allUnits, isDisabled = false, error } = props;
  const { t } = useTranslation("licenses");
  return (
    <Group gap="xs" align="flex-start" grow preventGrowOverflow={false}>
      <NumberField
        {...amount}
        label={label}
        min={1}
        max={36_500}
        allowDecimal={false}
        disabled={isDisabled}
        data-autofocus
        error={error}
      />
      <SelectField
        {...unit}
        label={t("fields.unit")}
        values={units}
        words={(value) => t(`units.${value}`)}
        disabled={isDisabled}
      />
    </Group>
  );
}
