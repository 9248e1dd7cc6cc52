import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type DocsSection, docsSections } from "./docs-sections.ts";

/** A link to the API reference or to one of its sections. */
export function docs(section?: DocsSection): string {
  return section === undefined ? "/docs" : `/docs#${docsSections[section]}`;
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
