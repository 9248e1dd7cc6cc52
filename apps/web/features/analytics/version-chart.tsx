import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { ChartSection } from "../../ui/chart/chart-section.tsx";
import { Help } from "../../ui/help.tsx";
import { Section } from "../../ui/section.tsx";
import { BarRows } from "./bar-rows.tsx";
import type { AnalyticsState } from "./use-analytics.ts";
import { usePoints } from "./use-points.ts";
import { versionSeries } from "./version-series.ts";

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
          <Text c="dimmed" ta="center">
            {t("versions.none")}
          </Text>
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
