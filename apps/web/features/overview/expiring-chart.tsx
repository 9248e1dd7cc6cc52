import { Group, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { BarChart } from "../../ui/bar-chart.tsx";
import { barsOf, largestOf, totalOf } from "./buckets.ts";
import { useTrend } from "./trend.ts";

/** How many licenses expire in each of the coming weeks; null if none. */
export function ExpiringChart() {
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
        <Text size="xs" c="dimmed">
          {t("expiring.thisWeek")}
        </Text>
        <Text size="xs" c="dimmed">
          {t("expiring.inWeeks", { weeks: weeks.length })}
        </Text>
      </Group>
    </figure>
  );
}
