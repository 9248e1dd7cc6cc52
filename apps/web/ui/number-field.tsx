import { NumberInput, type NumberInputProps } from "@mantine/core";
import type { Field } from "./use-form.tsx";

type NumberFieldProps = Field<number | ""> & Omit<NumberInputProps, keyof Field<number>>;

/** A number; empty text while there is none. */
export function NumberField({ onChange, ...rest }: NumberFieldProps) {
  return <NumberInput {...rest} onChange={(value) => onChange(typeof value === "number" ? value : "")} />;
}
