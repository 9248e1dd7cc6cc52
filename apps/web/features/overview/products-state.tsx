import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../app/here.ts";
import { GoLink } from "../../ui/go-link.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { Lines } from "./expiring.tsx";
import classes from "./overview.module.css";

const shown = 6;
const tones = { active: "good", disabled: "warn", archived: "off" } as const;

export function ProductsState() {
  const { t } = useTranslation("overview");
  const { id, slug } = useOrganization();
  const may = useMay();
  const { data, error } = useQuery(
    ask("listProducts", { params: { organization_id: id }, query: { limit: shown } }),
  );
  return (
    <Section
      title={t("products.title")}
      actions={
        <GoLink to={`/o/${slug}/products`} size="sm">
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
            <Button
              variant="default"
              renderRoot={(props) => <Link {...props} to={`/o/${slug}/products/new` as "/"} />}
            >
              {t("steps.product.do")}
            </Button>
          )}
        </>
      )}
      <ul className={classes.list}>
        {data?.data.map((product) => (
          <li key={product.id} className={classes.line}>
            <GoLink to={`/o/${slug}/products/${product.id}`} truncate flex={1} miw={0}>
              {product.name}
            </GoLink>
            <Text size="sm" component="div">
              <StateMark tone={tones[product.status]} words={t(`products.words.${product.status}`)}>
                {t(`products.status.${product.status}`)}
              </StateMark>
            </Text>
          </li>
        ))}
      </ul>
    </Section>
  );
}
