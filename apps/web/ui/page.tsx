import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useEffect } from "react";
import classes from "./page.module.css";

interface PageProps {
  readonly title?: string;
  /** The current section, for the browser tab's title. */
  readonly part?: string | undefined;
  /** The link back, above the title. */
  readonly above?: ReactNode;
  /** Next to the title, such as a status or a copy button. */
  readonly beside?: ReactNode;
  /** One sentence below the title. */
  readonly lead?: ReactNode;
  /** Actions, on the right. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
  /** For forms and texts, which are hard to read if wide. */
  readonly narrow?: boolean;
  /** For lists, whose columns use the full width. */
  readonly wide?: boolean;
}

/** A page inside the shell: its title, also for the browser tab, its actions and its content. */
export function Page({ title, part, above, beside, lead, actions, children, narrow, wide }: PageProps) {
  useEffect(() => {
    const names = [part, title, "Countersign"].filter((name) => name !== undefined);
    if (title !== undefined) document.title = names.join(" · ");
  }, [title, part]);
  return (
    <div className={classes.page} data-narrow={narrow || undefined} data-wide={wide || undefined}>
      {title !== undefined && (
        <Group justify="space-between" align="flex-start" mb="md" gap="sm">
          <Stack gap={2}>
            {above}
            <Group gap="xs">
              <Title order={1} className={classes.title ?? ""}>
                {title}
              </Title>
              {beside}
            </Group>
            {lead !== undefined && <Text c="dimmed">{lead}</Text>}
          </Stack>
          {actions !== undefined && (
            <Group gap="xs" className={classes.actions ?? ""}>
              {actions}
            </Group>
          )}
        </Group>
      )}
      {children}
    </div>
  );
}
