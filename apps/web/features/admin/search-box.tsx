import { TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { Icon } from "../../ui/icon.tsx";
import classes from "./admin.module.css";

interface SearchBoxProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** Searches as one types, a moment after the last letter. */
export function SearchBox({ label, value, onChange }: SearchBoxProps) {
  const [words, setWords] = useState(value ?? "");
  const router = useRouter();
  const [page] = useState(router.latestLocation.pathname);
  const settle = useDebouncedCallback((text: string) => {
    // Whoever has followed a link meanwhile is not brought back.
    if (router.latestLocation.pathname !== page) return;
    onChange(text.trim() === "" ? undefined : text.trim());
  }, 250);
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
