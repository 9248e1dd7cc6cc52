import { Button, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../session/current-organization.ts";
import { Page } from "../ui/page.tsx";

/** For users who followed a link to a page that their role does not include. */
export function NotAllowedPage() {
  const { t } = useTranslation();
  const { slug, name } = useOrganization();
  return (
    <Page narrow title={t("notAllowed.title")}>
      <Stack align="flex-start">
        <Text c="dimmed">{t("notAllowed.words", { organization: name })}</Text>
        <Button component={Link} to="/o/$organization" params={{ organization: slug } as never}>
          {t("missing.back")}
        </Button>
      </Stack>
    </Page>
  );
}
