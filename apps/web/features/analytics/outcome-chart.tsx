import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ChartSection } from "../../ui/chart/chart-section.tsx";
import { BarRows } from "./bar-rows.tsx";
import { outcomeRows, outcomeSeries } from "./outcome-series.ts";
import type { AnalyticsState } from "./use-analytics.ts";
import { usePoints } from "./use-points.ts";

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
                  {
                    key: "before",
                    name: t("compare.before"),
                    values: points.map((_, at) => before[at]?.validations ?? null),
                    tone: "plain",
                    isBefore: true,
                  },
                ],
          hasTotal: true,
        }
      }
      empty={
        data?.totals.validations === 0 && (
          <Text c="dimmed" ta="center">
            {t("outcomes.none")}
          </Text>
        )
      }
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
