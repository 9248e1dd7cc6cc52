import { Select, type SelectProps, TagsInput, type TagsInputProps } from "@mantine/core";
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
