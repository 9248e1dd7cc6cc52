import { Skeleton, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask, askPages } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { FilterChoice } from "../../ui/filters.tsx";
import { Icon } from "../../ui/icon.tsx";
import { GoButton, GoLink } from "../../ui/links.tsx";
import { ListPage } from "../../ui/list.tsx";
import { ProductStatus } from "./frame/product-page.tsx";
import type { Product } from "./frame/use-product.ts";

const productsRoute = getRouteApi("/signed-in/o/$organization/products");

const filters = ["all", "active", "disabled", "archived"] as const;

export function ProductsPage() {
  const { t } = useTranslation("products");
  const may = useMay();
  const { id, slug } = useOrganization();
  const { status } = productsRoute.useSearch();
  const navigate = useNavigate();
  const list = useInfiniteQuery(
    askPages("listProducts", {
      params: { organization_id: id },
      query: status === undefined ? {} : { status },
    }),
  );
  const create = may("products:manage") && (
    <GoButton to={paths.newProduct(slug)} leftSection={<Icon name="plus" size={16} />}>
      {t("new.open")}
    </GoButton>
  );
  const show = (chosen: (typeof filters)[number]) =>
    void navigate({ ...paths.products(slug, chosen === "all" ? {} : { status: chosen }), replace: true });
  return (
    <ListPage
      title={t("title")}
      lead={t("lead")}
      actions={create}
      filters={
        <FilterChoice
          label={t("status.label")}
          values={filters}
          words={(value) => t(`filter.${value}`)}
          value={status ?? "all"}
          onChange={show}
        />
      }
      list={list}
      isFiltered={status !== undefined}
      columns={[
        {
          header: t("name"),
          cell: (product) => (
            <GoLink to={paths.product(slug, product.id)} fw={600}>
              {product.name}
            </GoLink>
          ),
        },
        { header: t("status.label"), cell: (product) => <ProductStatus product={product} /> },
        may("licenses:view") && {
          header: t("licenses"),
          align: "right",
          cell: (product) => <LicenseCount product={product} slug={slug} />,
        },
        { header: t("features"), wide: true, cell: (product) => <Features product={product} /> },
        {
          header: t("keys.prefix"),
          whole: true,
          wide: true,
          cell: (product) => <span className="mono">{newestPrefix(product)}</span>,
        },
        { header: t("created"), wide: true, at: (product) => product.created_at },
      ]}
      empty={{ icon: "product", title: t("empty.title"), words: t("empty.words"), action: create }}
      nothing={{ icon: "filter", title: t("empty.filtered"), words: t("empty.filteredWords") }}
    />
  );
}

/** What is switched on, in a word each. */
function Features({ product }: { product: Product }) {
  const { t } = useTranslation("products");
  const names = [
    product.signed_validation && t("feature.signed"),
    product.version_module_enabled && t("feature.versions"),
    product.custom_response_enabled && t("feature.custom"),
  ].filter((name) => name !== false);
  return (
    <Text size="sm" c="dimmed">
      {names.length === 0 ? "–" : names.join(" · ")}
    </Text>
  );
}

function newestPrefix(product: Product): string {
  return product.api_keys.find(({ expires_at }) => expires_at === null)?.prefix ?? "–";
}

/** The number of licenses of a product, as a link to them. */
function LicenseCount({ product, slug }: { product: Product; slug: string }) {
  const { t, i18n } = useTranslation("products");
  const licenses = useQuery({
    ...ask("listProductLicenses", {
      params: { product_id: product.id },
      query: { limit: 1, count: "true" },
    }),
    staleTime: 60_000,
  });
  if (licenses.isPending) return <Skeleton height={14} width={32} display="inline-block" />;
  if (licenses.data?.total === undefined) return "–";
  const number = new Intl.NumberFormat(i18n.language).format(licenses.data.total);
  return (
    <GoLink
      to={paths.licenses(slug, { product_id: product.id })}
      className="figures"
      inherit
      aria-label={t("licensesOf", { count: licenses.data.total, number, name: product.name })}
    >
      {number}
    </GoLink>
  );
}
