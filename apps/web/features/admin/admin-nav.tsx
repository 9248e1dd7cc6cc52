import { Menu, UnstyledButton } from "@mantine/core";
import { Link, useMatchRoute } from "@tanstack/react-router";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import { Icon } from "../../ui/icon.tsx";
import { SectionNav } from "../../ui/section-nav.tsx";
import classes from "./admin-nav.module.css";
import { type AdminPage, adminGroups } from "./sections.ts";

/** The pages of the platform: tabs by group, and on a phone one menu, because that many tabs do not fit. */
export function AdminNav() {
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
