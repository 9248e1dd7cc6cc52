import { useTranslation } from "react-i18next";
import classes from "./bar-chart.module.css";

export interface ChartBar {
  readonly key: string | number;
  /** The tooltip. */
  readonly title: string;
  /** Stacked, the first at the bottom. */
  readonly parts: readonly { readonly value: number; readonly className?: string | undefined }[];
}

interface BarChartProps {
  /** A summary for screen readers. */
  readonly label: string;
  readonly bars: readonly ChartBar[];
  readonly height: number;
  /** Whether a line above the bars shows the maximum. */
  readonly hasScale?: boolean;
}

/** A bar chart that fills the available width and height. */
export function BarChart({ label, bars, height, hasScale = false }: BarChartProps) {
  const { i18n } = useTranslation();
  const highest = Math.max(1, ...bars.map(totalOf));
  const chart = (
    <svg
      className={classes.chart}
      style={{ height }}
      viewBox={`0 0 ${bars.length} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map((bar, at) => (
        <g key={bar.key}>
          <title>{bar.title}</title>
          <rect x={at} y={0} width={1} height={height} className={classes.ground} />
          <Parts bar={bar} at={at} height={height} scale={height / highest} />
        </g>
      ))}
    </svg>
  );
  if (!hasScale) return chart;
  return (
    <>
      <div className={`${classes.scale} figures`} aria-hidden="true">
        {new Intl.NumberFormat(i18n.language).format(highest)}
      </div>
      {chart}
    </>
  );
}

interface PartsProps {
  readonly bar: ChartBar;
  readonly at: number;
  readonly height: number;
  readonly scale: number;
}

function Parts({ bar, at, height, scale }: PartsProps) {
  let top = height;
  return bar.parts.map(({ value, className }, part) => {
    if (value === 0) return null;
    // One among thousands is still visible.
    const length = Math.max(2, value * scale);
    top -= length;
    return (
      <rect
        // biome-ignore lint/suspicious/noArrayIndexKey: which part it is, is what it is.
        key={part}
        x={at + 0.12}
        y={top}
        width={0.76}
        height={length}
        className={className ?? classes.part}
      />
    );
  });
}

function totalOf({ parts }: ChartBar): number {
  return parts.reduce((sum, { value }) => sum + value, 0);
}
