import { Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { type HelpTopic, ValidateHelp } from "../../../ui/validate-help.tsx";
import classes from "./license-page.module.css";

interface PartProps {
  readonly title: string;
  /** The help topic about its effect on validate responses. */
  readonly about?: HelpTopic;
  readonly children: ReactNode;
}

/** A titled group of fields. */
export function Part({ title, about, children }: PartProps) {
  return (
    <fieldset className={classes.fieldset}>
      <legend>{title}</legend>
      <Stack gap="sm">
        {children}
        {about !== undefined && <ValidateHelp about={about} />}
      </Stack>
    </fieldset>
  );
}
