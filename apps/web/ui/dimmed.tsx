import { Text, type TextProps } from "@mantine/core";
import type { ReactNode } from "react";

/** Small text that says more about what it stands beside or below. */
export function Dimmed({ size = "sm", ...rest }: TextProps & { readonly children: ReactNode }) {
  return <Text size={size} c="dimmed" {...rest} />;
}
