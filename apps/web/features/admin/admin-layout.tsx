import { Outlet } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMe } from "../../app/current-organization.ts";
import { MissingPage } from "../../app/missing-page.tsx";
import { SectionNav } from "../../ui/section-nav.tsx";

/** For platform admins. For others, these pages do not exist. */
export function AdminLayout() {
  const { t } = useTranslation("admin");
  const me = useMe();
  if (!me.is_platform_admin) return <MissingPage />;
  return (
    <>
      <SectionNav
        label={t("title")}
        sections={[
          { to: "/admin", label: t("sections.health"), exact: true },
          { to: "/admin/organizations", label: t("sections.organizations") },
          { to: "/admin/users", label: t("sections.users") },
          { to: "/admin/ip-blocks", label: t("sections.blocks") },
          { to: "/admin/outbox", label: t("sections.outbox") },
          { to: "/admin/email-templates", label: t("sections.emailTemplates") },
          { to: "/admin/audit-log", label: t("sections.audit") },
        ]}
      />
      <Outlet />
    </>
  );
}
