import { useTranslation } from "react-i18next";
import { useMaySee, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { SectionNav } from "../../ui/section-nav.tsx";
import classes from "./settings.module.css";

/** The pages of an organization's settings that the user can open. Every member can see the portal's. */
export function SettingsTabs() {
  const { t } = useTranslation("organizations");
  const { slug } = useOrganization();
  const maySee = useMaySee();
  const sections = [
    ...(maySee("organization:manage")
      ? [{ to: paths.settings(slug), label: t("tabs.general"), exact: true }]
      : []),
    ...(maySee("billing:view", "billing:manage")
      ? [{ to: paths.billing(slug), label: t("tabs.billing") }]
      : []),
    { to: paths.portalSettings(slug), label: t("tabs.portal") },
  ];
  if (sections.length === 1) return null;
  return (
    <div className={classes.tabs}>
      <SectionNav label={t("tabs.label")} sections={sections} />
    </div>
  );
}
