import { Button, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Page } from "./page.tsx";

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
