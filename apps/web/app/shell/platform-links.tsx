import { useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import type { Organization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { platformEntryOf, platformSections } from "../../session/platform-navigation.ts";
import classes from "./shell.module.css";
import { DocumentationLink, Entry } from "./side-bar-entry.tsx";

/** The platform's own pages, and the way back. */
export function PlatformLinks({ near }: { near: Organization | null }) {
  const { t } = useTranslation();
  const { t: admin } = useTranslation("admin");
  const { pathname } = useLocation();
  const current = platformEntryOf(pathname);
  return (
    <>
      {near !== null && (
        <ul className={classes.links}>
          <Entry to={paths.overview(near.slug)} icon="left">
            <span className={classes.linkName}>{t("backTo", { name: near.name })}</span>
          </Entry>
        </ul>
      )}
      <ul className={classes.links}>
        {platformSections.map(({ name, icon, pages }) => {
          const isOpen = pages.some((page) => page.name === current);
          return (
            <Entry
              key={name}
              to={pages[0].to}
              icon={icon}
              isCurrent={isOpen && pages.length === 1}
              below={
                isOpen &&
                pages.length > 1 &&
                pages.map((page) => (
                  <Entry key={page.name} to={page.to} isCurrent={page.name === current}>
                    {admin(`sections.${page.name}`)}
                  </Entry>
                ))
              }
            >
              {admin(`groups.${name}`)}
            </Entry>
          );
        })}
      </ul>
      <ul className={classes.links}>
        <DocumentationLink />
      </ul>
    </>
  );
}
