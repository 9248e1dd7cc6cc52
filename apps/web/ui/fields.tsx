import {
  Switch,
  type SwitchProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import type { Field } from "./use-form.tsx";

/** The properties of a component besides those of a field. */
type Besides<Props, Value> = Omit<Props, keyof Field<Value> | "checked">;

/** One line of text. */
export function TextField({ onChange, ...rest }: Field<string> & Besides<TextInputProps, string>) {
  return <TextInput {...rest} onChange={(event) => onChange(event.currentTarget.value)} />;
}

/** Several lines of text. It grows with them. */
export function AreaField({ onChange, ...rest }: Field<string> & Besides<TextareaProps, string>) {
  return (
    <Textarea autosize minRows={2} {...rest} onChange={(event) => onChange(event.currentTarget.value)} />
  );
}

/** On or off. */
export function SwitchField({ value, onChange, ...rest }: Field<boolean> & Besides<SwitchProps, boolean>) {
  return <Switch {...rest} checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />;
}
