import classes from "./chart.module.css";
import { Marker } from "./marker.tsx";
import { centerOf, heightOf, linePath, type Plot, slotOf } from "./plot.ts";
import type { Series } from "./series.ts";

interface LinesProps {
  readonly plot: Plot;
  readonly series: readonly Series[];
  readonly chosen: number | null;
}

/** Lines differ in their markers, not only in colour. The period before is dashed and has none. */
export function Lines({ plot, series, chosen }: LinesProps) {
  const hasRoom = slotOf(plot) >= 14;
  return series.map(({ key, tone, values, isBefore = false }) => (
    <g key={key} className={classes.tone} data-tone={tone}>
      {/* So that it stands out from bars of any colour. */}
      {isBefore && <path className={classes.halo} d={linePath(plot, values)} />}
      <path className={classes.line} data-before={isBefore || undefined} d={linePath(plot, values)} />
      {values.map((value, point) =>
        value === null || isBefore || !(hasRoom || point === chosen || isMarked(point, plot)) ? null : (
          <Marker
            // biome-ignore lint/suspicious/noArrayIndexKey: a point is its place.
            key={point}
            tone={tone}
            x={centerOf(plot, point)}
            y={heightOf(plot, value)}
            size={point === chosen ? 4.5 : 3}
          />
        ),
      )}
    </g>
  ));
}

/** Of many points, some are marked, so that each line still has its shape. */
function isMarked(point: number, plot: Plot): boolean {
  const every = Math.ceil(40 / slotOf(plot));
  return (plot.count - 1 - point) % every === 0;
}
