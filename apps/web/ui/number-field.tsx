import { NumberInput, type NumberInputProps } from "@mantine/core";
import { useState } from "react";
import type { Field } from "./use-form.tsx";

type NumberFieldProps = Field<number | ""> & Omit<NumberInputProps, keyof Field<number>>;

/** A number; empty text while there is none. */
export function NumberField({ value, onChange, ...rest }: NumberFieldProps) {
  // Until the number is complete, it is written in a way that would be lost, such as `1.` or `05`.
  const [typed, setTyped] = useState<number | string>(value);
  return (
    <NumberInput
      {...rest}
      value={numberIn(typed) === value ? typed : value}
      onChange={(next) => {
        setTyped(next);
        onChange(numberIn(next));
      }}
    />
  );
}

function numberIn(typed: number | string): number | "" {
  return typed === "" || Number.isNaN(Number(typed)) ? "" : Number(typed);
}
