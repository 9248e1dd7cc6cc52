import { ScrollArea, Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { type ChartData, totalAt } from "./series.ts";

interface ChartTableProps {
  readonly label: string;
  readonly data: ChartData;
  readonly height: number;
}

/** The values of a chart, newest first, for reading and copying. */
export function ChartTable({ label, data, height }: ChartTableProps) {
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
