import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type CSSProperties, type ReactNode, useId } from "react";
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

/** A description list: names on the left, values on the right. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

interface FactProps {
  readonly name: string;
  /** Of the value. */
  readonly className?: string;
  readonly style?: CSSProperties;
  readonly children: ReactNode;
}

/** A name and its value in a description list. */
export function Fact({ name, children, ...value }: FactProps) {
  return (
    <>
      <dt>{name}</dt>
      <dd {...value}>{children}</dd>
    </>
  );
}
