import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ChartSection } from "../../ui/chart/chart-section.tsx";
import { validShares } from "./outcome-series.ts";
import type { AnalyticsState } from "./use-analytics.ts";
import { usePoints } from "./use-points.ts";

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
                  {
                    key: "before",
                    name: t("share.before"),
                    values: points.map((_, at) => sharesBefore[at] ?? null),
                    tone: "plain",
                    isBefore: true,
                  },
                ],
        }
      }
      empty={
        data?.totals.validations === 0 && (
          <Text c="dimmed" ta="center">
            {t("outcomes.none")}
          </Text>
        )
      }
    />
  );
}
