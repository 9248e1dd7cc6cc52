import { Input, SegmentedControl, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./license-page.module.css";

/** Fields that belong together, under a name. */
export function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className={classes.fieldset}>
      <legend>{title}</legend>
      <Stack gap="sm">{children}</Stack>
    </fieldset>
  );
}

/** One of a few, all in sight. */
export function Choice<Value extends string>(props: {
  label: string;
  values: readonly Value[];
  words: (value: Value) => string;
  value: Value;
  onChange: (value: Value) => void;
}) {
  const { label, values, words, value, onChange } = props;
  return (
    <Input.Wrapper label={label} labelElement="div">
      <SegmentedControl
        fullWidth
        aria-label={label}
        data={values.map((one) => ({ value: one, label: words(one) }))}
        value={value}
        onChange={(next) => onChange(next as Value)}
      />
    </Input.Wrapper>
  );
}
