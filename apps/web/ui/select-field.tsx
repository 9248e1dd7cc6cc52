import { Select, type SelectProps, TagsInput, type TagsInputProps } from "@mantine/core";
import { type ReactNode, useMemo } from "react";
import { type Language, languages } from "../i18n/languages.ts";
import type { Field } from "./use-form.tsx";

interface SelectFieldProps<Value extends string>
  extends Omit<SelectProps, keyof Field<Value> | "data" | "allowDeselect">,
    Omit<Field<Value>, "value"> {
  readonly values: readonly Value[];
  readonly words: (value: Value) => string;
  /** Null as long as nothing is chosen. */
  readonly value: Value | null;
}

/** One of several values, in a list that opens. */
export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const { values, words, onChange, ...rest } = props;
  return (
    <Select
      {...rest}
      data={values.map((value) => ({ value, label: words(value) }))}
      allowDeselect={false}
      onChange={(chosen) => {
        const value = values.find((one) => one === chosen);
        if (value !== undefined) onChange(value);
      }}
    />
  );
}

/** The tags of a license. */
export function TagsField({ value, ...rest }: Field<readonly string[]> & TagsFieldLook) {
  return <TagsInput maxTags={20} {...rest} value={[...value]} />;
}

type TagsFieldLook = Omit<TagsInputProps, keyof Field<readonly string[]>>;

const choices = Object.entries(languages).map(([value, label]) => ({ value, label }));

interface LanguageSelectProps {
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly onChange: (language: Language) => void;
  readonly error?: ReactNode;
}

/** One of the languages of the dashboard and the emails. */
export function LanguageSelect({ onChange, ...field }: LanguageSelectProps) {
  return (
    <Select
      {...field}
      data={choices}
      onChange={(value) => value !== null && onChange(value as Language)}
      allowDeselect={false}
    />
  );
}

interface TimeZoneSelectProps {
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly onChange: (timeZone: string) => void;
  readonly nothingFound: string;
  readonly error?: ReactNode;
  /** False inside a popover, which a click outside of it closes. */
  readonly withinPortal?: boolean;
}

/** One of the browser's time zones, found by part of its name. */
export function TimeZoneSelect({
  onChange,
  nothingFound,
  withinPortal = true,
  ...field
}: TimeZoneSelectProps) {
  const { value } = field;
  const choices = useMemo(() => {
    const zones = new Set([value, "UTC", ...Intl.supportedValuesOf("timeZone")]);
    return [...zones].sort().map((zone) => ({ value: zone, label: zone.replaceAll("_", " ") }));
  }, [value]);
  return (
    <Select
      {...field}
      data={choices}
      comboboxProps={{ withinPortal }}
      searchable
      selectFirstOptionOnChange
      nothingFoundMessage={nothingFound}
      // Typing replaces the current value.
      onClick={(event) => event.currentTarget.select()}
      allowDeselect={false}
      onChange={(zone) => zone !== null && onChange(zone)}
    />
  );
}
