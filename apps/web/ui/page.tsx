import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useEffect } from "react";
import classes from "./page.module.css";

interface PageProps {
  readonly title?: string;
  /** The part of it that is shown, for the browser's tab. */
  readonly part?: string | undefined;
  /** The way back up, above the title. */
  readonly above?: ReactNode;
  /** What belongs to the title itself, such as a status or a way to copy it. */
  readonly beside?: ReactNode;
  /** One sentence below the title, where the title does not say enough. */
  readonly lead?: ReactNode;
  /** What one can do here, on the right. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
  /** For forms and texts, which are hard to read when they are wide. */
  readonly narrow?: boolean;
  /** For lists, whose columns take all the room there is. */
  readonly wide?: boolean;
}

/** A page inside the frame: its title, also on the browser's tab, what one can do, and the rest. */
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
