import { exactUniques } from "@countersign/domain/analytics/unique-count";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { bucketPoints } from "../../ui/chart/bucket-labels.ts";
import { ChartSection } from "../../ui/chart/chart-section.tsx";
import type { Point, Series } from "../../ui/chart/series.ts";
import { Help } from "../../ui/help.tsx";
import { Section } from "../../ui/section.tsx";
import { BarRows } from "./breakdowns.tsx";
import { errorText } from "./figure-text.ts";
import { outcomeRows, outcomeSeries, validShares, versionSeries } from "./series.ts";
import type { Analytics, AnalyticsState } from "./use-analytics.ts";

/** Validations by outcome. */
export function OutcomeChart({ state }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { t: outcomeName } = useTranslation("requests");
  const { data, before } = state;
  const points = usePoints(data);
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <ChartSection
      title={t("outcomes.title")}
      help={t("outcomes.help")}
      note={data && t("outcomes.total", { total: number.format(data.totals.validations) })}
      csv={state.csv("requests")}
      data={
        data && {
          points,
          bars: outcomeSeries(data.buckets, (outcome) =>
            outcome === "rest" ? t("outcomes.rest") : outcomeName(`outcomes.${outcome}`),
          ),
          lines:
            before === undefined
              ? []
              : [
                  lineBefore(
                    t("compare.before"),
                    points.map((_, at) => before[at]?.validations),
                  ),
                ],
          hasTotal: true,
        }
      }
      empty={data?.totals.validations === 0 && <NoValues>{t("outcomes.none")}</NoValues>}
    >
      {data !== undefined && (
        <BarRows
          label={t("outcomes.rows")}
          isCompared={state.isCompared}
          names={{ name: t("outcomes.outcome"), value: t("outcomes.validations") }}
          rows={outcomeRows(data.totals.validation_outcomes, data.previous.validation_outcomes).map(
            (row) => ({
              ...row,
              name: outcomeName(`outcomes.${row.key}`),
            }),
          )}
        />
      )}
    </ChartSection>
  );
}

/** Which share of validations was valid. */
export function ShareChart({ state }: { state: AnalyticsState }) {
  const { t } = useTranslation("analytics");
  const { data, before } = state;
  const points = usePoints(data);
  const sharesBefore = before === undefined ? null : validShares(before);
  return (
    <ChartSection
      title={t("share.title")}
      help={t("share.help")}
      csv={state.csv("requests")}
      data={
        data && {
          points,
          isShare: true,
          bars: [
            {
              key: "valid",
              name: t("share.valid"),
              values: data.buckets.map(({ validations, refused }) => validations - refused),
              tone: 0,
            },
            {
              key: "refused",
              name: t("share.refused"),
              values: data.buckets.map(({ refused }) => refused),
              tone: 1,
            },
          ],
          lines:
            sharesBefore === null
              ? []
              : [
                  lineBefore(
                    t("share.before"),
                    points.map((_, at) => sharesBefore[at]),
                  ),
                ],
        }
      }
      empty={data?.totals.validations === 0 && <NoValues>{t("outcomes.none")}</NoValues>}
    />
  );
}

/** Different licenses and IP addresses. */
export function UniqueChart({ state }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { data, before } = state;
  const points = usePoints(data);
  const line = (key: "unique_licenses" | "unique_ips", name: string, tone: 0 | 2): Series[] => [
    { key, name, values: data?.buckets.map((bucket) => bucket[key]) ?? [], tone },
    ...(before === undefined
      ? []
      : [
          {
            key: `${key} before`,
            name: t("unique.before", { name }),
            values: points.map((_, at) => before[at]?.[key] ?? null),
            tone,
            isBefore: true,
          },
        ]),
  ];
  const highest = Math.max(
    0,
    ...(data?.buckets ?? []).map(({ unique_licenses: licenses, unique_ips: ips }) => Math.max(licenses, ips)),
  );
  const error = data && errorText(highest, data.unique_error, i18n.language);
  return (
    <ChartSection
      title={t("unique.title")}
      help={t("unique.help", { exactUpTo: exactUniques })}
      csv={state.csv("requests")}
      data={
        data && {
          points,
          bars: [],
          lines: [
            ...line("unique_licenses", t("unique.licenses"), 0),
            ...line("unique_ips", t("unique.ips"), 2),
          ],
        }
      }
    >
      {/* Also without an error, so that charts next to each other have the same height. */}
      <Text size="xs" c="dimmed" mt={4} mih="1.2em">
        {error && t("unique.error", { error, exactUpTo: exactUniques })}
      </Text>
    </ChartSection>
  );
}

interface VersionChartProps {
  readonly state: AnalyticsState;
  readonly productId: string | undefined;
  readonly choosesProduct: boolean;
}

/** Which versions of an app are in use, and how fast new ones are adopted. */
export function VersionChart({ state, productId, choosesProduct }: VersionChartProps) {
  const { t } = useTranslation("analytics");
  const { data } = state;
  const points = usePoints(data);
  const title = t("versions.title");
  const help = t("versions.help");
  if (choosesProduct && productId === undefined)
    return (
      <Section title={title} beside={<Help about={title}>{help}</Help>}>
        <Text c="dimmed">{t("versions.choose")}</Text>
      </Section>
    );
  return (
    <ChartSection
      title={title}
      help={help}
      csv={state.csv("versions")}
      data={
        data && {
          points,
          isShare: true,
          bars: versionSeries(data.versions, { none: t("versions.unnamed"), rest: t("versions.rest") }),
          lines: [],
        }
      }
      empty={
        data?.versions.every(({ version, validations }) => version === null || validations === 0) && (
          <NoValues>{t("versions.none")}</NoValues>
        )
      }
    >
      {data?.versions.some(({ version }) => version !== null) && (
        <BarRows
          label={t("versions.rows")}
          isCompared={state.isCompared}
          names={{ name: t("versions.version"), value: t("versions.validations") }}
          rows={data.versions.map(
            ({ version, is_other: isOther, validations, previous_validations: before }) => ({
              key: isOther ? " rest" : (version ?? ""),
              name: isOther ? t("versions.rest") : (version ?? t("versions.unnamed")),
              value: validations,
              before,
            }),
          )}
        />
      )}
    </ChartSection>
  );
}

/** The values of the period before, below the present ones. */
function lineBefore(name: string, values: readonly (number | null | undefined)[]): Series {
  return {
    key: "before",
    name,
    values: values.map((value) => value ?? null),
    tone: "plain",
    isBefore: true,
  };
}

function NoValues({ children }: { children: string }) {
  return (
    <Text c="dimmed" ta="center">
      {children}
    </Text>
  );
}

/** The names of the buckets. The last one says if it has not ended. */
function usePoints(data: Analytics | undefined): readonly Point[] {
  const { t, i18n } = useTranslation("analytics");
  if (data === undefined) return [];
  const { interval, time_zone: timeZone, buckets } = data;
  const points = bucketPoints(buckets, { interval, timeZone, language: i18n.language });
  const last = points.at(-1);
  const isRunning = last !== undefined && Date.parse(buckets.at(-1)?.to ?? "") > Date.now();
  return isRunning ? [...points.slice(0, -1), { ...last, full: t("soFar", { time: last.full }) }] : points;
}
