import { ActionIcon, Anchor, Popover, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type DocsSection, docsSections } from "./docs-sections.ts";
import { Icon } from "./icon.tsx";

interface HelpProps {
  /** The name of what is explained. */
  readonly about: string;
  readonly children: ReactNode;
}

/** An explanation behind a button, for what most users know and some want to know exactly. */
export function Help({ about, children }: HelpProps) {
  const { t } = useTranslation();
  return (
    <Popover position="bottom" shadow="md" width={320} withArrow trapFocus={false} returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          style={{ alignSelf: "center" }}
          aria-label={t("help", { about })}
        >
          <Icon name="info" size={15} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>
        <Text component="div" size="sm">
          {children}
        </Text>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The text, and the section of the documentation with more about it. */
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
 * Shown at settings that affect validation results: what validate returns, and a link to the documentation. `field` names
 * the setting where it is not next to it.
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

/** A link to the documentation or to one of its pages. */
export function docs(section?: DocsSection): string {
  return section === undefined ? "/docs/" : `/docs/${docsSections[section]}`;
}

interface DocsLinkProps {
  readonly section?: DocsSection | undefined;
  readonly children: ReactNode;
}

/** In a new tab, so that a half-filled form is kept. */
export function DocsLink({ section, children }: DocsLinkProps) {
  const { t } = useTranslation();
  return (
    <Anchor
      inherit
      underline="always"
      href={docs(section)}
      target="_blank"
      rel="noopener"
      style={{ whiteSpace: "nowrap" }}
      title={t("docs.newTab")}
    >
      {children}
    </Anchor>
  );
}
