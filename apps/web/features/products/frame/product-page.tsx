import { type ErrorComponentProps, Outlet, useLocation } from "@tanstack/react-router";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ApiProblem } from "../../../api/problem.ts";
import { useMay, useMaySee, useOrganization } from "../../../session/current-organization.ts";
import { Back } from "../../../ui/back.tsx";
import { BrokenPage } from "../../../ui/broken-page.tsx";
import { GoLink } from "../../../ui/go-link.tsx";
import { MissingPage } from "../../../ui/missing-page.tsx";
import { Notice } from "../../../ui/notice.tsx";
import { Page } from "../../../ui/page.tsx";
import { SectionNav } from "../../../ui/section-nav.tsx";
import classes from "./product-page.module.css";
import { ProductStatus } from "./product-status.tsx";
import { TabWaiting } from "./tab-waiting.tsx";
import { useProduct } from "./use-product.ts";

export function ProductPage() {
  const { t } = useTranslation("products");
  const may = useMay();
  const maySee = useMaySee();
  const organization = useOrganization();
  const product = useProduct();
  const { pathname } = useLocation();
  if (product.organization_id !== organization.id) return <MissingPage />;
  const base = `/o/${organization.slug}/products/${product.id}`;
  const danger = `${base}/danger`;
  const shadow = `${base}/shadow`;
  const sees = may("products:view", "products:manage");
  const tabs = [
    // Trying a change belongs to the settings.
    { to: base, label: t("tabs.settings"), exact: true, also: [shadow] },
    ...(maySee("analytics:view") ? [{ to: `${base}/analytics`, label: t("tabs.analytics") }] : []),
    ...(sees
      ? [
          { to: `${base}/versions`, label: t("tabs.versions") },
          { to: `${base}/custom-response`, label: t("tabs.customResponse") },
          { to: `${base}/portal`, label: t("tabs.portal") },
        ]
      : []),
    { to: `${base}/keys`, label: t("tabs.keys") },
    { to: `${base}/integrate`, label: t("tabs.integrate") },
    { to: `${base}/sandbox`, label: t("tabs.sandbox") },
    ...(may("products:manage") ? [{ to: danger, label: t("tabs.danger") }] : []),
  ];
  return (
    <Page
      title={product.name}
      part={pathname === shadow ? t("tabs.shadow") : tabs.find(({ to }) => to === pathname)?.label}
      above={<Back to={`/o/${organization.slug}/products`}>{t("title")}</Back>}
      beside={<ProductStatus product={product} />}
    >
      <div className={classes.tabs}>
        <SectionNav label={t("tabs.label")} sections={tabs} />
      </div>
      {product.status !== "active" && (
        <Notice tone="warn" title={t(`rejected.${product.status}`)}>
          {may("products:manage") && pathname !== danger && (
            <GoLink to={danger}>{t("danger.activate.title")}</GoLink>
          )}
        </Notice>
      )}
      {product.status === "active" && product.closed_for_sale && (
        <Notice tone="info" title={t("notForSale")}>
          {may("products:manage") && pathname !== danger && (
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
