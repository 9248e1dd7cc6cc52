import { Outlet } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { SectionNav } from "../../ui/section-nav.tsx";

export function AccountLayout() {
  const { t } = useTranslation("account");
  return (
    <>
      <SectionNav
        label={t("title")}
        sections={[
          { to: "/account", label: t("sections.profile"), exact: true },
          { to: "/account/security", label: t("sections.security") },
          { to: "/account/sessions", label: t("sections.sessions") },
          { to: "/account/access-tokens", label: t("sections.tokens") },
        ]}
      />
      <Outlet />
    </>
  );
}
