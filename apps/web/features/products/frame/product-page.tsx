import { Box, Skeleton, Stack } from "@mantine/core";
import { type ErrorComponentProps, Outlet, useMatchRoute } from "@tanstack/react-router";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../../api/problem.ts";
import { useMay, useMaySee, useOrganization } from "../../../session/current-organization.ts";
import { paths } from "../../../session/paths.ts";
import { Back, GoLink } from "../../../ui/links.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { BrokenPage, MissingPage, Page } from "../../../ui/page.tsx";
import { SectionNav } from "../../../ui/section-nav.tsx";
import { StateMark } from "../../../ui/state-mark.tsx";
import { type Product, useProduct } from "./use-product.ts";

export function ProductPage() {
  const { t } = useTranslation("products");
  const may = useMay();
  const maySee = useMaySee();
  const organization = useOrganization();
  const product = useProduct();
  const isOpen = useMatchRoute();
  if (product.organization_id !== organization.id) return <MissingPage />;
  const at = [organization.slug, product.id] as const;
  const danger = paths.productDanger(...at);
  const shadow = paths.shadow(...at);
  const sees = may("products:view", "products:manage");
  const tabs = [
    // Trying a change belongs to the settings.
    { to: paths.product(...at), label: t("tabs.settings"), exact: true, also: [shadow] },
    ...(maySee("analytics:view") ? [{ to: paths.productAnalytics(...at), label: t("tabs.analytics") }] : []),
    ...(sees
      ? [
          { to: paths.productVersions(...at), label: t("tabs.versions") },
          { to: paths.customResponse(...at), label: t("tabs.customResponse") },
          { to: paths.productPortal(...at), label: t("tabs.portal") },
        ]
      : []),
    { to: paths.productKeys(...at), label: t("tabs.keys") },
    { to: paths.integrate(...at), label: t("tabs.integrate") },
    { to: paths.sandbox(...at), label: t("tabs.sandbox") },
    ...(may("products:manage") ? [{ to: danger, label: t("tabs.danger") }] : []),
  ];
  return (
    <Page
      title={product.name}
      part={isOpen(shadow) !== false ? t("tabs.shadow") : tabs.find(({ to }) => isOpen(to) !== false)?.label}
      above={<Back to={paths.products(organization.slug)}>{t("title")}</Back>}
      beside={<ProductStatus product={product} />}
    >
      <Box mt="-0.25rem" mx="-md" mb="lg">
        <SectionNav label={t("tabs.label")} sections={tabs} />
      </Box>
      {product.status !== "active" && (
        <Notice tone="warn" title={t(`rejected.${product.status}`)}>
          {may("products:manage") && isOpen(danger) === false && (
            <GoLink to={danger}>{t("danger.activate.title")}</GoLink>
          )}
        </Notice>
      )}
      {product.status === "active" && product.closed_for_sale && (
        <Notice tone="info" title={t("notForSale")}>
          {may("products:manage") && isOpen(danger) === false && (
            <GoLink to={danger}>{t("danger.sell.title")}</GoLink>
          )}
        </Notice>
      )}
      <Suspense fallback={<TabWaiting />}>
        <Outlet />
      </Suspense>
    </Page>
  );
}

/** A product that does not exist or is not visible to the user shows the page for unknown URLs. */
export function ProductTrouble(props: ErrorComponentProps) {
  const isGone = props.error instanceof ApiProblem && [403, 404].includes(props.error.status);
  return isGone ? <MissingPage /> : <BrokenPage {...props} />;
}

const tones = { active: "good", disabled: "warn", archived: "off" } as const;

export function ProductStatus({ product }: { product: Pick<Product, "status" | "closed_for_sale"> }) {
  const { t } = useTranslation("products");
  const { status, closed_for_sale: isClosed } = product;
  return (
    <StateMark tone={tones[status]}>
      {t(status === "active" && isClosed ? "status.closed" : `status.${status}`)}
    </StateMark>
  );
}

/** A placeholder for a loading tab; the page header stays. */
export function TabWaiting() {
  return (
    <Stack gap="lg" aria-hidden="true">
      <Skeleton height={210} radius="lg" />
      <Skeleton height={150} radius="lg" />
    </Stack>
  );
}
