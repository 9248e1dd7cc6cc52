import { Menu, UnstyledButton } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { isBelow, SectionNav } from "../../ui/section-nav.tsx";
import classes from "./admin-nav.module.css";
import { adminGroups } from "./sections.ts";

/** The pages of the platform: tabs by group, and on a phone one menu, because that many tabs do not fit. */
export function AdminNav() {
  const { t } = useTranslation("admin");
  const { pathname } = useLocation();
  const isOpen = (to: string) => (to === "/admin" ? pathname === to : isBelow(pathname, to));
  const group = adminGroups.find(({ pages }) => pages.some(({ to }) => isOpen(to)));
  const page = group?.pages.find(({ to }) => isOpen(to));
  return (
    <>
      <div className={classes.tabs}>
        <SectionNav
          label={t("title")}
          sections={adminGroups.map(({ name, pages: [first, ...others] }) => ({
            to: first.to,
            label: t(`groups.${name}`),
            exact: first.to === "/admin",
            also: others.map(({ to }) => to),
          }))}
        />
        {group !== undefined && group.pages.length > 1 && (
          <nav aria-label={t(`groups.${group.name}`)} className={classes.pages}>
            {group.pages.map(({ to, name }) => (
              <Link
                key={to}
                to={to as "/"}
                activeOptions={{ exact: to === "/admin", includeSearch: false }}
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
                    key={one.to}
                    aria-current={one === page ? "page" : undefined}
                    fw={one === page ? 600 : 400}
                    renderRoot={(props) => <Link {...props} to={one.to as "/"} />}
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
