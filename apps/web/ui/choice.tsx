import { Input, SegmentedControl } from "@mantine/core";
import classes from "./choice.module.css";

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly words: (value: Value) => string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A choice among a few options, all visible. */
export function Choice<Value extends string>({ label, values, words, value, onChange }: ChoiceProps<Value>) {
  return (
    <Input.Wrapper label={label} labelElement="div">
      <SegmentedControl
        fullWidth
        withItemsBorders={false}
        classNames={{ root: classes.few ?? "", control: classes.one ?? "" }}
        aria-label={label}
        data={values.map((one) => ({ value: one, label: words(one) }))}
        value={value}
        onChange={(next) => onChange(next as Value)}
      />
    </Input.Wrapper>
  );
}
