import { Checkbox, Group, NumberInput, Textarea } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { fieldError } from "../../ui/problem-alert.tsx";
import { SelectField, TagsField } from "../../ui/select-field.tsx";
import { EndField } from "../../ui/time-fields.tsx";
import { units as allUnits, type BulkAction, type BulkDraft, type Unit } from "./bulk-actions.ts";

interface BulkFieldsProps {
  readonly action: BulkAction;
  readonly draft: BulkDraft;
  readonly error: Error | null;
  readonly isDisabled: boolean;
  readonly onChange: (draft: BulkDraft) => void;
}

/** The inputs of an action. */
export function BulkFields({ action, draft, error, isDisabled, onChange }: BulkFieldsProps) {
  const { t } = useTranslation("licenses");
  const set = (part: Partial<BulkDraft>) => onChange({ ...draft, ...part });
  switch (action) {
    case "revoke":
      return (
        <Textarea
          label={t("bulk.reason")}
          description={t("bulk.reasonHint")}
          value={draft.reason}
          maxLength={500}
          autosize
          disabled={isDisabled}
          data-autofocus
          error={fieldError(error, "reason")}
          onChange={(event) => set({ reason: event.currentTarget.value })}
        />
      );
    case "extend":
      return (
        <TermFields
          label={t("bulk.by")}
          amount={draft.amount}
          unit={draft.unit}
          isDisabled={isDisabled}
          error={fieldError(error, "extend_by")}
          onChange={set}
        />
      );
    case "set_expiry":
      return (
        <>
          <Checkbox
            label={t("lifetime")}
            checked={draft.isLifetime}
            disabled={isDisabled}
            onChange={(event) => set({ isLifetime: event.currentTarget.checked })}
          />
          {!draft.isLifetime && (
            <EndField
              label={t("fields.expires_at")}
              value={draft.expiresOn}
              disabled={isDisabled}
              error={fieldError(error, "expires_at")}
              onChange={(expiresOn) => set({ expiresOn })}
              data-autofocus
            />
          )}
        </>
      );
    case "set_max_ips":
      return (
        <NumberInput
          label={t("fields.max_ips")}
          value={draft.maxIps}
          min={1}
          max={1_000_000}
          allowDecimal={false}
          disabled={isDisabled}
          data-autofocus
          error={fieldError(error, "max_ips")}
          onChange={(maxIps) => set({ maxIps })}
        />
      );
    case "add_tags":
    case "remove_tags":
      return (
        <TagsField
          label={t("fields.tags")}
          description={t("fields.tagsHint")}
          value={draft.tags}
          maxLength={50}
          acceptValueOnBlur
          disabled={isDisabled}
          data-autofocus
          error={fieldError(error, "tags")}
          onChange={(tags) => set({ tags })}
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
  readonly amount: number | string;
  readonly unit: Unit;
  readonly units?: readonly Unit[];
  readonly isDisabled?: boolean;
  readonly error: string | null;
  readonly onChange: (part: { amount?: number | string; unit?: Unit }) => void;
}

/** A number of days, weeks, months or years. */
export function TermFields({
  label,
  amount,
  unit,
  units = allUnits,
  isDisabled = false,
  error,
  onChange,
}: TermFieldsProps) {
  const { t } = useTranslation("licenses");
  return (
    <Group gap="xs" align="flex-start" grow preventGrowOverflow={false}>
      <NumberInput
        label={label}
        value={amount}
        min={1}
        max={36_500}
        allowDecimal={false}
        disabled={isDisabled}
        data-autofocus
        error={error}
        onChange={(next) => onChange({ amount: next })}
      />
      <SelectField
        label={t("fields.unit")}
        values={units}
        words={(value) => t(`units.${value}`)}
        value={unit}
        disabled={isDisabled}
        onChange={(next) => onChange({ unit: next })}
      />
    </Group>
  );
}
