import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { docs } from "../../ui/help.tsx";
import { Icon, type IconName } from "../../ui/icon.tsx";
import type { PageLink } from "../../ui/links.tsx";
import classes from "./shell.module.css";

interface EntryProps {
  readonly to: PageLink;
  readonly icon?: IconName;
  readonly isCurrent?: boolean;
  /** The entries below it. */
  readonly below?: ReactNode;
  readonly children: ReactNode;
}

export function Entry({ to, icon, isCurrent = false, below, children }: EntryProps) {
  return (
    <li>
      <Link
        className={classes.link ?? ""}
        {...to}
        activeOptions={{ exact: true, includeSearch: false }}
        data-current={isCurrent || undefined}
        {...(isCurrent ? { "aria-current": "page" } : {})}
      >
        {icon !== undefined && <Icon name={icon} />}
        {children}
      </Link>
      {below ? <ul className={classes.below}>{below}</ul> : null}
    </li>
  );
}

export function DocumentationLink() {
  const { t } = useTranslation();
  return (
    <li>
      <a className={classes.link} href={docs()} target="_blank" rel="noopener">
        <Icon name="docs" />
        {t("docs.link")}
        <NewTab />
      </a>
    </li>
  );
}

export function NewTab() {
  const { t } = useTranslation();
  return (
    <span className={classes.away} role="img" aria-label={t("docs.newTab")}>
      ↗
    </span>
  );
}
