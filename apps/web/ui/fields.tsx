import {
  Input,
  SegmentedControl,
  Switch,
  type SwitchProps,
  Textarea,
  type TextareaProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import classes from "./fields.module.css";
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

interface ChoiceProps<Value extends string> extends Field<Value> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly words: (value: Value) => string;
}

/** A choice among a few options, all visible. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, values, words, value, onChange, error } = props;
  return (
    <Input.Wrapper label={label} labelElement="div" error={error}>
      <SegmentedControl
        fullWidth
        withItemsBorders={false}
        classNames={{ root: classes.few ?? "", control: classes.one ?? "" }}
        aria-label={label}
        data={values.map((one) => ({ value: one, label: words(one) }))}
        value={value}
        onChange={(chosen) => {
          const next = values.find((one) => one === chosen);
          if (next !== undefined) onChange(next);
        }}
      />
    </Input.Wrapper>
  );
}
