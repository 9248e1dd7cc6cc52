import { NativeSelect } from "@mantine/core";
import { useTranslation } from "react-i18next";

interface OverlapChoiceProps {
  readonly label: string;
  readonly choices: readonly number[];
  readonly value: number;
  readonly onChange: (seconds: number) => void;
}

/** How long the old one goes on working beside the new one. */
export function OverlapChoice({ label, choices, value, onChange }: OverlapChoiceProps) {
  const { t } = useTranslation("products");
  const words = (seconds: number) => {
    if (seconds === 0) return t("overlap.none");
    return seconds < 86_400
      ? t("overlap.hours", { count: seconds / 3_600 })
      : t("overlap.days", { count: seconds / 86_400 });
  };
  return (
    <NativeSelect
      label={label}
      value={String(value)}
      onChange={(event) => onChange(Number(event.currentTarget.value))}
      data={choices.map((seconds) => ({ value: String(seconds), label: words(seconds) }))}
    />
  );
}
