import { Button, Group } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { useNewProductPath, useProducts } from "../../session/products.ts";
import { Empty } from "../../ui/empty.tsx";
import { NoProduct } from "../../ui/no-product.tsx";

/** There are no licenses yet, or none match the filter. */
export function NoLicenses({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation("licenses");
  const may = useMay();
  const params = { organization: useOrganization().slug };
  const products = useProducts();
  const wayToProduct = useNewProductPath();
  if (isFiltered)
    return (
      <Empty
        icon="search"
        title={t("empty.noMatch")}
        action={
          <Button variant="default" component={Link} to="/o/$organization/licenses" params={params as never}>
            {t("filters.clear")}
          </Button>
        }
      >
        {t("empty.noMatchWords")}
      </Empty>
    );
  // Renders nothing until it is known whether there is a product, to avoid a flash.
  if (products.isLoading) return null;
  if (products.data?.length === 0) return <NoProduct to={wayToProduct}>{t("new.noProduct")}</NoProduct>;
  return (
    <Empty
      icon="license"
      title={t("empty.none")}
      action={
        <Group gap="xs">
          {may("licenses:create") && (
            <Button component={Link} to="/o/$organization/licenses/new" params={params as never}>
              {t("new.open")}
            </Button>
          )}
          {may("licenses:import") && (
            <Button
              variant="default"
              component={Link}
              to="/o/$organization/licenses/import"
              params={params as never}
            >
              {t("import")}
            </Button>
          )}
        </Group>
      }
    >
      {t("empty.noneWords")}
    </Empty>
  );
}
