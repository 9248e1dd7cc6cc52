import { Code, ScrollArea, Skeleton, Text } from "@mantine/core";
import { Trans, useTranslation } from "react-i18next";
import { useMe } from "../../session/current-organization.ts";
import { CsvLink } from "../../ui/chart/chart-section.tsx";
import { Help } from "../../ui/help.tsx";
import { Section } from "../../ui/section.tsx";
import { BarRows } from "./bar-rows.tsx";
import type { AnalyticsState } from "./use-analytics.ts";

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
