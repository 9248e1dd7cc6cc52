import { TextInput, type TextInputProps } from "@mantine/core";
import { useTranslation } from "react-i18next";

type DateTimeFieldProps = Omit<TextInputProps, "value" | "onChange" | "type"> & {
  /** In the browser's format: local time without a zone, or empty. See `toLocal` and `fromLocal`. */
  readonly value: string;
  readonly onChange: (local: string) => void;
};

/** A date and time in the user's time zone, which it names. */
export function DateTimeField({ value, onChange, description, ...rest }: DateTimeFieldProps) {
  const { t } = useTranslation();
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <TextInput
      type="datetime-local"
      max="9999-12-31T23:59"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      description={
        <>
          {description} {t("inZone", { zone })}
        </>
      }
      {...rest}
    />
  );
}

/** From an API time to the value of the browser's field. */
export function toLocal(at: string | null): string {
  if (at === null) return "";
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The reverse; null while the field has no valid date. */
export function fromLocal(local: string): string | null {
  const ms = local === "" ? Number.NaN : new Date(local).getTime();
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
