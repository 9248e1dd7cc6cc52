import classes from "./chart.module.css";
import { centerOf, heightOf, linePath, type Plot, slotOf } from "./plot.ts";
import type { Tone } from "./series.ts";
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

interface MarkerProps {
  readonly tone: Tone;
  readonly x: number;
  readonly y: number;
  readonly size: number;
}

/** A shape that belongs to a tone: circle, square, diamond or triangle. */
export function Marker({ tone, x, y, size }: MarkerProps) {
  const shape = typeof tone === "number" ? tone % 4 : 0;
  if (shape === 0) return <circle className={classes.marker} cx={x} cy={y} r={size} />;
  const far = size * 1.3;
  const points = [
    [],
    [
      [-size, -size],
      [size, -size],
      [size, size],
      [-size, size],
    ],
    [
      [0, -far],
      [far, 0],
      [0, far],
      [-far, 0],
    ],
    [
      [0, -far],
      [far, size],
      [-far, size],
    ],
  ][shape];
  return (
    <polygon
      className={classes.marker}
      points={points?.map(([dx = 0, dy = 0]) => `${x + dx},${y + dy}`).join(" ")}
    />
  );
}

/** In front of a tone's colour, so that tones differ also without colour. The first tone and `rest` are plain. */
const patterns = [
  null,
  "M-1 1l2 -2M0 6l6 -6M5 7l2 -2",
  "M1.5 1.5h1.4v1.4h-1.4zM4.5 4.5h1.4v1.4h-1.4z",
  "M0 3h6",
  "M-1 5l2 2M0 0l6 6M5 -1l2 2",
  "M3 0v6",
  "M0 3h6M3 0v6",
] as const;

export function patternOf(tone: Tone): string {
  return typeof tone === "number" && patterns[tone] != null ? `url(#tone-${tone})` : "none";
}

/** The definitions. Every chart has the same, so that it does not matter which of them a browser finds. */
export function Patterns() {
  return (
    <defs>
      {patterns.map((path, tone) =>
        path === null ? null : (
          <pattern key={path} id={`tone-${tone}`} width={6} height={6} patternUnits="userSpaceOnUse">
            <path d={path} className={classes.pattern} />
          </pattern>
        ),
      )}
    </defs>
  );
}
