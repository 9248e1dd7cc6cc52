import { expiringDays } from "@countersign/domain/licenses/expiring";
import { Code, ScrollArea, Skeleton, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Trans, useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMe, useOrganization } from "../../session/current-organization.ts";
import { CsvLink } from "../../ui/chart/chart-section.tsx";
import { Help } from "../../ui/help.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import classes from "./analytics.module.css";
import { changeText, errorText } from "./figure-text.ts";
import type { AnalyticsState } from "./use-analytics.ts";

const names = ["new", "active", "stopped", "expired", "revoked", "churned"] as const;

/** How many licenses began, were used, and ended. */
export function LicenseFlow({ state }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { id } = useOrganization();
  const { data, error } = useQuery({
    ...ask("getLicenseAnalytics", { params: { organization_id: id }, query: state.scope }),
    placeholderData: keepPreviousData,
  });
  const title = t("licenses.title");
  const errorOf = (count: number) =>
    state.data === undefined ? null : errorText(count, state.data.unique_error, i18n.language);
  return (
    <Section
      title={title}
      beside={
        <Help about={title}>
          <dl style={{ margin: 0 }}>
            {[...names, "expiring" as const].map((name) => (
              <div key={name}>
                <dt style={{ fontWeight: 600 }}>{t(`licenses.${name}.name`, { days: expiringDays })}</dt>
                <dd style={{ margin: "0 0 0.35rem" }}>
                  {t(`licenses.${name}.help`, { days: expiringDays })}
                </dd>
              </div>
            ))}
          </dl>
        </Help>
      }
      actions={<CsvLink href={state.csv("licenses")} title={title} />}
    >
      <ProblemAlert error={error} />
      {data === undefined && error === null && <Skeleton height={250} />}
      {data !== undefined && (
        <BarRows
          label={title}
          isCompared={state.isCompared}
          names={{ name: t("licenses.kind"), value: t("licenses.count") }}
          rows={[
            ...names.map((name) => ({
              key: name,
              name: t(`licenses.${name}.name`),
              value: data.totals[name],
              before: data.previous[name],
              aside: name === "active" || name === "stopped" ? errorOf(data.totals.active) : null,
            })),
            {
              key: "expiring",
              name: t("licenses.expiring.name", { days: expiringDays }),
              value: data.expiring.count,
              before: data.expiring.previous_count,
            },
          ]}
        />
      )}
    </Section>
  );
}

/** Where requests come from. */
export function Countries({ state }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { data, isCompared } = state;
  const title = t("countries.title");
  const beside = <Help about={title}>{t("countries.help")}</Help>;
  if (data === undefined)
    return (
      <Section title={title} beside={beside}>
        <Skeleton height={220} />
      </Section>
    );
  const names = new Intl.DisplayNames(i18n.language, { type: "region", fallback: "code" });
  return (
    <Section title={title} beside={beside} actions={<CsvLink href={state.csv("countries")} title={title} />}>
      {data.countries.length === 0 ? (
        <Text c="dimmed">{t("countries.none")}</Text>
      ) : (
        <ScrollArea.Autosize
          mah={304}
          // Scrolls, also with the keyboard.
          viewportProps={{
            tabIndex: 0,
            role: "region",
            "aria-label": t("everywhere:chart.table", { chart: title }),
          }}
        >
          <BarRows
            label={title}
            isCompared={isCompared}
            names={{ name: t("countries.country"), value: t("countries.requests") }}
            rows={data.countries.map(({ country, requests, previous_requests: before }) => ({
              key: country ?? "",
              name: country === null ? t("countries.unknown") : names.of(country),
              value: requests,
              before,
            }))}
          />
        </ScrollArea.Autosize>
      )}
    </Section>
  );
}

/** Without a GeoIP file: how operators supply one. Null for others. */
export function NoCountries() {
  const { t } = useTranslation("analytics");
  if (!useMe().is_platform_admin) return null;
  return (
    <Section title={t("countries.title")}>
      <Text c="dimmed">
        <Trans t={t} i18nKey="countries.setUp" components={{ code: <Code /> }} />
      </Text>
    </Section>
  );
}

interface BarRow {
  readonly key: string;
  readonly name: ReactNode;
  readonly value: number;
  /** Null if there is nothing to compare with. */
  readonly before: number | null;
  /** Next to the value, such as its error. */
  readonly aside?: string | null;
}

interface BarRowsProps {
  readonly label: string;
  readonly rows: readonly BarRow[];
  readonly names: { readonly name: string; readonly value: string };
  readonly isCompared: boolean;
}

/** Values next to each other as bars, in a table, so that they need no other view. */
export function BarRows({ label, rows, names, isCompared }: BarRowsProps) {
  const { t, i18n } = useTranslation("analytics");
  const number = new Intl.NumberFormat(i18n.language);
  const highest = Math.max(
    1,
    ...rows.flatMap(({ value, before }) => [value, isCompared ? (before ?? 0) : 0]),
  );
  const width = (value: number) => ({ width: `${(100 * value) / highest}%` });
  return (
    <table className={classes.rows} aria-label={label}>
      <thead>
        <tr>
          <th scope="col">{names.name}</th>
          {/* The bars repeat the numbers. */}
          <td className={classes.barCell} />
          <th scope="col" data-figure>
            {names.value}
          </th>
          {isCompared && (
            <th scope="col" data-figure>
              {t("compare.before")}
            </th>
          )}
        </tr>
      </thead>
      <tbody className="figures">
        {rows.map(({ key, name, value, before, aside }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            <td className={classes.barCell}>
              {value > 0 && <div className={classes.bar} style={width(value)} />}
              {isCompared && before !== null && before > 0 && (
                <div className={classes.barBefore} style={width(before)} />
              )}
            </td>
            <td data-figure>
              {number.format(value)}
              {aside != null && <span className={classes.error}>{aside}</span>}
            </td>
            {isCompared && (
              <td data-figure>
                {before === null ? "–" : number.format(before)}
                {before !== null && changeText(value, before, i18n.language) !== null && (
                  <span className={classes.error}>{changeText(value, before, i18n.language)}</span>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
