import { Button, Code, Stack, Text, Title } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiProblem, Unreachable } from "../api/problem.ts";
import { Page } from "../ui/page.tsx";

/** Something went wrong that no page has an answer to. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const words =
    error instanceof Unreachable
      ? t("broken.unreachable")
      : error instanceof ApiProblem
        ? error.message
        : t("broken.page");
  return (
    <Page narrow>
      <Stack align="flex-start" pt="xl" role="alert">
        <Title order={1}>{t("broken.title")}</Title>
        <Text>{words}</Text>
        {!(error instanceof ApiProblem || error instanceof Unreachable) && <Code block>{String(error)}</Code>}
        <Button onClick={reset}>{t("tryAgain")}</Button>
      </Stack>
    </Page>
  );
}
