import { TextInput } from "@mantine/core";
import { useDidUpdate } from "@mantine/hooks";
import { useRef, useState } from "react";
import { useWhenSettled } from "../../ui/when-settled.ts";

interface TextFilterProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string | undefined;
  readonly longest: number;
  readonly isCode?: boolean;
  readonly onChange: (value: string | undefined) => void;
}

/** A filter by text, which applies shortly after the last keystroke. */
export function TextFilter({ label, description, value = "", longest, isCode, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  const sent = useRef(value);
  const settle = useWhenSettled((text: string) => {
    sent.current = text;
    onChange(text === "" ? undefined : text);
  }, 400);
  // Follows a removed chip or the back button, but does not overwrite text that is being typed.
  useDidUpdate(() => {
    if (value !== sent.current) setTyped(value);
    sent.current = value;
  }, [value]);
  return (
    <TextInput
      label={label}
      description={description}
      inputWrapperOrder={["label", "input", "description", "error"]}
      {...(isCode ? { classNames: { input: "mono" }, spellCheck: false, autoComplete: "off" } : {})}
      maxLength={longest}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        settle(event.currentTarget.value.trim());
      }}
    />
  );
}
