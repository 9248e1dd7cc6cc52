import { Button, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Page } from "../ui/page.tsx";

export function MissingPage() {
  const { t } = useTranslation();
  return (
    <Page narrow>
      <Stack align="flex-start" pt="xl">
        <Title order={1}>{t("missing.title")}</Title>
        <Text c="dimmed">{t("missing.words")}</Text>
        <Button component={Link} to="/">
          {t("missing.back")}
        </Button>
      </Stack>
    </Page>
  );
}
