import { Alert, Stack, Text } from "@mantine/core";
import { Outlet, useLocation } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { type Organization, useOrganizationOrNull } from "../session/current-organization.ts";
import { mayOpen } from "../session/navigation.ts";
import { paths } from "../session/paths.ts";
import { Icon } from "../ui/icon.tsx";
import { GoButton, GoLink } from "../ui/links.tsx";
import { MissingPage, Page } from "../ui/page.tsx";

import { Time } from "../ui/time.tsx";
import { bannersOf } from "./banners.ts";

// Rarely shown, so loaded on demand.
const OrganizationBanners = lazy(() =>
  import("./organization-banners.tsx").then((file) => ({ default: file.OrganizationBanners })),
);

const fromEdgeToEdge = { radius: 0, style: { borderWidth: "0 0 1px" } } as const;

/** The banners that every page of an organization shows first. */
export function OrganizationPage() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const organization = useOrganizationOrNull();
  if (organization === null) return <MissingPage />;
  // Without "/o" and the slug.
  const isOpen = mayOpen(organization, pathname.split("/").slice(3).join("/"));
  const banners = bannersOf(organization, Date.now()).filter(
    // The billing page says more about the same.
    (banner) => banner === "impersonated" || !isOpen || !pathname.endsWith("/settings/billing"),
  );
  const settings = paths.settings(organization.slug);
  return (
    <>
      {banners.length > 0 && (
        <Suspense fallback={null}>
          <OrganizationBanners organization={organization} banners={banners} />
        </Suspense>
      )}
      {organization.suspended_at !== null && (
        <Alert color="red" {...fromEdgeToEdge} icon={<Icon name="warning" />} title={t("suspended.title")}>
          {organization.suspension_reason === null
            ? t("suspended.words")
            : t("suspended.because", { reason: organization.suspension_reason })}
        </Alert>
      )}
      {organization.delete_after !== null && (
        <Alert color="orange" {...fromEdgeToEdge} icon={<Icon name="warning" />}>
          {t("deletionPending")} <Time at={organization.delete_after} />.{" "}
          {organization.is_owner && <GoLink to={settings}>{t("cancelDeletion")}</GoLink>}
        </Alert>
      )}
      {isOpen ? <Outlet /> : <NotAllowedPage organization={organization} />}
    </>
  );
}

/** For users who followed a link to a page that their role does not include. */
function NotAllowedPage({ organization: { slug, name } }: { organization: Organization }) {
  const { t } = useTranslation();
  return (
    <Page narrow title={t("notAllowed.title")}>
      <Stack align="flex-start">
        <Text c="dimmed">{t("notAllowed.words", { organization: name })}</Text>
        <GoButton to={paths.overview(slug)}>{t("missing.back")}</GoButton>
      </Stack>
    </Page>
  );
}
