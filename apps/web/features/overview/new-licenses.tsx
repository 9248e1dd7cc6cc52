import { Group, Skeleton, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { BarChart } from "../../ui/bar-chart.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { type Bucket, barsOf, largestOf, totalOf } from "./buckets.ts";
import { useTrend } from "./trend.ts";

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
            <Text size="xs" c="dimmed">
              {dayOf(first)}
            </Text>
            <Text size="xs" c="dimmed">
              {t("today")}
            </Text>
          </Group>
        </>
      )}
    </Section>
  );
}
