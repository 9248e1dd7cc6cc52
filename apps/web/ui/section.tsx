import { Group, Paper, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import classes from "./section.module.css";

interface SectionProps {
  readonly title: string;
  /** Directly after the title, such as a button that explains it. */
  readonly beside?: ReactNode;
  /** A few words next to the title, such as a count. */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
  /** Without a box, for a table that has its own. */
  readonly bare?: boolean;
  readonly id?: string;
}

/** A section of a page, with a heading. */
export function Section({ title, beside, note, actions, children, bare = false, id }: SectionProps) {
  const heading = useId();
  return (
    <Paper
      component="section"
      withBorder={!bare}
      {...(bare ? { bg: "transparent" } : {})}
      radius="lg"
      aria-labelledby={heading}
      className={bare ? "" : (classes.box ?? "")}
      {...(id === undefined ? {} : { id })}
    >
      <Group justify="space-between" gap="xs" className={classes.head ?? ""}>
        <Group gap="xs" align="baseline">
          <Title order={2} id={heading}>
            {title}
          </Title>
          {beside}
          {note !== undefined && (
            <Text component="span" c="dimmed" size="sm" className="figures">
              {note}
            </Text>
          )}
        </Group>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Paper>
  );
}
