import { VisuallyHidden } from "@mantine/core";
import { Link, useMatchRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import {
  type Organization,
  useCurrentOrLastOrganization,
  useMe,
  useOrganizations,
} from "../../session/current-organization.ts";
import { mayOpen, type NavigationItem, navigationItems } from "../../session/navigation.ts";
import { paths } from "../../session/paths.ts";
import { useWaitingTransfers, waitingText } from "../../session/waiting-transfers.ts";
import { docs } from "../../ui/help.tsx";
import { Icon } from "../../ui/icon.tsx";
import classes from "./shell.module.css";

/** The pages that the user can see, of the current or last visited organization. */
export function SideBar() {
  const { t } = useTranslation();
  const me = useMe();
  const near = useCurrentOrLastOrganization();
  const organizations = useOrganizations();
  return (
    <>
      {near === null ? (
        <Organizations organizations={organizations} />
      ) : (
        navigationItems.map((group) => (
          <NavigationGroup key={group[0]?.path} group={group} organization={near} />
        ))
      )}
      <ul className={classes.links}>
        {me.is_platform_admin && (
          <li>
            <Link className={classes.link ?? ""} to="/admin">
              <Icon name="platform" />
              {t("places.platform")}
            </Link>
          </li>
        )}
        <li>
          <a className={classes.link} href={docs()} target="_blank" rel="noopener">
            <Icon name="docs" />
            {t("docs.link")}
            <span className={classes.away} role="img" aria-label={t("docs.newTab")}>
              ↗
            </span>
          </a>
        </li>
      </ul>
    </>
  );
}

function NavigationGroup({
  group,
  organization,
}: {
  group: readonly NavigationItem[];
  organization: Organization;
}) {
  const { t } = useTranslation();
  const isOpen = useMatchRoute();
  const open = group.filter(
    ({ path }) =>
      mayOpen(organization, path) &&
      // Billing is a tab of the settings, for users who can open them.
      !(path === "settings/billing" && mayOpen(organization, "settings")),
  );
  if (open.length === 0) return null;
  return (
    <ul className={classes.links}>
      {open.map(({ path, page, icon }) => (
        <li key={path}>
          <Link
            className={classes.link ?? ""}
            {...page(organization.slug)}
            activeOptions={{ exact: path === "", includeSearch: false }}
            // IP blocks belong to the pages about IP addresses.
            data-current={
              (path === "ips" && isOpen(paths.ipBlocks(organization.slug)) !== false) || undefined
            }
          >
            <Icon name={icon} />
            {t(`places.${path === "" ? "overview" : path}`)}
            {path === "transfers" && <WaitingBadge organization={organization} />}
          </Link>
        </li>
      ))}
    </ul>
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
function Organizations({ organizations }: { organizations: readonly Organization[] }) {
  const { t } = useTranslation();
  return (
    <ul className={classes.links}>
      {organizations.map(({ id, slug, name }) => (
        <li key={id}>
          <Link className={classes.link ?? ""} {...paths.overview(slug)}>
            <Icon name="organization" />
            <span className={classes.linkName}>{name}</span>
          </Link>
        </li>
      ))}
      <li>
        <Link className={classes.link ?? ""} to="/organizations/new">
          <Icon name="plus" />
          {t("newOrganization")}
        </Link>
      </li>
    </ul>
  );
}
