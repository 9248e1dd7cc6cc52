import { Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { useNewProductPath, useProducts } from "../../session/products.ts";
import { Empty, NoProduct } from "../../ui/empty.tsx";
import { GoButton } from "../../ui/links.tsx";

/** There are no licenses yet, or none match the filter. */
export function NoLicenses({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const { slug } = useOrganization();
  const products = useProducts();
  const newProductPath = useNewProductPath();
  if (isFiltered)
    return (
      <Empty
        icon="search"
        title={t("empty.noMatch")}
        action={
          <GoButton variant="default" to={paths.licenses(slug)}>
            {t("filters.clear")}
          </GoButton>
        }
      >
        {t("empty.noMatchWords")}
      </Empty>
    );
  // Renders nothing until it is known whether there is a product, to avoid a flash.
  if (products.isLoading) return null;
  if (products.data?.length === 0) return <NoProduct to={newProductPath}>{t("new.noProduct")}</NoProduct>;
  return (
    <Empty
      icon="license"
      title={t("empty.none")}
      action={
        <Group gap="xs">
          {may("licenses:create") && <GoButton to={paths.newLicense(slug)}>{t("new.open")}</GoButton>}
          {may("licenses:import") && (
            <GoButton variant="default" to={paths.importLicenses(slug)}>
              {t("import")}
            </GoButton>
          )}
        </Group>
      }
    >
      {t("empty.noneWords")}
    </Empty>
  );
}
