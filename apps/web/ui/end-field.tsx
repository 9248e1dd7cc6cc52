import { Input, TextInput } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { useTranslation } from "react-i18next";
import { shownTimeZone } from "../i18n/shown-time-zone.ts";
import classes from "./end-field.module.css";

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
  const words = time === "" ? t("endOfDay", { zone }) : t("timeInZone", { zone });
  return (
    <Input.Wrapper id={id} label={label} required={required ?? false} error={error} description={words}>
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
