import { Alert } from "@mantine/core";
import { Outlet, useLocation } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Icon } from "../ui/icon.tsx";
import { Time } from "../ui/time.tsx";
import { useOrganizationOrNull } from "./here.ts";
import { mayOpen } from "./may-open.ts";
import { MissingPage } from "./missing-page.tsx";
import { NotAllowedPage } from "./not-allowed-page.tsx";

/** What every page of an organization has in common: what its people have to know first. */
export function OrganizationPage() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const organization = useOrganizationOrNull();
  if (organization === null) return <MissingPage />;
  return (
    <>
      {organization.suspended_at !== null && (
        <Alert color="red" radius={0} icon={<Icon name="warning" />} title={t("suspended.title")}>
          {organization.suspension_reason ?? t("suspended.words")}
        </Alert>
      )}
      {organization.delete_after !== null && (
        <Alert color="orange" radius={0} icon={<Icon name="warning" />}>
          {t("deletionPending")} <Time at={organization.delete_after} />
        </Alert>
      )}
      {mayOpen(organization, pathname.slice(`/o/${organization.slug}`.length)) ? (
        <Outlet />
      ) : (
        <NotAllowedPage />
      )}
    </>
  );
}
