import { amountFromText, shownAmount } from "@countersign/domain/billing/money";
import { Text, TextInput } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface PriceFieldProps {
  readonly label: string;
  readonly per: "month" | "year";
  readonly currency: string;
  /** As typed, in the unit that people use. Empty if it is not sold that way. */
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly error: string | null;
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
      rightSection={
        <Text size="sm" c="dimmed">
          {currency.toUpperCase()}
        </Text>
      }
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
