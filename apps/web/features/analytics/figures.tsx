import { Skeleton, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { CsvLink } from "../../ui/chart/chart-section.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Help } from "../../ui/help.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Section } from "../../ui/section.tsx";
import { clockTime, forecastOf, resetTime } from "../usage/figures.ts";
import classes from "./analytics.module.css";
import { changeText, errorText } from "./figure-text.ts";
import type { AnalyticsState } from "./use-analytics.ts";

/** The totals of the range, compared with the period before. */
export function Figures({ state: { data, isCompared } }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { language } = i18n;
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const share = (figures: { validations: number; refused: number }) =>
    figures.validations === 0 ? "–" : percent.format(figures.refused / figures.validations);
  const beforeText = (count: number, countBefore: number) => {
    const change = changeText(count, countBefore, language);
    const value = number.format(countBefore);
    return change === null ? t("figures.beforeOnly", { value }) : t("figures.before", { change, value });
  };
  const [now, before] = [data?.totals, data?.previous];
  const counted = (name: "validations" | "unique_licenses" | "unique_ips", error?: string | null) => (
    <Tile
      name={t(`figures.${name}.name`)}
      help={t(`figures.${name}.help`)}
      value={now === undefined ? undefined : number.format(now[name])}
      aside={error}
      before={
        isCompared && now !== undefined && before !== undefined ? beforeText(now[name], before[name]) : null
      }
    />
  );
  const error = (count: number | undefined) =>
    data === undefined || count === undefined ? null : errorText(count, data.unique_error, language);
  return (
    <dl className={classes.tiles}>
      {counted("validations")}
      <Tile
        name={t("figures.refused.name")}
        help={t("figures.refused.help")}
        value={now === undefined ? undefined : share(now)}
        aside={
          now === undefined
            ? null
            : t("figures.refused.count", { count: now.refused, number: number.format(now.refused) })
        }
        before={isCompared && before !== undefined ? t("figures.beforeOnly", { value: share(before) }) : null}
      />
      {counted("unique_licenses", error(now?.unique_licenses))}
      {counted("unique_ips", error(now?.unique_ips))}
    </dl>
  );
}

interface TileProps {
  readonly name: string;
  readonly help: ReactNode;
  /** Undefined while it loads. */
  readonly value: string | undefined;
  readonly aside?: string | null | undefined;
  readonly before: string | null;
}

function Tile({ name, help, value, aside, before }: TileProps) {
  return (
    <div className={classes.tile}>
      <dt>
        {name}
        <Help about={name}>{help}</Help>
      </dt>
      <dd className="figures">
        {value === undefined ? (
          <Skeleton height={28} width="60%" my={4} />
        ) : (
          <div className={classes.figure}>
            {value}
            {aside != null && <span className={classes.error}>{aside}</span>}
          </div>
        )}
        {value !== undefined && before !== null && <div className={classes.before}>{before}</div>}
      </dd>
    </div>
  );
}

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
                <Dimmed mt={4} className="figures">
                  {t("quota.yesterday", { value: number.format(one.used_yesterday) })}
                </Dimmed>
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
