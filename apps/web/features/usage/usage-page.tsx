import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import {
  type InfiniteData,
  type UseInfiniteQueryResult,
  useInfiniteQuery,
  useQuery,
} from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Answer, Item } from "../../api/client.ts";
import { ask, askPages, flat } from "../../api/queries.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { NoProduct } from "../../ui/empty.tsx";
import { GoLink } from "../../ui/links.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Page } from "../../ui/page.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { clockTime, forecastOf, resetTime, storageText } from "./figures.ts";
import classes from "./usage.module.css";

// Below what most users look for, and with many elements.
const History = lazy(() => import("./history.tsx").then((file) => ({ default: file.History })));

/** How much of its limits an organization uses. */
export function UsagePage() {
  const { t } = useTranslation("usage");
  const { id, slug } = useOrganization();
  const may = useMay();
  const products = useInfiniteQuery({
    ...askPages("listProductUsage", { params: { organization_id: id }, query: { limit: 50 } }),
    refetchInterval: 60_000,
  });
  const seesTotals = may("billing:view", "billing:manage", "analytics:view", "organization:manage");
  const isEmpty = products.data !== undefined && flat(products.data).length === 0 && !products.hasNextPage;
  return (
    <Page title={t("everywhere:places.usage")} lead={t("lead")}>
      <div className={classes.sections}>
        {isEmpty ? (
          <NoProduct to={may("products:manage") ? paths.newProduct(slug) : null}>{t("empty")}</NoProduct>
        ) : (
          <>
            <ProductsToday products={products} />
            <Suspense fallback={<Skeleton height={280} radius="lg" />}>
              <History />
            </Suspense>
          </>
        )}
        {seesTotals && <Totals />}
      </div>
    </Page>
  );
}

interface ProductsTodayProps {
  readonly products: UseInfiniteQueryResult<InfiniteData<Answer<"listProductUsage">>>;
}

/** Each product's requests today against its limit, and in the last two weeks. */
function ProductsToday({ products }: ProductsTodayProps) {
  const { t, i18n } = useTranslation("usage");
  const rows = flat(products.data);
  const resetsAt = rows[0]?.resets_at;
  return (
    <Section
      title={t("today.title")}
      note={
        resetsAt === undefined ? undefined : t("today.resets", { time: resetTime(resetsAt, i18n.language) })
      }
    >
      <ProblemAlert error={products.error} />
      {products.isPending && (
        <Stack gap="sm" aria-hidden="true">
          {[0, 1, 2].map((line) => (
            <Skeleton key={line} height={52} />
          ))}
        </Stack>
      )}
      <ul className={classes.products}>
        {rows.map((usage) => (
          <ProductToday key={usage.product_id} usage={usage} />
        ))}
      </ul>
      {products.hasNextPage && (
        <Button
          variant="subtle"
          loading={products.isFetchingNextPage}
          onClick={() => void products.fetchNextPage()}
        >
          {t("everywhere:more")}
        </Button>
      )}
    </Section>
  );
}

const tones = { active: "good", disabled: "warn", archived: "off" } as const;

/** A product's meter, its forecast, and its last two weeks. */
function ProductToday({ usage }: { readonly usage: Item<"listProductUsage"> }) {
  const { t, i18n } = useTranslation("usage");
  const { slug } = useOrganization();
  const opensProducts = useMay()("products:view", "products:manage", "products:rotate_key");
  const { product_id: id, name, status, days, runs_out_at: runsOutAt, resets_at: resetsAt } = usage;
  const number = new Intl.NumberFormat(i18n.language);
  const forecast = forecastOf(usage);
  return (
    <li className={classes.product}>
      <div className={classes.meter}>
        <Meter
          name={
            <Group gap="xs">
              {opensProducts ? (
                <GoLink to={paths.product(slug, id)} fw={600}>
                  {name}
                </GoLink>
              ) : (
                <b>{name}</b>
              )}
              {status !== "active" && <StateMark tone={tones[status]}>{t(`status.${status}`)}</StateMark>}
            </Group>
          }
          used={usage.used_today}
          limit={usage.daily_limit}
        />
        {forecast !== null && (
          <Text size="sm" mt={4}>
            {t(`forecast.${forecast}`, {
              time: clockTime(runsOutAt ?? resetsAt, i18n.language),
              reset: clockTime(resetsAt, i18n.language),
            })}
          </Text>
        )}
      </div>
      <BarChart
        height={40}
        label={t("twoWeeks", { name, days: days.map((used) => number.format(used)).join(", ") })}
        bars={days.map((used, at) => ({
          key: at,
          title: t("daysAgo", { count: days.length - 1 - at, used: number.format(used) }),
          parts: [{ value: used }],
        }))}
      />
    </li>
  );
}

/** What the organization has, and how much of it its plan allows. */
function Totals() {
  const { t, i18n } = useTranslation("usage");
  const { id, slug } = useOrganization();
  const seesBilling = useMay()("billing:view", "billing:manage");
  const { data, error } = useQuery(ask("getUsageTotals", { params: { organization_id: id } }));
  return (
    <Section
      title={t("totals.title")}
      actions={
        seesBilling && (
          <GoLink to={paths.billing(slug)} size="sm">
            {t("totals.plan")}
          </GoLink>
        )
      }
    >
      <ProblemAlert error={error} />
      {data === undefined && error === null && <Skeleton height={60} />}
      {data !== undefined && (
        <div className={classes.totals}>
          {data.limits.map(({ name, used, limit }) => (
            <Meter key={name} name={t(`totals.${name}`)} used={used} limit={limit} />
          ))}
          <div>
            <div className={classes.storage}>
              <span>{t("totals.storage")}</span>
              <span className="figures">{storageText(data.storage_bytes, i18n.language)}</span>
            </div>
            <Dimmed>{t("totals.storageWords")}</Dimmed>
          </div>
        </div>
      )}
    </Section>
  );
}
