import { Stack, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../session/current-organization.ts";
import { paths } from "../session/paths.ts";
import { GoButton } from "../ui/go-button.tsx";
import { Page } from "../ui/page.tsx";

/** For users who followed a link to a page that their role does not include. */
export function NotAllowedPage() {
  const { t } = useTranslation();
  const { slug, name } = useOrganization();
  return (
    <Page narrow title={t("notAllowed.title")}>
      <Stack align="flex-start">
        <Text c="dimmed">{t("notAllowed.words", { organization: name })}</Text>
        <GoButton to={paths.overview(slug)}>{t("missing.back")}</GoButton>
      </Stack>
    </Page>
  );
}
