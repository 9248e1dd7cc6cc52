import { Group, Radio, Stack, type StackProps } from "@mantine/core";
import type { Field } from "./use-form.tsx";

interface RadioFieldProps<Value extends string> extends Field<Value>, Pick<StackProps, "gap" | "mt" | "miw"> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly words: (value: Value) => string;
  /** What a choice means, below its label. Without it, the choices are in one line. */
  readonly hint?: (value: Value) => string;
}

/** A choice among a few options, which are all visible. */
export function RadioField<Value extends string>(props: RadioFieldProps<Value>) {
  const { label, values, words, hint, value, onChange, error, ...space } = props;
  const options = values.map((one) => (
    <Radio key={one} value={one} label={words(one)} description={hint?.(one)} />
  ));
  return (
    <Radio.Group
      label={label}
      value={value}
      error={error}
      onChange={(chosen) => {
        const next = values.find((one) => one === chosen);
        if (next !== undefined) onChange(next);
      }}
    >
      {hint === undefined ? (
        <Group gap="md" mt={6} {...space}>
          {options}
        </Group>
      ) : (
        <Stack gap="xs" mt={6} {...space}>
          {options}
        </Stack>
      )}
    </Radio.Group>
  );
}
