import { Alert, Select, Stack } from "@mantine/core";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { Back } from "../../ui/back.tsx";
import { NoProduct } from "../../ui/empty.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Page } from "../../ui/page.tsx";
import { ImportForm } from "./import-form.tsx";
import { ImportList } from "./import-list.tsx";
import { useImportProducts, useNewProductPath } from "./products.ts";

const importRoute = getRouteApi("/signed-in/o/$organization/licenses/import");

/** Imports licenses from a file: select it, map its columns, do a dry run, import. */
export function ImportPage() {
  const { t } = useTranslation("license-files");
  const organization = useOrganization();
  const navigate = useNavigate({ from: "/o/$organization/licenses/import" });
  const { product_id: wanted, import_id: importId } = importRoute.useSearch();
  const products = useImportProducts();
  const wayToProduct = useNewProductPath();
  const product = products.data?.find(({ id }) => id === wanted) ?? products.data?.[0];
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
          <NoProduct to={wayToProduct}>{t("noProduct")}</NoProduct>
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
                data={(products.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
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
