import { SegmentedControl, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { askPages, flat } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { type Column, DataTable } from "../../ui/data-table.tsx";
import { Empty } from "../../ui/empty.tsx";
import { GoButton } from "../../ui/go-button.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ListTime } from "../../ui/list-time.tsx";
import { Page } from "../../ui/page.tsx";
import { ProductStatus } from "./frame/product-status.tsx";
import type { Product } from "./frame/use-product.ts";
import { LicenseCount } from "./license-count.tsx";

const productsRoute = getRouteApi("/inside/o/$organization/products");

const statuses = ["active", "disabled", "archived"] as const;
const filters = ["all", ...statuses] as const;

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
  const rows = flat(list.data);
  const hasNone = list.isSuccess && rows.length === 0 && !list.hasNextPage && status === undefined;
  const columns: Column<Product>[] = [
    {
      id: "name",
      header: t("name"),
      cell: (product) => (
        <GoLink to={paths.product(slug, product.id)} fw={600}>
          {product.name}
        </GoLink>
      ),
    },
    { id: "status", header: t("status.label"), cell: (product) => <ProductStatus product={product} /> },
    ...(may("licenses:view")
      ? [
          {
            id: "licenses",
            header: t("licenses"),
            align: "right" as const,
            cell: (product: Product) => <LicenseCount product={product} slug={slug} />,
          },
        ]
      : []),
    { id: "features", header: t("features"), wide: true, cell: (product) => <Features product={product} /> },
    {
      id: "key",
      header: t("keys.prefix"),
      whole: true,
      wide: true,
      cell: (product) => <span className="mono">{newestPrefix(product)}</span>,
    },
    {
      id: "created",
      header: t("created"),
      wide: true,
      cell: (product) => <ListTime at={product.created_at} />,
    },
  ];
  return (
    // The empty state has the same button, and nothing to filter.
    <Page wide title={t("title")} lead={t("lead")} actions={!hasNone && create}>
      {!hasNone && (
        <SegmentedControl
          mb="md"
          size="sm"
          aria-label={t("status.label")}
          value={status ?? "all"}
          onChange={(value) =>
            void navigate({
              ...paths.products(slug, { status: statuses.find((one) => one === value) }),
              replace: true,
            })
          }
          data={filters.map((value) => ({ value, label: t(`filter.${value}`) }))}
        />
      )}
      <DataTable
        label={t("title")}
        columns={columns}
        rows={rows}
        keyOf={(product) => product.id}
        isPending={list.isPending}
        error={list.error}
        hasMore={list.hasNextPage}
        isFetchingMore={list.isFetchingNextPage}
        fetchMore={list.fetchNextPage}
        empty={
          status === undefined ? (
            <Empty icon="product" title={t("empty.title")} action={create}>
              {t("empty.words")}
            </Empty>
          ) : (
            <Empty icon="filter" title={t("empty.filtered")}>
              {t("empty.filteredWords")}
            </Empty>
          )
        }
      />
    </Page>
  );
}

/** What is switched on, in a word each. */
function Features({ product }: { product: Product }) {
  const { t } = useTranslation("products");
  const words = [
    product.signed_validation && t("feature.signed"),
    product.version_module_enabled && t("feature.versions"),
    product.custom_response_enabled && t("feature.custom"),
  ].filter((word) => word !== false);
  return (
    <Text size="sm" c="dimmed">
      {words.length === 0 ? "–" : words.join(" · ")}
    </Text>
  );
}

function newestPrefix(product: Product): string {
  return product.api_keys.find(({ expires_at }) => expires_at === null)?.prefix ?? "–";
}
