import { Button, Code, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import { type ErrorComponentProps, Link, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem, Unreachable } from "../api/problem.ts";
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

/** For errors that no page handles. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  const message =
    error instanceof Unreachable
      ? t("broken.unreachable")
      : error instanceof ApiProblem
        ? error.message
        : t("broken.page");
  return (
    <Page narrow title={t("broken.title")}>
      <Stack align="flex-start" role="alert">
        <Text>{message}</Text>
        {!(error instanceof ApiProblem || error instanceof Unreachable) && <Code block>{String(error)}</Code>}
        <Button onClick={again}>{t("tryAgain")}</Button>
      </Stack>
    </Page>
  );
}

export function MissingPage() {
  const { t } = useTranslation();
  return (
    <Page narrow title={t("missing.title")}>
      <Stack align="flex-start">
        <Text c="dimmed">{t("missing.words")}</Text>
        <Button component={Link} to="/">
          {t("missing.back")}
        </Button>
      </Stack>
    </Page>
  );
}

/** A placeholder with the shape of a page, so that the layout does not shift. */
export function Waiting() {
  return (
    <Page>
      <Stack gap="md" aria-hidden="true">
        <Skeleton height={26} width={220} />
        <Skeleton height={38} />
        {[0, 1, 2, 3, 4, 5].map((line) => (
          <Skeleton key={line} height={34} />
        ))}
      </Stack>
    </Page>
  );
}
