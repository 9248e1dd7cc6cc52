import { useTranslation } from "react-i18next";
import { useMaySee, useOrganization } from "../../app/current-organization.ts";
import { SectionNav } from "../../ui/section-nav.tsx";
import classes from "./settings-tabs.module.css";

/** The pages of an organization's settings. Every member can see the portal's. */
export function SettingsTabs() {
  const { t } = useTranslation("organizations");
  const { slug } = useOrganization();
  const settings = `/o/${slug}/settings`;
  if (!useMaySee()("organization:manage")) return null;
  const sections = [
    { to: settings, label: t("tabs.general"), exact: true },
    { to: `${settings}/portal`, label: t("tabs.portal") },
  ];
  return (
    <div className={classes.tabs}>
      <SectionNav label={t("tabs.label")} sections={sections} />
    </div>
  );
}
