import { Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { PageLink } from "../../ui/links.tsx";
import { GoLink } from "../../ui/links.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import classes from "./overview.module.css";

interface LinesSectionProps {
  readonly title: string;
  readonly note?: ReactNode;
  /** The link to the whole list. */
  readonly all?: { readonly to: PageLink; readonly words: string } | undefined;
  readonly query: { readonly data: unknown; readonly error: Error | null };
  /** Above the lines. */
  readonly chart?: ReactNode;
  /** In place of the lines if there are none. */
  readonly none?: ReactNode;
  readonly children: ReactNode;
}

/** The first lines of a list, with a link to all of it. */
export function LinesSection({ title, note, all, query, chart, none, children }: LinesSectionProps) {
  return (
    <Section
      title={title}
      note={note}
      actions={
        all && (
          <GoLink to={all.to} size="sm">
            {all.words}
          </GoLink>
        )
      }
    >
      <ProblemAlert error={query.error} />
      {chart}
      {query.data === undefined && query.error === null && (
        <Stack gap="sm" aria-hidden="true">
          {[0, 1, 2, 3].map((line) => (
            <Skeleton key={line} height={32} />
          ))}
        </Stack>
      )}
      {none}
      <ul className={classes.list}>{children}</ul>
    </Section>
  );
}

interface LineProps {
  readonly title: ReactNode;
  /** Of less interest. */
  readonly words: ReactNode;
  readonly when: ReactNode;
  /** The line is there because of its time. */
  readonly isDue?: boolean;
}

export function Line({ title, words, when, isDue = false }: LineProps) {
  return (
    <li className={classes.line}>
      <Stack gap={0} miw={0} flex={1}>
        {title}
        <Text size="sm" c="dimmed" truncate component="div">
          {words}
        </Text>
      </Stack>
      <Text size="sm" component="div" className={classes.when ?? ""} {...(isDue ? {} : { c: "dimmed" })}>
        {when}
      </Text>
    </li>
  );
}
