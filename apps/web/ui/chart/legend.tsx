import classes from "./chart.module.css";
import { Marker } from "./marker.tsx";
import { patternOf } from "./patterns.tsx";
import type { Series, Tone } from "./series.ts";

/** What the colours, patterns and markers mean. With a single series, the chart's title says it. */
export function Legend({ bars, lines }: { bars: readonly Series[]; lines: readonly Series[] }) {
  if (bars.length + lines.length < 2) return null;
  return (
    <ul className={classes.legend}>
      {bars.map(({ key, name, tone }) => (
        <li key={key}>
          <Swatch tone={tone} kind="bar" />
          {name}
        </li>
      ))}
      {lines.map(({ key, name, tone, isBefore }) => (
        <li key={key}>
          <Swatch tone={tone} kind={isBefore ? "before" : "line"} />
          {name}
        </li>
      ))}
    </ul>
  );
}

/** The look of a series, next to its name. */
export function Swatch({ tone, kind }: { tone: Tone; kind: "bar" | "line" | "before" }) {
  const width = kind === "bar" ? 12 : 20;
  return (
    <svg className={classes.swatch} width={width} height={12} aria-hidden="true">
      <g className={classes.tone} data-tone={tone}>
        {kind === "bar" ? (
          <>
            <rect className={classes.fill} width={12} height={12} rx={2} />
            <rect fill={patternOf(tone)} width={12} height={12} rx={2} />
          </>
        ) : (
          <>
            <path className={classes.line} data-before={kind === "before" || undefined} d="M0 6h20" />
            {kind === "line" && <Marker tone={tone} x={10} y={6} size={3.5} />}
          </>
        )}
      </g>
    </svg>
  );
}
