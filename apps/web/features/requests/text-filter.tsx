import { TextInput } from "@mantine/core";
import { useDidUpdate } from "@mantine/hooks";
import { useRef, useState } from "react";
import { useWhenSettled } from "../../ui/filters.tsx";

interface TextFilterProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string | undefined;
  readonly longest: number;
  readonly isCode?: boolean;
  /** The value that a text stands for; undefined if it stands for none, which `invalid` says. */
  readonly read?: (text: string) => string | undefined;
  readonly invalid?: string;
  readonly onChange: (value: string | undefined) => void;
}

/** A filter by text, which applies shortly after the last keystroke. */
export function TextFilter({ value = "", read = (text) => text, ...given }: TextFilterProps) {
  const { label, description, longest, isCode, invalid, onChange } = given;
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const [isInvalid, setInvalid] = useState(false);
  const settle = useWhenSettled((text: string) => {
    const meant = text === "" ? "" : read(text);
    setInvalid(meant === undefined);
    sent.current = meant ?? "";
    onChange(meant || undefined);
  }, 400);
  // Follows a removed chip or the back button, but does not overwrite text that is being typed.
  useDidUpdate(() => {
    if (value !== sent.current) {
      setTyped(value);
      setInvalid(false);
    }
    sent.current = value;
  }, [value]);
  return (
    <TextInput
      label={label}
      description={description}
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...(isCode ? { classNames: { input: "mono" }, spellCheck: false, autoComplete: "off" } : {})}
      maxLength={longest}
      error={isInvalid && invalid}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        settle(event.currentTarget.value.trim());
      }}
    />
  );
}
