import { Alert, Select, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { askPages, flat } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { isForSale, useNewProductPath, useProducts } from "../../session/products.ts";
import { NoProduct } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Back, GoLink } from "../../ui/links.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { ListTime } from "../../ui/time.tsx";
import { ImportForm } from "./import-form.tsx";
import { isOver } from "./import-state.tsx";

const importRoute = getRouteApi("/signed-in/o/$organization/licenses/import");

/** Imports licenses from a file: select it, map its columns, do a dry run, import. */
export function ImportPage() {
  const { t } = useTranslation("license-files");
  const organization = useOrganization();
  const navigate = useNavigate({ from: "/o/$organization/licenses/import" });
  const { product_id: wanted, import_id: importId } = importRoute.useSearch();
  const products = useProducts();
  const newProductPath = useNewProductPath();
  const choices = (products.data ?? []).filter(isForSale);
  const product = choices.find(({ id }) => id === wanted) ?? choices[0];
  // Remounts the form for the next file.
  const [round, setRound] = useState(0);
  const go = (search: { product_id?: string | undefined; import_id?: string | undefined }) =>
    void navigate({ search, resetScroll: true });
  const leave = () => {
    setRound(round + 1);
    go({ product_id: product?.id });
  };
  return (
    <Page
      title={t("title")}
      lead={t("lead")}
      above={<Back to={paths.licenses(organization.slug)}>{t("back")}</Back>}
    >
      <Stack gap="md">
        {products.isSuccess && product === undefined && (
          <NoProduct to={newProductPath}>{t("noProduct")}</NoProduct>
        )}
        {products.isPending && products.fetchStatus === "idle" && (
          <Alert icon={<Icon name="info" />}>{t("noProductAccess")}</Alert>
        )}
        {product !== undefined && (
          <>
            {importId === undefined && (
              <Select
                label={t("product")}
                description={t("productHint")}
                data={choices.map(({ id, name }) => ({ value: id, label: name }))}
                value={product.id}
                allowDeselect={false}
                searchable
                maw={420}
                onChange={(id) => go({ product_id: id ?? undefined })}
              />
            )}
            <ImportForm
              key={round}
              productId={importId === undefined ? product.id : (wanted ?? product.id)}
              importId={importId}
              onStarted={(id) => go({ product_id: product.id, import_id: id })}
              onBack={() => go({ product_id: product.id })}
              onAnother={leave}
            />
            <ImportList present={importId} />
          </>
        )}
      </Stack>
    </Page>
  );
}

/** Imports before, into any product, with what came of them. */
function ImportList({ present }: { present: string | undefined }) {
  const { t } = useTranslation("license-files");
  const { id, slug } = useOrganization();
  const list = useInfiniteQuery({
    ...askPages("listOrganizationImports", { params: { organization_id: id }, query: { limit: 20 } }),
    refetchInterval: ({ state: { data } }) => (flat(data).every(isOver) ? false : 2_000),
  });
  if (list.isSuccess && flat(list.data).length === 0) return null;
  return (
    <Stack gap="xs" mt="md">
      <Title order={2}>{t("imports.title")}</Title>
      <List
        label={t("imports.title")}
        list={list}
        columns={[
          {
            header: t("imports.file"),
            cell: (row) => (
              <GoLink
                size="sm"
                to={paths.importLicenses(slug, { product_id: row.product_id, import_id: row.id })}
              >
                <span style={{ overflowWrap: "anywhere" }}>{row.file_name ?? t("imports.unnamed")}</span>
              </GoLink>
            ),
          },
          {
            header: t("product"),
            cell: (row) => (
              <>
                {row.product_name}
                <Text hiddenFrom="sm" size="xs" c="dimmed">
                  <ListTime at={row.created_at} />
                </Text>
              </>
            ),
          },
          { header: t("imports.when"), wide: true, at: (row) => row.created_at },
          {
            header: t("imports.state"),
            cell: (row) => (
              <>
                {t(`states.${row.state}`)}
                {row.dry_run && ` (${t("imports.check")})`}
              </>
            ),
          },
          { header: t("done.created"), wide: true, count: (row) => row.created },
          { header: t("done.updated"), wide: true, count: (row) => row.updated },
          { header: t("done.skipped"), wide: true, count: (row) => row.skipped },
          { header: t("done.failed"), wide: true, count: (row) => row.failed },
          { header: t("imports.by"), wide: true, cell: (row) => row.created_by },
        ]}
        empty={null}
        isMarked={(row) => row.id === present}
      />
    </Stack>
  );
}
