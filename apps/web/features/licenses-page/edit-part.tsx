import { Stack } from "@mantine/core";
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
