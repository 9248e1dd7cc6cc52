import classes from "./chart.module.css";
import { patternOf } from "./patterns.tsx";
import { centerOf, heightOf, type Plot, slotOf } from "./plot.ts";
import { type Series, stack } from "./series.ts";

interface BarsProps {
  readonly plot: Plot;
  readonly series: readonly Series[];
  readonly isShare: boolean;
}

const widest = 56;

export function Bars({ plot, series, isShare }: BarsProps) {
  const width = Math.max(1, Math.min(widest, slotOf(plot) * 0.78));
  const points = Array.from({ length: plot.count }, (_, point) => point);
  return points.map((point) => {
    const x = centerOf(plot, point) - width / 2;
    return stack(series, point, isShare).map(({ key, tone, from, to }) => {
      const top = heightOf(plot, to);
      // One among thousands is still visible. A gap separates it from its neighbour.
      const height = Math.max(1.5, heightOf(plot, from) - top - (from === 0 ? 0 : 1));
      return (
        <g key={`${point} ${key}`} className={classes.tone} data-tone={tone}>
          <rect className={classes.fill} x={x} y={top} width={width} height={height} />
          {width >= 4 && <rect fill={patternOf(tone)} x={x} y={top} width={width} height={height} />}
        </g>
      );
    });
  });
}
