import { TextInput } from "@mantine/core";
import { useState } from "react";
import { useWhenSettled } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import classes from "./admin.module.css";

interface SearchBoxProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Searches while typing, shortly after the last keystroke. */
export function SearchBox({ label, value, onChange }: SearchBoxProps) {
  const [words, setWords] = useState(value ?? "");
  const settle = useWhenSettled((text: string) => onChange(text.trim() === "" ? undefined : text.trim()));
  return (
    <TextInput
      type="search"
      className={classes.search ?? ""}
      aria-label={label}
      placeholder={label}
      leftSection={<Icon name="search" size={16} />}
      value={words}
      onChange={(event) => {
        setWords(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
    />
  );
}
