import { NativeSelect } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface OverlapChoiceProps<Seconds extends number | null> {
  readonly label: string;
  /** Null for until revoked. */
  readonly choices: readonly Seconds[];
  readonly value: Seconds;
  readonly onChange: (seconds: Seconds) => void;
}

/** How long the old one keeps working. */
export function OverlapChoice<Seconds extends number | null>({
  label,
  choices,
  value,
  onChange,
}: OverlapChoiceProps<Seconds>) {
  const { t } = useTranslation("products");
  const words = (seconds: number | null) => {
    if (seconds === null) return t("overlap.untilRevoked");
    if (seconds === 0) return t("overlap.none");
    return seconds < 86_400
      ? t("overlap.hours", { count: seconds / 3_600 })
      : t("overlap.days", { count: seconds / 86_400 });
  };
  return (
    <NativeSelect
      label={label}
      value={String(value)}
      onChange={(event) => {
        const chosen = choices.find((seconds) => String(seconds) === event.currentTarget.value);
        if (chosen !== undefined) onChange(chosen);
      }}
      data={choices.map((seconds) => ({ value: String(seconds), label: words(seconds) }))}
    />
  );
}
