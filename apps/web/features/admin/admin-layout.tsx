import { Menu, UnstyledButton } from "@mantine/core";
import { Link, Outlet, useMatchRoute } from "@tanstack/react-router";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { useMe } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Icon } from "../../ui/icon.tsx";
import type { PageLink } from "../../ui/links.tsx";
import { MissingPage } from "../../ui/page.tsx";
import { SectionNav } from "../../ui/section-nav.tsx";
import classes from "./admin-nav.module.css";

/** For platform admins. For others, these pages do not exist. */
export function AdminLayout() {
  const me = useMe();
  if (!me.is_platform_admin) return <MissingPage />;
  return (
    <>
      <AdminNav />
      <Outlet />
    </>
  );
}

/** The pages of the platform: tabs by group, and on a phone one menu, because that many tabs do not fit. */
function AdminNav() {
  const { t } = useTranslation("admin");
  const matches = useMatchRoute();
  const isOpen = ({ to, name }: AdminPage) => matches({ ...to, fuzzy: !isFirst(name) }) !== false;
  const group = adminGroups.find(({ pages }) => pages.some(isOpen));
  const page = group?.pages.find(isOpen);
  return (
    <>
      <div className={classes.tabs}>
        <SectionNav
          label={t("title")}
          sections={adminGroups.map(({ name, pages: [first, ...others] }) => ({
            to: first.to,
            label: t(`groups.${name}`),
            exact: isFirst(first.name),
            also: others.map(({ to }) => to),
          }))}
        />
        {group !== undefined && group.pages.length > 1 && (
          <nav aria-label={t(`groups.${group.name}`)} className={classes.pages}>
            {group.pages.map(({ to, name }) => (
              <Link
                key={name}
                {...to}
                activeOptions={{ exact: isFirst(name), includeSearch: false }}
                className={classes.page ?? ""}
              >
                {t(`sections.${name}`)}
              </Link>
            ))}
          </nav>
        )}
      </div>
      <nav className={classes.phone} aria-label={t("title")}>
        <Menu width="target" position="bottom-start">
          <Menu.Target>
            <UnstyledButton className={classes.button}>
              <span className={classes.area}>{t("title")}</span>
              <span className={classes.current}>{page === undefined ? "" : t(`sections.${page.name}`)}</span>
              <Icon name="down" size={16} />
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown mah="70vh" style={{ overflowY: "auto" }}>
            {adminGroups.map(({ name, pages }, place) => (
              <Fragment key={name}>
                {place > 0 && Math.max(pages.length, adminGroups[place - 1]?.pages.length ?? 0) > 1 && (
                  <Menu.Divider />
                )}
                {pages.length > 1 && <Menu.Label>{t(`groups.${name}`)}</Menu.Label>}
                {pages.map((one) => (
                  <Menu.Item
                    key={one.name}
                    aria-current={one === page ? "page" : undefined}
                    fw={one === page ? 600 : 400}
                    renderRoot={(props) => <Link {...props} {...one.to} />}
                  >
                    {t(`sections.${one.name}`)}
                  </Menu.Item>
                ))}
              </Fragment>
            ))}
          </Menu.Dropdown>
        </Menu>
      </nav>
    </>
  );
}

/** The path of the first page is a prefix of the others. */
function isFirst(name: AdminPage["name"]): boolean {
  return name === "health";
}

interface AdminPage {
  readonly to: PageLink;
  /** The name in the translations, below `sections`. */
  readonly name: "health" | "jobs" | "organizations" | "users" | "plans" | "ips" | "blocks" | MessagePage;
}

type MessagePage = "announcements" | "outbox" | "emailTemplates" | "audit" | "settings";

interface AdminGroup {
  /** The name in the translations, below `groups`. */
  readonly name: "overview" | "organizations" | "users" | "plans" | "ips" | "messages" | "audit" | "settings";
  readonly pages: readonly [AdminPage, ...AdminPage[]];
}

/** The pages of the platform, in groups. */
const adminGroups: readonly AdminGroup[] = [
  {
    name: "overview",
    pages: [
      { to: paths.platform(), name: "health" },
      { to: paths.jobs(), name: "jobs" },
    ],
  },
  { name: "organizations", pages: [{ to: paths.platformOrganizations(), name: "organizations" }] },
  { name: "users", pages: [{ to: paths.users(), name: "users" }] },
  { name: "plans", pages: [{ to: paths.plans(), name: "plans" }] },
  {
    name: "ips",
    pages: [
      { to: paths.platformIps(), name: "ips" },
      { to: paths.platformIpBlocks(), name: "blocks" },
    ],
  },
  {
    name: "messages",
    pages: [
      { to: paths.announcements(), name: "announcements" },
      { to: paths.outbox(), name: "outbox" },
      { to: paths.emailTemplates(), name: "emailTemplates" },
    ],
  },
  { name: "audit", pages: [{ to: paths.platformAuditLog(), name: "audit" }] },
  { name: "settings", pages: [{ to: paths.platformSettings(), name: "settings" }] },
];
