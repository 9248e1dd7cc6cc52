import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { GoButton } from "../../ui/go-button.tsx";
import { GoLink } from "../../ui/go-link.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { Lines } from "./expiring.tsx";
import classes from "./overview.module.css";
import { ProductLine } from "./product-line.tsx";
import { useUsage } from "./usage.ts";

/** The products and their request counts. */
export function ProductsState() {
  const { t } = useTranslation("overview");
  const { slug } = useOrganization();
  const may = useMay();
  const { data, error } = useUsage();
  return (
    <Section
      title={t("products.title")}
      note={data !== undefined && data.data.length > 0 ? t("products.note") : undefined}
      actions={
        <GoLink to={paths.products(slug)} size="sm">
          {t("products.all")}
        </GoLink>
      }
    >
      <ProblemAlert error={error} />
      {data === undefined && error === null && <Lines />}
      {data?.data.length === 0 && (
        <>
          <Text c="dimmed" mb="xs">
            {t("products.none")}
          </Text>
          {may("products:manage") && (
            <GoButton variant="default" to={paths.newProduct(slug)}>
              {t("steps.product.do")}
            </GoButton>
          )}
        </>
      )}
      <ul className={classes.list}>
        {data?.data.map((usage) => (
          <ProductLine key={usage.product_id} usage={usage} />
        ))}
      </ul>
    </Section>
  );
}
