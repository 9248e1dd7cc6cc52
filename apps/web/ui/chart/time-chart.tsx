import { useElementSize } from "@mantine/hooks";
import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import classes from "./chart.module.css";
import { Legend, PointTip } from "./legend.tsx";
import { Bars, Lines, Patterns } from "./marks.tsx";
import { heightOf, type Plot, pointAt, slotOf } from "./plot.ts";
import { type ChartData, totalAt } from "./series.ts";

interface TimeChartProps extends ChartData {
  /** The name of the chart, for screen readers. */
  readonly label: string;
  readonly height?: number;
}

const margin = { left: 46, right: 6, top: 8, bottom: 22 };
const labelWidth = 64;
/** How far Page Up and Page Down go. */
const bigStep = 7;

/** Bars and lines over time. The pointer or the arrow keys choose a point, whose values are shown and read out. */
export function TimeChart({ label, height = 220, ...data }: TimeChartProps) {
  const { points, bars, lines, isShare = false } = data;
  const { t, i18n } = useTranslation();
  const { ref, width } = useElementSize();
  const [chosen, setChosen] = useState<number | null>(null);
  const [isFocused, setFocused] = useState(false);
  const ticks = isShare ? [0, 0.25, 0.5, 0.75, 1] : ticksFor(highestOf(data));
  const plot: Plot = {
    count: points.length,
    left: margin.left,
    top: margin.top,
    width: Math.max(0, width - margin.left - margin.right),
    height: height - margin.top - margin.bottom,
    highest: ticks.at(-1) ?? 1,
  };
  // A shorter range can follow while a late point is chosen.
  const at = chosen === null || chosen >= points.length ? null : chosen;
  const moveTo = (point: number) => setChosen(Math.max(0, Math.min(points.length - 1, point)));
  const onKeyDown = (event: KeyboardEvent) => {
    const from = at ?? points.length - 1;
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      PageDown: from - bigStep,
      PageUp: from + bigStep,
      Home: 0,
      End: points.length - 1,
    };
    const to = steps[event.key];
    if (event.key === "Escape") setChosen(null);
    if (to === undefined) return;
    event.preventDefault();
    moveTo(to);
  };
  const onPointer = (event: PointerEvent<HTMLDivElement>) => {
    const { left } = event.currentTarget.getBoundingClientRect();
    setChosen(pointAt(plot, event.clientX - left));
  };
  const current = at ?? points.length - 1;
  return (
    <div>
      <Legend bars={bars} lines={lines} />
      {/* A slider is what screen readers let users move with arrow keys, and they read out its text. */}
      <div
        ref={ref}
        className={classes.plot}
        style={{ height }}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-roledescription={t("chart.role")}
        aria-valuemin={1}
        aria-valuemax={Math.max(1, points.length)}
        aria-valuenow={current + 1}
        aria-valuetext={valuesText(data, current, i18n.language, t("chart.total"))}
        onKeyDown={onKeyDown}
        onPointerMove={onPointer}
        onPointerDown={onPointer}
        onPointerLeave={() => setChosen(isFocused ? at : null)}
        onFocus={(event) => {
          setFocused(true);
          if (event.currentTarget.matches(":focus-visible") && at === null) moveTo(points.length - 1);
        }}
        onBlur={() => {
          setFocused(false);
          setChosen(null);
        }}
      >
        {width > 0 && (
          <svg width={width} height={height} className={classes.svg} aria-hidden="true">
            <Patterns />
            <Scale plot={plot} ticks={ticks} isShare={isShare} language={i18n.language} />
            {at !== null && (
              <rect
                className={classes.chosen}
                x={plot.left + slotOf(plot) * at}
                y={plot.top}
                width={slotOf(plot)}
                height={plot.height}
              />
            )}
            <Bars plot={plot} series={bars} isShare={isShare} />
            <Lines plot={plot} series={lines} chosen={at} />
            {shownLabels(points.length, plot.width, labelWidth).map((point) => (
              <text
                key={points[point]?.key}
                className={classes.label}
                x={labelX(plot, point, width)}
                y={height - 6}
                textAnchor="middle"
              >
                {points[point]?.short}
              </text>
            ))}
          </svg>
        )}
        {at !== null && width > 0 && <PointTip data={data} at={at} plot={plot} width={width} />}
      </div>
    </div>
  );
}

/** Centered below its point, but not beyond the edge. */
function labelX(plot: Plot, point: number, width: number): number {
  const center = plot.left + slotOf(plot) * (point + 0.5);
  return Math.min(center, width - labelWidth / 2 + 8);
}

function highestOf({ points, bars, lines }: ChartData): number {
  const tops = points.map((_, point) => totalAt(bars, point));
  return Math.max(0, ...tops, ...lines.flatMap(({ values }) => values.map((value) => value ?? 0)));
}

/** The values of a point in words: "Nov 17: Active 120, Expired 3, total 123". */
function valuesText(data: ChartData, at: number, language: string, totalWord: string): string {
  const { points, bars, lines, isShare = false, hasTotal = false } = data;
  const point = points[at];
  if (point === undefined) return "";
  const number = new Intl.NumberFormat(language);
  const percent = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
  const total = totalAt(bars, at);
  const parts = bars
    .filter(({ values }) => (values[at] ?? 0) > 0)
    .map(({ name, values }) => {
      const value = values[at] ?? 0;
      return isShare ? `${name} ${percent.format(value / total)}` : `${name} ${number.format(value)}`;
    });
  const others = lines.flatMap(({ name, values }) => {
    const value = values[at] ?? null;
    return value === null ? [] : [`${name} ${(isShare ? percent : number).format(value)}`];
  });
  const sum = hasTotal ? [`${totalWord} ${number.format(total)}`] : [];
  return `${point.full}: ${[...sum, ...parts, ...others].join(", ")}`;
}

interface ScaleProps {
  readonly plot: Plot;
  readonly ticks: readonly number[];
  readonly isShare: boolean;
  readonly language: string;
}

function Scale({ plot, ticks, isShare, language }: ScaleProps) {
  const format = new Intl.NumberFormat(
    language,
    isShare ? { style: "percent" } : { notation: "compact", maximumFractionDigits: 1 },
  );
  return ticks.map((tick) => (
    <g key={tick}>
      <line
        className={classes.grid}
        data-base={tick === 0 || undefined}
        x1={plot.left}
        x2={plot.left + plot.width}
        y1={heightOf(plot, tick)}
        y2={heightOf(plot, tick)}
      />
      <text className={classes.label} x={plot.left - 6} y={heightOf(plot, tick) + 4} textAnchor="end">
        {format.format(tick)}
      </text>
    </g>
  ));
}

/** Values for the lines of a scale: from 0 to at least `highest`, at equal and round distances. Counts have no fractions. */
export function ticksFor(highest: number, most = 5): readonly number[] {
  const step = roundStep(Math.max(1, highest) / (most - 1));
  const last = Math.ceil(Math.max(1, highest) / step);
  return Array.from({ length: last + 1 }, (_, line) => line * step);
}

/** The next of 1, 2, 5, 10, 20, 50, … */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const factor = [1, 2, 5, 10].find((one) => one * power >= least - 1e-9) ?? 10;
  return factor * power;
}

/** Which labels of an axis have room, at equal distances and counted from the last, which is the newest. */
export function shownLabels(count: number, width: number, labelWidth: number): readonly number[] {
  if (count === 0 || width <= 0) return [];
  const every = Math.max(1, Math.ceil((labelWidth * count) / width));
  const shown: number[] = [];
  for (let at = count - 1; at >= 0; at -= every) shown.push(at);
  return shown.reverse();
}
