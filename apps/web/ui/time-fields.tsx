import { endOfDay, isDay, lastMomentAt, localTime } from "@countersign/domain/dates/time-zone";
import { Input, TextInput, type TextInputProps } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { shownTimeZone } from "../i18n/shown-time-zone.ts";
import classes from "./time-fields.module.css";

interface EndFieldProps {
  readonly label: string;
  /** A day, with or without a time, in the organization's time zone: see `toEnd` and `fromEnd`. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly error?: ReactNode;
  readonly "data-autofocus"?: boolean;
}

/** When something expires: a day, which is included, and optionally a time. */
export function EndField({ label, value, onChange, required, disabled, error, ...rest }: EndFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const zone = shownTimeZone().replaceAll("_", " ");
  const [day = "", time = ""] = value.split("T");
  const set = (nextDay: string, nextTime: string) =>
    onChange(nextTime === "" ? nextDay : `${nextDay}T${nextTime}`);
  const timeText = time === "" ? t("endOfDay", { zone }) : t("timeInZone", { zone });
  return (
    <Input.Wrapper id={id} label={label} required={required ?? false} error={error} description={timeText}>
      <div className={classes.fields}>
        <TextInput
          {...rest}
          id={id}
          type="date"
          max="9999-12-31"
          required={required ?? false}
          disabled={disabled ?? false}
          error={error !== undefined && error !== null && error !== false}
          value={day}
          onChange={(event) => set(event.currentTarget.value, time)}
        />
        <TextInput
          type="time"
          aria-label={t("endTime")}
          disabled={disabled ?? false}
          value={time}
          onChange={(event) => set(day, event.currentTarget.value)}
        />
      </div>
    </Input.Wrapper>
  );
}

/** From an API time to the field's value: without a time if it is the end of a day. */
export function toEnd(at: string | null, timeZone: string = shownTimeZone()): string {
  if (at === null) return "";
  const local = localTime(new Date(at).getTime(), timeZone);
  return local.endsWith("T23:59:59.999") ? local.slice(0, 10) : local.slice(0, 16);
}

/** The value for the API: a date as it is, or an exact time; null while the field is empty or invalid. */
export function fromEnd(value: string, timeZone: string = shownTimeZone()): string | null {
  if (isDay(value)) return value;
  const ms = endMs(value, timeZone);
  return ms === null ? null : new Date(ms).toISOString();
}

/** The exact time; null while the field is empty or invalid. */
export function endMs(value: string, timeZone: string = shownTimeZone()): number | null {
  if (!isDay(value.slice(0, 10))) return null;
  if (value.length === 10) return endOfDay(value, timeZone);
  const wallMs = Date.parse(`${value}Z`);
  return Number.isNaN(wallMs) ? null : lastMomentAt(wallMs, timeZone);
}

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
