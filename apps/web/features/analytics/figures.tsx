import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Help } from "../../ui/help.tsx";
import classes from "./analytics.module.css";
import { changeText } from "./change.ts";
import { errorText } from "./error-text.ts";
import type { AnalyticsState } from "./use-analytics.ts";

/** The totals of the range, compared with the period before. */
export function Figures({ state: { data, isCompared } }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { language } = i18n;
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const share = (of: { validations: number; refused: number }) =>
    of.validations === 0 ? "–" : percent.format(of.refused / of.validations);
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
