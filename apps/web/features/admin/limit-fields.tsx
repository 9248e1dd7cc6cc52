import { amountFromText, shownAmount } from "@countersign/domain/billing/money";
import { Checkbox, Group, NumberInput, Radio, Stack, TextInput } from "@mantine/core";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Dimmed } from "../../ui/dimmed.tsx";
import type { Field } from "../../ui/use-form.tsx";

/** A number, null for no limit, or empty while nothing is typed. */
export type Limit = number | null | "";

interface LimitFieldProps extends Field<Limit> {
  readonly label: string;
  readonly description: string;
  /** What null means. */
  readonly none: string;
  readonly min?: number;
  readonly max: number;
}

/** A limit, or none. */
export function LimitField(props: LimitFieldProps) {
  const { label, description, none, value, onChange, error, min = 0, max } = props;
  const { t, i18n } = useTranslation("admin");
  // Comes back if the limit is turned off by mistake.
  const last = useRef<Limit>(value ?? "");
  const set = (next: Limit) => {
    if (next !== null) last.current = next;
    onChange(next);
  };
  return (
    <Stack gap={4}>
      <Group gap="sm" align="flex-end">
        <NumberInput
          label={label}
          flex="1 1 9rem"
          min={min}
          max={max}
          // Every number begins with a digit that is less than a larger minimum.
          clampBehavior={min > 1 ? "blur" : "strict"}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...numberSeparators(i18n.language)}
          required={value !== null}
          withAsterisk={false}
          disabled={value === null}
          placeholder={value === null ? none : ""}
          value={value ?? ""}
          onChange={(next) => set(typeof next === "number" ? next : "")}
          error={error}
        />
        <Checkbox
          mb={8}
          label={none}
          aria-label={`${label}: ${none}`}
          checked={value === null}
          onChange={(event) => set(event.currentTarget.checked ? null : last.current)}
        />
      </Group>
      <Dimmed size="xs">{description}</Dimmed>
      {value === 0 && <Dimmed size="xs">{t("zero")}</Dimmed>}
    </Stack>
  );
}

interface OverrideFieldProps extends Field<number | null> {
  readonly label: string;
  readonly description: string;
  /** What applies without another number. */
  readonly defaultText: string;
  readonly max: number;
  /** The smallest number, and the first one offered. */
  readonly min?: number;
}

/** A number that overrides the default. */
export function OverrideField(props: OverrideFieldProps) {
  const { label, description, defaultText, value, onChange, error, max, min = 0 } = props;
  const { t, i18n } = useTranslation("admin");
  return (
    <Radio.Group
      label={label}
      description={description}
      value={value === null ? "default" : "custom"}
      onChange={(choice) => onChange(choice === "default" ? null : min)}
    >
      <Stack gap={6} mt={6}>
        <Radio value="default" label={defaultText} />
        <Group gap="xs" align="center">
          <Radio value="custom" label={t("customLimit")} />
          {value !== null && (
            <NumberInput
              aria-label={`${label}: ${t("customLimit")}`}
              w={170}
              min={min}
              max={max}
              allowDecimal={false}
              allowNegative={false}
              {...numberSeparators(i18n.language)}
              value={value}
              onChange={(next) => onChange(typeof next === "number" ? next : min)}
              error={error}
            />
          )}
        </Group>
        {value === 0 && <Dimmed size="xs">{t("zero")}</Dimmed>}
      </Stack>
    </Radio.Group>
  );
}

/** As typed, in the unit that people use. Empty if it is not sold that way. */
interface PriceFieldProps extends Field<string> {
  readonly label: string;
  readonly per: "month" | "year";
  readonly currency: string;
}

/** A price, with the amount as it was understood. */
export function PriceField({ label, per, currency, value, onChange, error }: PriceFieldProps) {
  const { t, i18n } = useTranslation("admin");
  const read = readPrice(value, currency, i18n.language);
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      autoComplete="off"
      placeholder={t("price.none")}
      rightSectionWidth={56}
      rightSection={<Dimmed>{currency.toUpperCase()}</Dimmed>}
      inputWrapperOrder={["label", "input", "description", "error"]}
      description={
        read.ok && read.amount !== null
          ? t(`price.${per}`, { price: shownAmount(read.amount, currency, i18n.language) })
          : t("price.empty")
      }
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={read.ok ? error : t(`price.${read.problem}`)}
      // Prevents the form from being sent.
      data-unreadable={read.ok ? undefined : true}
    />
  );
}

type Price =
  | { readonly ok: true; readonly amount: number | null }
  | { readonly ok: false; readonly problem: "unreadable" | "tooManyDecimals" | "tooLarge" | "zero" };

/** Empty means that it is not sold that way. A price of zero would be a plan to buy for nothing. */
export function readPrice(text: string, currency: string, language: string): Price {
  if (text.trim() === "") return { ok: true, amount: null };
  const read = amountFromText(text, currency, language);
  return read.ok && read.amount === 0 ? { ok: false, problem: "zero" } : read;
}

/** How a language writes numbers, for fields in which people type them. */
export function numberSeparators(language: string) {
  const separator = new Intl.NumberFormat(language).format(10_000).charAt(2);
  return {
    thousandSeparator: /\d/.test(separator) ? " " : separator,
    decimalSeparator: separator === "," ? "." : ",",
  } as const;
}
