import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import classes from "./panel.module.css";

interface PanelProps {
  readonly title: string;
  /** One or two sentences of explanation. */
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
  /** For actions that cannot be undone. */
  readonly danger?: boolean;
}

/** One group of settings, in a bordered box. */
export function Panel({ title, lead, actions, children, danger = false }: PanelProps) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id} data-danger={danger || undefined}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" gap="sm">
          <Stack gap={2} flex="1 1 16rem" miw={0}>
            <Title order={2} id={id}>
              {title}
            </Title>
            {lead !== undefined && <Text c="dimmed">{lead}</Text>}
          </Stack>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
        {children}
      </Stack>
    </section>
  );
}
