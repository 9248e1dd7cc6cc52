import { Textarea, type TextareaProps } from "@mantine/core";
import { useTranslation } from "react-i18next";
import classes from "./json-field.module.css";

type JsonFieldProps = Omit<TextareaProps, "value" | "onChange"> & {
  readonly value: string;
  readonly onChange: (text: string) => void;
};

/** A JSON object as text. Errors are shown while typing; the text is formatted on blur. */
export function JsonField({ value, onChange, error, ...rest }: JsonFieldProps) {
  const { t } = useTranslation();
  const read = readObject(value);
  return (
    <Textarea
      autosize
      minRows={3}
      maxRows={16}
      spellCheck={false}
      classNames={{ input: classes.input ?? "" }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={() => read.ok && onChange(writeObject(read.value))}
      error={read.ok ? error : t(`json.${read.problem}`)}
      // Prevents the form from being sent.
      data-unreadable={read.ok ? undefined : true}
      {...rest}
    />
  );
}

type Read =
  | { readonly ok: true; readonly value: Record<string, unknown> | null }
  | { readonly ok: false; readonly problem: "unreadable" | "notAnObject" };

/** Empty means null. */
export function readObject(text: string): Read {
  if (text.trim() === "") return { ok: true, value: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return { ok: true, value: value as Record<string, unknown> };
    return { ok: false, problem: "notAnObject" };
  } catch {
    return { ok: false, problem: "unreadable" };
  }
}

export function writeObject(value: object | null): string {
  return value === null ? "" : JSON.stringify(value, null, 2);
}
