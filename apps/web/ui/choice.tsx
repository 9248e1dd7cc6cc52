import { Input, SegmentedControl } from "@mantine/core";
import classes from "./choice.module.css";
import type { Field } from "./use-form.tsx";

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
