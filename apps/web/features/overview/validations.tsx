import { refusedShare } from "@countersign/domain/analytics/refusals";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import { localTime, startOfDay } from "@countersign/domain/dates/time-zone";
import type { RequestOutcome } from "@countersign/domain/validate/status";
import { SegmentedControl, Skeleton, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Answer } from "../../api/client.ts";
import { ask } from "../../api/queries.ts";
import { browserTimeZone } from "../../i18n/shown-time-zone.ts";
import { useMay, useOrganization } from "../../session/current-organization.ts";
import { paths } from "../../session/paths.ts";
import { bucketPoints } from "../../ui/chart/bucket-labels.ts";
import type { Series } from "../../ui/chart/series.ts";
import { TimeChart } from "../../ui/chart/time-chart.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { GoLink } from "../../ui/links.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { mostFrequentRefusals } from "./overview.ts";
import classes from "./validations.module.css";

const route = getRouteApi("/signed-in/o/$organization/");
const height = 190;
type Range = "24h" | "7d";

/** The validations of a day or a week, and why some were refused. */
export function Validations() {
  const { t } = useTranslation("overview");
  const { slug } = useOrganization();
  const { range = "24h" } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isPlaceholderData } = useValidations(range);
  const isEmpty = data !== undefined && data.totals.validations === 0 && data.previous.validations === 0;
  return (
    <Section
      title={t("validations.title")}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t("validations.range")}
            value={range}
            onChange={(value) =>
              void navigate({
                search: value === "7d" ? { range: "7d" } : {},
                replace: true,
                resetScroll: false,
              })
            }
            data={(["24h", "7d"] as const).map((value) => ({
              value,
              label: t(`validations.ranges.${value}`),
            }))}
          />
          <GoLink to={paths.analytics(slug, { range })} size="sm">
            {t("validations.all")}
          </GoLink>
        </>
      }
    >
      <ProblemAlert error={error} />
      {data === undefined && error === null && <Skeleton height={height + 90} />}
      {isEmpty && <Text c="dimmed">{t(`validations.none.${range}`)}</Text>}
      {data !== undefined && !isEmpty && (
        <div className={classes.parts} data-stale={isPlaceholderData || undefined}>
          <div className={classes.main}>
            <Figures data={data} />
            <OverTime data={data} />
          </div>
          <Reasons data={data} />
        </div>
      )}
    </Section>
  );
}

type Analytics = Answer<"getAnalytics">;

function useValidations(range: Range) {
  const { id } = useOrganization();
  const time_zone = browserTimeZone();
  const from = new Date(startOf(range, time_zone, Date.now())).toISOString();
  return useQuery({
    ...ask("getAnalytics", {
      params: { organization_id: id },
      query: { from, time_zone, interval: range === "7d" ? "day" : "hour" },
    }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });
}

/** The current hour and 23 before it, or today and six days before it. */
function startOf(range: Range, timeZone: string, nowMs: number): number {
  if (range === "24h") return Math.floor(nowMs / hourMs) * hourMs - 23 * hourMs;
  const today = localTime(nowMs, timeZone).slice(0, 10);
  return startOfDay(new Date(Date.parse(today) - 6 * dayMs).toISOString().slice(0, 10), timeZone);
}

/** How many validations there were, how many were refused, and from how many licenses, with the period before. */
function Figures({ data: { totals, previous } }: { data: Analytics }) {
  const { t, i18n } = useTranslation("overview");
  const number = new Intl.NumberFormat(i18n.language);
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent", maximumFractionDigits: 1 });
  const [share, shareBefore] = [refusedShare(totals), refusedShare(previous)];
  return (
    <dl className={`${classes.figures} figures`}>
      <Figure
        name={t("validations.count")}
        value={number.format(totals.validations)}
        before={t("validations.before", { value: number.format(previous.validations) })}
      />
      <Figure
        name={t("validations.refused")}
        value={share === null ? "–" : percent.format(share)}
        aside={totals.refused > 0 ? number.format(totals.refused) : undefined}
        isBad={totals.refused > 0}
        before={t("validations.before", { value: shareBefore === null ? "–" : percent.format(shareBefore) })}
      />
      <Figure
        name={t("validations.licenses")}
        value={number.format(totals.active_licenses)}
        before={t("validations.before", { value: number.format(previous.active_licenses) })}
      />
    </dl>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly aside?: string | undefined;
  readonly before: string;
  readonly isBad?: boolean;
}

function Figure({ name, value, aside, before, isBad = false }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span className={classes.value} data-bad={isBad || undefined}>
          {value}
        </span>
        {aside !== undefined && <span className={classes.aside}>{aside}</span>}
        <Dimmed>{before}</Dimmed>
      </dd>
    </div>
  );
}

function OverTime({ data }: { data: Analytics }) {
  const { t, i18n } = useTranslation("overview");
  const { buckets, interval, time_zone: timeZone } = data;
  const bars: Series[] = [
    {
      key: "valid",
      name: t("validations.valid"),
      values: buckets.map(({ validations, refused }) => validations - refused),
      tone: 0,
    },
    {
      key: "refused",
      name: t("validations.refused"),
      values: buckets.map(({ refused }) => refused),
      tone: 1,
    },
  ];
  return (
    <TimeChart
      label={t("validations.title")}
      height={height}
      points={bucketPoints(buckets, { interval, timeZone, language: i18n.language })}
      bars={bars}
      lines={[]}
      hasTotal
    />
  );
}

const maxReasons = 5;

/** The most frequent reasons for refusals; each leads to its requests. */
function Reasons({ data: { from, to, totals } }: { data: Analytics }) {
  const { t, i18n } = useTranslation("overview");
  const { t: requests } = useTranslation("requests");
  const { slug } = useOrganization();
  const seesRequests = useMay()("requests:view");
  const number = new Intl.NumberFormat(i18n.language);
  const { shown, others } = mostFrequentRefusals(totals.validation_outcomes, maxReasons);
  const link = (outcomes: readonly string[], words: ReactNode) =>
    seesRequests ? (
      <GoLink
        to={paths.requests(slug, { endpoint: "validate", outcome: outcomes as RequestOutcome[], from, to })}
        inherit
      >
        {words}
      </GoLink>
    ) : (
      words
    );
  const most = Math.max(1, ...shown.map(({ count }) => count));
  return (
    <div className={classes.reasons}>
      <h3 className={classes.reasonsTitle}>{t("validations.reasons")}</h3>
      {shown.length === 0 ? (
        <Text c="dimmed">{t("validations.noneRefused")}</Text>
      ) : (
        <ul className={classes.reasonList}>
          {shown.map(({ outcome, count }) => (
            <li key={outcome}>
              <div className={classes.reason}>
                {link([outcome], requests(`outcomes.${outcome}`))}
                <span className="figures">{number.format(count)}</span>
              </div>
              <progress className={classes.bar} value={count} max={most} aria-hidden="true" />
            </li>
          ))}
          {others.length > 0 && (
            <li className={classes.reason}>
              {link(
                others.map(({ outcome }) => outcome),
                t("validations.others"),
              )}
              <span className="figures">
                {number.format(others.reduce((sum, { count }) => sum + count, 0))}
              </span>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
