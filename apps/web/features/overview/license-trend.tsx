import { expiringDays } from "@countersign/domain/licenses/expiring";
import { Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { GoLink } from "../../ui/links.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { ListTime } from "../../ui/time.tsx";
import { Line, LinesSection } from "./lines-section.tsx";
import { type Bucket, barsOf, largestOf, totalOf } from "./overview.ts";

const height = 72;

/** How many licenses were created on each of the last 30 days. */
export function NewLicenses() {
  const { t, i18n } = useTranslation("overview");
  const { data, error } = useTrend();
  const days = data?.created ?? [];
  const count = totalOf(days);
  // The server's days are those of UTC.
  const dayOf = ({ from }: Bucket) =>
    new Intl.DateTimeFormat(i18n.language, { day: "numeric", month: "short", timeZone: "UTC" }).format(
      new Date(from),
    );
  const number = new Intl.NumberFormat(i18n.language);
  const total = number.format(count);
  const [first] = days;
  const largest = largestOf(days);
  return (
    <Section
      title={t("created.title")}
      note={count === 0 ? undefined : t("created.note", { total, days: days.length })}
    >
      <ProblemAlert error={error} />
      {data === undefined && error === null && <Skeleton height={height + 20} />}
      {first !== undefined && count === 0 && (
        <Text c="dimmed">{t("created.none", { days: days.length })}</Text>
      )}
      {first !== undefined && count > 0 && (
        <>
          <BarChart
            height={height}
            hasScale
            label={t("created.chart", {
              total,
              days: days.length,
              most: number.format(largest?.count ?? 0),
              day: dayOf(largest ?? first),
            })}
            bars={barsOf(days, (bucket) => `${dayOf(bucket)}: ${number.format(bucket.count)}`)}
          />
          <Group justify="space-between">
            <Dimmed size="xs">{dayOf(first)}</Dimmed>
            <Dimmed size="xs">{t("today")}</Dimmed>
          </Group>
        </>
      )}
    </Section>
  );
}

const maxShown = 6;

/** The next licenses to expire, soonest first. */
export function Expiring() {
  const { t, i18n } = useTranslation("overview");
  const { id, slug } = useOrganization();
  const filter = {
    expires_within_days: expiringDays,
    sort: "expires_at",
    order: "asc",
  } as const;
  const query = useQuery(
    ask("listLicenses", {
      params: { organization_id: id },
      query: { ...filter, limit: maxShown, count: "true" },
    }),
  );
  const { total = 0, data: licenses } = query.data ?? {};
  const counted = new Intl.NumberFormat(i18n.language).format(total);
  return (
    <LinesSection
      title={t("expiring.title")}
      note={total === 0 ? undefined : t("expiring.note", { days: expiringDays, total: counted })}
      all={total > 0 ? { to: paths.licenses(slug, filter), words: t("expiring.all") } : undefined}
      query={query}
      chart={<ExpiringChart />}
      none={licenses?.length === 0 && <Text c="dimmed">{t("expiring.none", { days: expiringDays })}</Text>}
    >
      {licenses?.map((license) => (
        <Line
          key={license.id}
          title={
            <GoLink to={paths.license(slug, license.id)} className="mono" truncate>
              {license.license_key}
            </GoLink>
          }
          words={[license.customer_name ?? license.customer_email, license.product_name]
            .filter(Boolean)
            .join(" · ")}
          when={license.expires_at !== null && <ListTime at={license.expires_at} />}
          isDue
        />
      ))}
    </LinesSection>
  );
}

/** How many licenses expire in each of the coming weeks; null if none. */
function ExpiringChart() {
  const { t, i18n } = useTranslation("overview");
  const weeks = useTrend().data?.expiring ?? [];
  const count = totalOf(weeks);
  const largest = largestOf(weeks);
  if (count === 0) return null;
  const day = new Intl.DateTimeFormat(i18n.language, { day: "numeric", month: "short" });
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <figure style={{ margin: "0 0 0.75rem" }}>
      <BarChart
        height={56}
        hasScale
        label={t("expiring.chart", {
          weeks: weeks.length,
          total: number.format(count),
          most: number.format(largest?.count ?? 0),
          day: day.format(largest === undefined ? new Date() : new Date(largest.from)),
        })}
        bars={barsOf(weeks, (week) => {
          const when = t("expiring.week", { day: day.format(new Date(week.from)) });
          return `${when}: ${number.format(week.count)}`;
        })}
      />
      <Group justify="space-between">
        <Dimmed size="xs">{t("expiring.thisWeek")}</Dimmed>
        <Dimmed size="xs">{t("expiring.inWeeks", { weeks: weeks.length })}</Dimmed>
      </Group>
    </figure>
  );
}

/** How many licenses were created and how many expire. One request serves both charts. */
function useTrend() {
  const { id } = useOrganization();
  return useQuery({ ...ask("getLicenseTrend", { params: { organization_id: id } }), staleTime: 60_000 });
}
