import { ActionIcon, SegmentedControl, Skeleton, Tooltip } from "@mantine/core";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { Help } from "../help.tsx";
import { Icon } from "../icon.tsx";
import { Section } from "../section.tsx";
import type { ChartData } from "./series.ts";
import { TimeChart } from "./time-chart.tsx";

const ChartTable = lazy(() => import("./chart-table.tsx").then((file) => ({ default: file.ChartTable })));

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
        <Suspense fallback={<Skeleton height={height + 26} />}>
          <ChartTable label={title} data={data} height={height + 26} />
        </Suspense>
      )}
      {children}
    </Section>
  );
}

/** Downloads the values. */
export function CsvLink({ href, title }: { href: string; title: string }) {
  const { t } = useTranslation();
  const words = t("chart.csv", { chart: title });
  return (
    <Tooltip label={words}>
      <ActionIcon component="a" href={href} download variant="default" size={28} aria-label={words}>
        <Icon name="download" size={15} />
      </ActionIcon>
    </Tooltip>
  );
}
