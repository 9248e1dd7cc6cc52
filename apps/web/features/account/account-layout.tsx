import { Outlet } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { paths } from "../../session/paths.ts";
import { SectionNav } from "../../ui/section-nav.tsx";

export function AccountLayout() {
  const { t } = useTranslation("account");
  return (
    <>
      <SectionNav
        label={t("title")}
        sections={[
          { to: paths.account(), label: t("sections.profile"), exact: true },
          { to: paths.security(), label: t("sections.security") },
          { to: paths.sessions(), label: t("sections.sessions") },
          { to: paths.myAccessTokens(), label: t("sections.tokens") },
        ]}
      />
      <Outlet />
    </>
  );
}
