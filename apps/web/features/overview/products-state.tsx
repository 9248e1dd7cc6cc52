import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Item } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { GoButton, GoLink } from "../../ui/links.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { LinesSection } from "./lines-section.tsx";
import classes from "./overview.module.css";

/** The products and their request counts. */
export function ProductsState() {
  const { t } = useTranslation("overview");
  const { slug } = useOrganization();
  const may = useMay();
  const usage = useUsage();
  const products = usage.data?.data ?? [];
  return (
    <LinesSection
      title={t("products.title")}
      note={products.length > 0 ? t("products.note") : undefined}
      all={{ to: paths.products(slug), words: t("products.all") }}
      query={usage}
      none={
        usage.data !== undefined &&
        products.length === 0 && (
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
        )
      }
    >
      {products.map((product) => (
        <ProductLine key={product.product_id} usage={product} />
      ))}
    </LinesSection>
  );
}

const tones = { active: "good", disabled: "warn", archived: "off" } as const;
/** The server emits quota.warning at the same share. */
const nearlyAll = 0.8;

/** A product: its status, its requests in the last two weeks, and today's requests out of the daily limit. */
function ProductLine({ usage }: { usage: Item<"listProductUsage"> }) {
  const { t, i18n } = useTranslation("overview");
  const { slug, daily_limit: limit } = useOrganization();
  const { product_id: id, name, status, days } = usage;
  const today = days.at(-1) ?? 0;
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <li className={classes.product}>
      <div className={classes.productName}>
        <GoLink to={paths.product(slug, id)} display="block">
          {name}
        </GoLink>
        {status !== "active" && (
          <Text size="sm" component="div">
            <StateMark tone={tones[status]} words={t(`products.words.${status}`)}>
              {t(`products.status.${status}`)}
            </StateMark>
          </Text>
        )}
      </div>
      <div className={classes.spark}>
        <BarChart
          height={22}
          label={t("products.chart", { name, days: days.map((used) => number.format(used)).join(", ") })}
          bars={days.map((used, at) => ({
            key: at,
            title: t("products.day", { count: days.length - 1 - at, used: number.format(used) }),
            parts: [{ value: used }],
          }))}
        />
      </div>
      <Text
        size="sm"
        component="div"
        className={`${classes.today} figures`}
        data-near={(limit !== null && today >= limit * nearlyAll) || undefined}
      >
        {limit === null
          ? t("products.today", { used: number.format(today) })
          : t("products.todayOf", { used: number.format(today), limit: number.format(limit) })}
        {limit !== null && (
          <progress className={classes.quota} value={today} max={limit} aria-hidden="true" />
        )}
      </Text>
    </li>
  );
}

const maxShown = 6;

/** The first products and their request counts. */
function useUsage() {
  const { id } = useOrganization();
  return useQuery({
    ...ask("listProductUsage", { params: { organization_id: id }, query: { limit: maxShown } }),
    refetchInterval: 60_000,
  });
}
