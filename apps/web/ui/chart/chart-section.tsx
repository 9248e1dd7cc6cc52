import { ActionIcon, ScrollArea, SegmentedControl, Skeleton, Table, Tooltip } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Help } from "../help.tsx";
import { Icon } from "../icon.tsx";
import { Section } from "../section.tsx";
import { type ChartData, totalAt } from "./series.ts";
import { TimeChart } from "./time-chart.tsx";

interface ChartSectionProps {
  readonly title: string;
  /** What exactly is counted. */
  readonly help: ReactNode;
  readonly note?: string | undefined;
  /** Undefined while it loads. */
  readonly data: ChartData | undefined;
  /** Where its values are available as CSV. */
  readonly csv: string;
  /** Shown instead if there is nothing to show. */
  readonly empty?: ReactNode;
  /** Below the chart. */
  readonly children?: ReactNode;
}

const height = 240;

/** A chart with its explanation, its values as a table, and as a file. */
export function ChartSection({ title, help, note, data, csv, empty, children }: ChartSectionProps) {
  const { t } = useTranslation();
  const [view, setView] = useState<"chart" | "table">("chart");
  return (
    <Section
      title={title}
      beside={<Help about={title}>{help}</Help>}
      note={note}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t("chart.view", { chart: title })}
            value={view}
            onChange={(value) => setView(value as "chart" | "table")}
            data={[
              { value: "chart", label: t("chart.asChart") },
              { value: "table", label: t("chart.asTable") },
            ]}
          />
          <CsvLink href={csv} title={title} />
        </>
      }
    >
      {data === undefined ? (
        <Skeleton height={height + 26} />
      ) : empty ? (
        <div style={{ minHeight: height + 26, display: "grid", alignItems: "center" }}>{empty}</div>
      ) : view === "chart" ? (
        <TimeChart label={title} height={height} {...data} />
      ) : (
        <ChartTable label={title} data={data} height={height + 26} />
      )}
      {children}
    </Section>
  );
}

/** Downloads the values. */
export function CsvLink({ href, title }: { href: string; title: string }) {
  const { t } = useTranslation();
  const csvLabel = t("chart.csv", { chart: title });
  return (
    <Tooltip label={csvLabel}>
      <ActionIcon component="a" href={href} download variant="default" size={28} aria-label={csvLabel}>
        <Icon name="download" size={15} />
      </ActionIcon>
    </Tooltip>
  );
}

interface ChartTableProps {
  readonly label: string;
  readonly data: ChartData;
  readonly height: number;
}

/** The values of a chart, newest first, for reading and copying. */
function ChartTable({ label, data, height }: ChartTableProps) {
  const { t, i18n } = useTranslation();
  const { points, bars, lines, isShare = false, hasTotal = false } = data;
  const number = new Intl.NumberFormat(i18n.language);
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent", maximumFractionDigits: 1 });
  const shown = (value: number | null | undefined, isFraction: boolean) =>
    value == null ? "–" : (isFraction ? percent : number).format(value);
  return (
    <ScrollArea
      h={height}
      type="auto"
      // Scrolls, also with the keyboard.
      viewportProps={{ tabIndex: 0, role: "region", "aria-label": t("chart.table", { chart: label }) }}
    >
      <Table aria-label={label} verticalSpacing={4} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("chart.time")}</Table.Th>
            {hasTotal && <Table.Th ta="right">{t("chart.total")}</Table.Th>}
            {[...bars, ...lines].map(({ key, name }) => (
              <Table.Th key={key} ta="right">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className="figures">
          {points
            .map((point, at) => {
              const total = totalAt(bars, at);
              return (
                <Table.Tr key={point.key}>
                  <Table.Th scope="row" fw={400}>
                    {point.full}
                  </Table.Th>
                  {hasTotal && <Table.Td ta="right">{number.format(total)}</Table.Td>}
                  {bars.map(({ key, values }) => {
                    const value = values[at] ?? 0;
                    return (
                      <Table.Td key={key} ta="right">
                        {isShare && total > 0
                          ? `${shown(value, false)} (${shown(value / total, true)})`
                          : shown(value, false)}
                      </Table.Td>
                    );
                  })}
                  {lines.map(({ key, values }) => (
                    <Table.Td key={key} ta="right">
                      {shown(values[at], isShare)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })
            .toReversed()}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  );
}
