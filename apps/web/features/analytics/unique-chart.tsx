import { exactUniques } from "@countersign/domain/analytics/unique-count";
import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ChartSection } from "../../ui/chart/chart-section.tsx";
import type { Series } from "../../ui/chart/series.ts";
import { errorText } from "./error-text.ts";
import type { AnalyticsState } from "./use-analytics.ts";
import { usePoints } from "./use-points.ts";

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
