import { VisuallyHidden } from "@mantine/core";
import { useLocation } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import {
  type Organization,
  useCurrentOrLastOrganization,
  useMe,
  useOrganizations,
} from "../../session/current-organization.ts";
import { entryOf, mayOpen, type NavigationSection, navigationSections } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";
import { useWaitingTransfers, waitingText } from "../../session/waiting-transfers.ts";
import { docs } from "../../ui/help.tsx";
import classes from "./shell.module.css";
import { DocumentationLink, Entry, NewTab } from "./side-bar-entry.tsx";

// Only platform admins need it.
const PlatformLinks = lazy(() =>
  import("./platform-links.tsx").then((file) => ({ default: file.PlatformLinks })),
);

/** The pages that the user can see: those of the platform there, else those of the current or last organization. */
export function SideBar() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const me = useMe();
  const near = useCurrentOrLastOrganization();
  if (me.is_platform_admin && /^\/admin(\/|$)/.test(pathname))
    return (
      <Suspense fallback={null}>
        <PlatformLinks near={near} />
      </Suspense>
    );
  return (
    <>
      {near === null ? <Organizations /> : <OrganizationLinks organization={near} />}
      <ul className={classes.links}>
        {me.is_platform_admin && (
          <Entry to={paths.platform()} icon="platform">
            {t("places.platform")}
          </Entry>
        )}
        <DocumentationLink />
      </ul>
    </>
  );
}

function OrganizationLinks({ organization }: { organization: Organization }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const [, slug, rest = ""] = /^\/o\/([^/]+)\/?(.*?)\/?$/.exec(pathname) ?? [];
  const current = slug === organization.slug ? entryOf(rest) : null;
  return (
    <ul className={classes.links}>
      {navigationSections.map((section) => (
        <SectionLinks
          key={section.name}
          section={section}
          organization={organization}
          current={current}
          nameOf={(path) => t(`places.${path === "settings" ? "general" : path}`)}
        />
      ))}
    </ul>
  );
}

interface SectionLinksProps {
  readonly section: NavigationSection;
  readonly organization: Organization;
  /** The path of the entry that is open. */
  readonly current: string | null;
  readonly nameOf: (path: string) => string;
}

/** A section leads to its first page. While one of its pages is open, all are listed. A page that is alone has its own name. */
function SectionLinks({ section, organization, current, nameOf }: SectionLinksProps) {
  const { t } = useTranslation();
  const pages = section.pages.filter(({ path }) => mayOpen(organization, path));
  const [first] = pages;
  if (first === undefined) return null;
  const isOpen = pages.some(({ path }) => path === current);
  const isAlone = pages.length === 1 && section.name !== "developers";
  const below = isAlone ? [] : section.isPage && first === section.pages[0] ? pages.slice(1) : pages;
  const hasTransfers = pages.some(({ path }) => path === "transfers");
  return (
    <Entry
      to={first.page(organization.slug)}
      icon={isAlone ? first.icon : section.icon}
      isCurrent={isOpen && !below.some(({ path }) => path === current)}
      below={
        isOpen && (
          <>
            {below.map(({ path, page }) => (
              <Entry key={path} to={page(organization.slug)} isCurrent={path === current}>
                {nameOf(path)}
                {path === "transfers" && <WaitingBadge organization={organization} />}
              </Entry>
            ))}
            {section.name === "developers" && (
              <li>
                <a className={classes.link} href={docs("api")} target="_blank" rel="noopener">
                  {t("places.apiReference")}
                  <NewTab />
                </a>
              </li>
            )}
          </>
        )
      }
    >
      {isAlone && first.path !== "" ? nameOf(first.path) : t(`places.${section.name}`)}
      {hasTransfers && !isOpen && <WaitingBadge organization={organization} />}
    </Entry>
  );
}

/** How many transfers wait for a decision; null for none. */
function WaitingBadge({ organization }: { organization: Organization }) {
  const { t } = useTranslation();
  const count = useWaitingTransfers(organization);
  if (count === 0) return null;
  const number = waitingText(count);
  return (
    <>
      {" "}
      <span className={classes.badge} aria-hidden="true">
        {number}
      </span>
      <VisuallyHidden>{t("waiting", { count, number })}</VisuallyHidden>
    </>
  );
}

/** For users who have not visited an organization in this browser yet. */
function Organizations() {
  const { t } = useTranslation();
  const organizations = useOrganizations();
  return (
    <ul className={classes.links}>
      {organizations.map(({ id, slug, name }) => (
        <Entry key={id} to={paths.overview(slug)} icon="organization">
          <span className={classes.linkName}>{name}</span>
        </Entry>
      ))}
      <Entry to={paths.newOrganization()} icon="plus">
        {t("newOrganization")}
      </Entry>
    </ul>
  );
}
