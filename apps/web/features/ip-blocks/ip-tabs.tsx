import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import classes from "./ip-tabs.module.css";

/** Switches between seen and blocked IP addresses. */
export function IpTabs({ current }: { current: "ips" | "ip-blocks" }) {
  const { t } = useTranslation("ips");
  const { slug } = useOrganization();
  return (
    <nav aria-label={t("tabs.label")} className={classes.tabs}>
      {(["ips", "ip-blocks"] as const).map((tab) => (
        <Link
          key={tab}
          {...(tab === "ips" ? paths.ips(slug) : paths.ipBlocks(slug))}
          className={classes.tab ?? ""}
          aria-current={tab === current ? "page" : undefined}
        >
          {t(`tabs.${tab}`)}
        </Link>
      ))}
    </nav>
  );
}
