import { Text, VisuallyHidden } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useMe, useOrganization } from "../../session/current-organization.ts";
import { CsvLink } from "../../ui/chart/chart-section.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Help } from "../../ui/help.tsx";
import { Section } from "../../ui/section.tsx";
import { utcDay } from "../usage/figures.ts";
import { Evidence } from "./evidence.tsx";
import { ListedLicense } from "./listed-license.tsx";
import { SuspectActions } from "./suspect-actions.tsx";
import type { AnalyticsState } from "./use-analytics.ts";

const shown = 20;

/** Licenses that may be shared, why, and what can be done. */
export function Suspects({ state }: { state: AnalyticsState }) {
  const { t, i18n } = useTranslation("analytics");
  const { id } = useOrganization();
  const isOperator = useMe().is_platform_admin;
  const { data, error, isPending } = useQuery({
    ...ask("listSharingSuspects", {
      params: { organization_id: id },
      query: { ...state.scope, limit: shown },
    }),
    placeholderData: keepPreviousData,
  });
  const number = new Intl.NumberFormat(i18n.language);
  const title = t("sharing.title");
  return (
    <Section
      bare
      title={title}
      beside={<Help about={title}>{t("sharing.help")}</Help>}
      actions={<CsvLink href={state.csv("sharing")} title={title} />}
    >
      <DataTable
        label={title}
        rows={data?.data ?? []}
        keyOf={(row) => row.license_id}
        isPending={isPending}
        error={error}
        empty={<Text c="dimmed">{t("sharing.none")}</Text>}
        columns={[
          { id: "license", header: t("license"), cell: (row) => <ListedLicense license={row} /> },
          {
            id: "evidence",
            header: t("sharing.evidence"),
            fills: true,
            cell: (row) => <Evidence suspect={row} />,
          },
          {
            id: "days",
            header: t("sharing.days"),
            wide: true,
            cell: (row) => (
              <span className="figures">
                {t("sharing.dayCount", { count: row.days })}
                <br />
                {state.isCompared && (
                  <>
                    {t("figures.beforeOnly", { value: number.format(row.previous_days) })}
                    <br />
                  </>
                )}
                {t("sharing.last", { day: utcDay(Date.parse(row.last_day), i18n.language) })}
              </span>
            ),
          },
          {
            id: "actions",
            header: <VisuallyHidden>{t("sharing.act")}</VisuallyHidden>,
            align: "right",
            cell: (row) => <SuspectActions suspect={row} />,
          },
        ]}
      />
      {data !== undefined && !data.has_places && isOperator && (
        <Text size="sm" c="dimmed" mt="xs">
          {t("sharing.noPlaces")}
        </Text>
      )}
    </Section>
  );
}
