import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { DocsLink } from "./docs-link.tsx";
import type { DocsSection } from "./docs-sections.ts";

/** What is said, and the section of the reference with more about it. */
const sections = {
  ipLimit: "ipLimit",
  freedIps: "ipLimit",
  ipBlocks: "ipBlocks",
  expiry: "expiry",
  revoked: "revoked",
  reinstated: "revoked",
  deleted: "results",
  oldKey: "results",
  versions: "versions",
  versionList: "versions",
  signing: "signing",
  customResponse: "customResponse",
  customOverride: "customResponse",
  dailyLimit: "dailyLimit",
  productStatus: "productStatus",
  organizationSuspended: "results",
  billingSuspended: "results",
  apiKeys: "results",
} as const satisfies Record<string, DocsSection>;

export type HelpTopic = keyof typeof sections;

/**
 * Below what changes the result of a validation: what validate will answer, and where to read more about it.
 * `field` names what is meant where it is not beside it.
 */
export function ValidateHelp({ about, field }: { about: HelpTopic; field?: string }) {
  const { t } = useTranslation();
  return (
    <Text size="sm" c="dimmed" component="p" m={0}>
      {field !== undefined && <b>{field}: </b>}
      {t(`validateHelp.${about}`)} <DocsLink section={sections[about]}>{t("docs.learnMore")}</DocsLink>
    </Text>
  );
}
