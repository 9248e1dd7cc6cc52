import { Skeleton, Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { CsvLink } from "../../ui/chart/chart-section.tsx";
import { Help } from "../../ui/help.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Section } from "../../ui/section.tsx";
import { clockTime, forecastOf, resetTime } from "../usage/figures.ts";
import classes from "./analytics.module.css";
import type { AnalyticsState } from "./use-analytics.ts";

/** How much of today's limits is used. Limits start again at midnight UTC. */
export function Quota({ state: { data, timeZone, csv, isCompared } }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { t: usage } = useTranslation("usage");
  const { language } = i18n;
  const number = new Intl.NumberFormat(language);
  const title = t("quota.title");
  const resetsAt = data?.quota[0]?.resets_at;
  return (
    <Section
      title={title}
      beside={<Help about={title}>{t("quota.help")}</Help>}
      actions={<CsvLink href={csv("quota")} title={title} />}
      note={
        resetsAt === undefined
          ? undefined
          : usage("today.resets", { time: resetTime(resetsAt, language, timeZone) })
      }
    >
      {data === undefined && <Skeleton height={46} />}
      {data?.quota.length === 0 && <Text c="dimmed">{t("quota.none")}</Text>}
      <ul className={classes.quota}>
        {data?.quota.map((one) => {
          const forecast = forecastOf(one);
          return (
            <li key={one.product_id}>
              <Meter name={one.product_name} used={one.used_today} limit={one.daily_limit} />
              {isCompared && (
                <Text size="sm" c="dimmed" mt={4} className="figures">
                  {t("quota.yesterday", { value: number.format(one.used_yesterday) })}
                </Text>
              )}
              {forecast !== null && (
                <Text size="sm" mt={4}>
                  {usage(`forecast.${forecast}`, {
                    time: clockTime(one.runs_out_at ?? one.resets_at, language, timeZone),
                    reset: clockTime(one.resets_at, language, timeZone),
                  })}
                </Text>
              )}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
