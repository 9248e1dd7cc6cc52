import { Button, Code, Stack, Text } from "@mantine/core";
import { type ErrorComponentProps, useRouter } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ApiProblem, Unreachable } from "../api/problem.ts";
import { Page } from "./page.tsx";

/** For errors that no page handles. */
export function BrokenPage({ error, reset }: ErrorComponentProps) {
  const { t } = useTranslation();
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  const words =
    error instanceof Unreachable
      ? t("broken.unreachable")
      : error instanceof ApiProblem
        ? error.message
        : t("broken.page");
  return (
    <Page narrow title={t("broken.title")}>
      <Stack align="flex-start" role="alert">
        <Text>{words}</Text>
        {!(error instanceof ApiProblem || error instanceof Unreachable) && <Code block>{String(error)}</Code>}
        <Button onClick={again}>{t("tryAgain")}</Button>
      </Stack>
    </Page>
  );
}
