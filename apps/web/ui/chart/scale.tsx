import classes from "./chart.module.css";
import { heightOf, type Plot } from "./plot.ts";

interface ScaleProps {
  readonly plot: Plot;
  readonly ticks: readonly number[];
  readonly isShare: boolean;
  readonly language: string;
}

export function Scale({ plot, ticks, isShare, language }: ScaleProps) {
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
