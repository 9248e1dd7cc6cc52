import { Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./empty.module.css";
import { Icon, type IconName } from "./icon.tsx";

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  /** What this is for, and what to do next. */
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Shown in place of an empty list. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" className={classes.empty}>
      <span className={classes.icon}>
        <Icon name={icon} size={22} />
      </span>
      <Title order={2}>{title}</Title>
      <Text c="dimmed" maw={460} ta="center">
        {children}
      </Text>
      {action}
    </Stack>
  );
}
