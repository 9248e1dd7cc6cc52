import { dayMs } from "@countersign/domain/dates/lengths";
import { Group, ScrollArea, Select, Skeleton, Table, UnstyledButton } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { ask } from "../../api/queries.ts";
import { useOrganization } from "../../session/current-organization.ts";
import { BarChart } from "../../ui/bar-chart.tsx";
import { Dimmed } from "../../ui/dimmed.tsx";
import { Choice } from "../../ui/fields.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ProblemAlert } from "../../ui/problem-alert.tsx";
import { Section } from "../../ui/section.tsx";
import { utcDay } from "./figures.ts";
import { type HistoryLength, historyLengths } from "./search.ts";
import classes from "./usage.module.css";

const usageRoute = getRouteApi("/signed-in/o/$organization/usage");
const height = 140;

/** Requests by day, of the organization or one product. */
export function History() {
  const { t, i18n } = useTranslation("usage");
  const { id } = useOrganization();
  const { days = 30, product } = usageRoute.useSearch();
  const navigate = usageRoute.useNavigate();
  const products = useQuery(
    ask("listProductUsage", { params: { organization_id: id }, query: { limit: 200 } }),
  );
  const history = useHistory(days, product);
  const number = new Intl.NumberFormat(i18n.language);
  const counts = history.data?.days ?? [];
  const fromMs = Date.parse(history.data?.from ?? "1970-01-01");
  const rows = counts.map((count, at) => ({
    key: at,
    day: utcDay(fromMs + at * dayMs, i18n.language),
    count: number.format(count),
    value: count,
  }));
  const total = counts.reduce((sum, count) => sum + count, 0);
  const most = rows.reduce((best, row) => (row.value > (best?.value ?? 0) ? row : best), rows[0]);
  return (
    <Section
      title={t("history.title")}
      note={history.data === undefined ? undefined : t("history.total", { total: number.format(total) })}
    >
      <Group gap="md" align="flex-end" mb="md">
        <Select
          label={t("history.product")}
          data={[
            { value: "", label: t("history.all") },
            ...(products.data?.data ?? []).map((one) => ({ value: one.product_id, label: one.name })),
          ]}
          value={product ?? ""}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, product: value || undefined }),
              replace: true,
              resetScroll: false,
            })
          }
          allowDeselect={false}
          searchable
          nothingFoundMessage={t("history.noProduct")}
          className={classes.choice ?? ""}
        />
        <Choice
          label={t("history.length")}
          values={historyLengths.map(String)}
          words={(value) => t(`history.days.${value}`)}
          value={String(days)}
          onChange={(value) =>
            void navigate({
              search: (before) => ({ ...before, days: Number(value) as HistoryLength }),
              replace: true,
              resetScroll: false,
            })
          }
        />
      </Group>
      <ProblemAlert error={history.error} />
      {history.isPending && history.error === null && <Skeleton height={height + 40} />}
      {history.data !== undefined && (
        <figure className={classes.figure}>
          <BarChart
            height={height}
            hasScale={total > 0}
            label={t("history.chart", {
              count: counts.length,
              total: number.format(total),
              most: most?.count ?? "0",
              day: most?.day ?? "",
            })}
            bars={rows.map(({ key, day, count, value }) => ({
              key,
              title: `${day}: ${count}`,
              parts: [{ value }],
            }))}
          />
          <Group justify="space-between">
            <Dimmed size="xs">{rows[0]?.day}</Dimmed>
            {total === 0 && <Dimmed size="xs">{t("history.none")}</Dimmed>}
            <Dimmed size="xs">{t("history.today")}</Dimmed>
          </Group>
          {total > 0 && <HistoryTable rows={rows} />}
        </figure>
      )}
    </Section>
  );
}

/** While another period loads, the previous one stays. */
function useHistory(days: HistoryLength, product: string | undefined) {
  const { id } = useOrganization();
  const all = useQuery({
    ...ask("getUsageHistory", { params: { organization_id: id }, query: { days } }),
    enabled: product === undefined,
    placeholderData: keepPreviousData,
  });
  const one = useQuery({
    ...ask("getProductUsageHistory", { params: { product_id: product ?? "" }, query: { days } }),
    enabled: product !== undefined,
    placeholderData: keepPreviousData,
  });
  return product === undefined ? all : one;
}

interface HistoryTableProps {
  /** The oldest first. */
  readonly rows: readonly { readonly key: number; readonly day: string; readonly count: string }[];
}

/** The numbers of the chart, for reading and copying. Newest first. */
function HistoryTable({ rows }: HistoryTableProps) {
  const { t } = useTranslation("usage");
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <UnstyledButton
        className={classes.toggle ?? ""}
        aria-expanded={isOpen}
        {...(isOpen ? { "aria-controls": id } : {})}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "up" : "down"} size={14} />{" "}
        {t(isOpen ? "history.hideTable" : "history.showTable")}
      </UnstyledButton>
      {isOpen && (
        <ScrollArea.Autosize
          id={id}
          className={classes.table ?? ""}
          mah={320}
          // Scrolls, also with the keyboard.
          viewportProps={{ tabIndex: 0, role: "region", "aria-label": t("history.table") }}
        >
          <Table aria-label={t("history.title")} verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t("history.day")}</Table.Th>
                <Table.Th ta="right">{t("history.requests")}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.toReversed().map(({ key, day, count }) => (
                <Table.Tr key={key}>
                  <Table.Td>{day}</Table.Td>
                  <Table.Td ta="right" className="figures">
                    {count}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollArea.Autosize>
      )}
    </>
  );
}
