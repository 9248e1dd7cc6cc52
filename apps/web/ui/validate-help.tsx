import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DocsLink } from "./docs-link.tsx";
import type { DocsSection } from "./docs-sections.ts";

/** Below what changes the result of a validation: what validate will answer, and where to read more about it. */
export function ValidateHelp({ about }: { about: Exclude<DocsSection, "results"> }) {
  const { t } = useTranslation();
  return (
    <Text size="sm" c="dimmed" component="p" m={0}>
      {t(`validateHelp.${about}`)} <DocsLink section={about}>{t("docs.learnMore")}</DocsLink>
    </Text>
  );
}
