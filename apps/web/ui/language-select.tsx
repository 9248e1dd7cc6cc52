import { Select } from "@mantine/core";
import type { ReactNode } from "react";
import { type Language, languages } from "../i18n/languages.ts";

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
