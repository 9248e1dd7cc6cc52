import { ActionIcon, Button, SegmentedControl, Select, type SelectProps, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import classes from "./filters.module.css";
import { Icon } from "./icon.tsx";

interface SearchFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Searches while typing, shortly after the last keystroke. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [text, setText] = useState(value ?? "");
  const settle = useWhenSettled((typed: string) => onChange(typed.trim() === "" ? undefined : typed.trim()));
  return (
    <TextInput
      type="search"
      flex="1 1 16rem"
      maw={420}
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
    />
  );
}

interface FilterProps<Value extends string> {
  readonly label: string;
  readonly values: readonly Value[];
  readonly words: (value: Value) => string;
}

interface FilterSelectProps<Value extends string> extends FilterProps<Value> {
  /** Shown while nothing is chosen. */
  readonly any: string;
  readonly value: Value | undefined;
  readonly onChange: (value: Value | undefined) => void;
  readonly isLabelShown?: boolean;
}

/** A filter with many values, one of which can be chosen. */
export function FilterSelect<Value extends string>(
  props: FilterSelectProps<Value> & Pick<SelectProps, "w" | "searchable" | "comboboxProps">,
) {
  const { label, isLabelShown = false, values, words, any, value, onChange, ...rest } = props;
  return (
    <Select
      {...rest}
      {...(isLabelShown ? { label } : { "aria-label": label })}
      placeholder={any}
      clearable
      data={values.map((one) => ({ value: one, label: words(one) }))}
      value={value ?? null}
      onChange={(chosen) => onChange(values.find((one) => one === chosen))}
    />
  );
}

interface FilterChoiceProps<Value extends string> extends FilterProps<Value> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly size?: "xs" | "sm";
}

/** A filter with few values, all visible. */
export function FilterChoice<Value extends string>(props: FilterChoiceProps<Value>) {
  const { label, values, words, value, onChange, size = "sm" } = props;
  return (
    <SegmentedControl
      size={size}
      aria-label={label}
      data={values.map((one) => ({ value: one, label: words(one) }))}
      value={value}
      onChange={(chosen) => {
        const next = values.find((one) => one === chosen);
        if (next !== undefined) onChange(next);
      }}
    />
  );
}

/** Applies the input shortly after the last keystroke, unless the user has left the page. */
export function useWhenSettled<Value>(follow: (value: Value) => void, waitMs = 150): (value: Value) => void {
  const router = useRouter();
  const settle = useDebouncedCallback((value: Value, typedOn: string) => {
    if (router.latestLocation.pathname === typedOn) follow(value);
  }, waitMs);
  return (value) => settle(value, router.latestLocation.pathname);
}

interface ChipListProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly textOf: (name: Name) => string;
  /** What the button to remove one is called, from its text. */
  readonly removeLabel: (text: string) => string;
  readonly onRemove: (name: Name) => void;
  readonly clearLabel: string;
  readonly onClear: () => void;
}

/** Active filters, each with a button to remove it, and one to remove all. */
export function ChipList<Name extends string>(props: ChipListProps<Name>) {
  const { label, names, textOf, removeLabel, onRemove, clearLabel, onClear } = props;
  if (names.length === 0) return null;
  return (
    <ul className={classes.chips} aria-label={label}>
      {names.map((name) => (
        <li key={name} className={classes.chip}>
          {textOf(name)}
          <ActionIcon
            size="xs"
            variant="subtle"
            color="gray"
            radius="xl"
            aria-label={removeLabel(textOf(name))}
            onClick={() => onRemove(name)}
          >
            <Icon name="close" size={12} />
          </ActionIcon>
        </li>
      ))}
      {names.length > 1 && (
        <li>
          <Button size="compact-sm" variant="subtle" onClick={onClear}>
            {clearLabel}
          </Button>
        </li>
      )}
    </ul>
  );
}
