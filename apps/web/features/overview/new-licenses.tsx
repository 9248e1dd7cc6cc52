import { Group, Skeleton, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { BarChart } from "../../ui/bar-chart.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { barsOf, fullestOf, type Stretch, totalOf } from "./stretches.ts";
import { useTrend } from "./trend.ts";

const height = 72;

/** How many licenses were made on each of the last 30 days. */
export function NewLicenses() {
  const { t, i18n } = useTranslation("overview");
  const { data, error } = useTrend();
  const days = data?.created ?? [];
  const count = totalOf(days);
  // The server's days are those of UTC.
  const dayOf = ({ from }: Stretch) =>
    new Intl.DateTimeFormat(i18n.language, { day: "numeric", month: "short", timeZone: "UTC" }).format(
      new Date(from),
    );
  const number = new Intl.NumberFormat(i18n.language);
  const total = number.format(count);
  const [first] = days;
  const fullest = fullestOf(days);
  return (
    <Section
      title={t("made.title")}
      note={count === 0 ? undefined : t("made.note", { total, days: days.length })}
    >
      <ProblemAlert error={error} />
      {data === undefined && error === null && <Skeleton height={height + 20} />}
      {first !== undefined && count === 0 && <Text c="dimmed">{t("made.none", { days: days.length })}</Text>}
      {first !== undefined && count > 0 && (
        <>
          <BarChart
            height={height}
            hasScale
            label={t("made.words", {
              total,
              days: days.length,
              most: number.format(fullest?.count ?? 0),
              day: dayOf(fullest ?? first),
            })}
            bars={barsOf(days, (stretch) => `${dayOf(stretch)}: ${number.format(stretch.count)}`)}
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
