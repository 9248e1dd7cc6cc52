import { useTranslation } from "react-i18next";
import classes from "./chart.module.css";
import { Marker, patternOf } from "./marks.tsx";
import { centerOf, type Plot } from "./plot.ts";
import type { Series, Tone } from "./series.ts";
import { type ChartData, totalAt } from "./series.ts";

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
function Swatch({ tone, kind }: { tone: Tone; kind: "bar" | "line" | "before" }) {
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

interface PointTipProps {
  readonly data: ChartData;
  readonly at: number;
  readonly plot: Plot;
  /** Of the whole chart. */
  readonly width: number;
}

const tipWidth = 230;

/** The values of a point, next to it. Screen readers read the chart's own text. */
export function PointTip({ data, at, plot, width }: PointTipProps) {
  const { t, i18n } = useTranslation();
  const { points, bars, lines, isShare = false, hasTotal = false } = data;
  const number = new Intl.NumberFormat(i18n.language);
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent", maximumFractionDigits: 1 });
  const total = totalAt(bars, at);
  const x = centerOf(plot, at);
  const isLeft = x + 12 + tipWidth > width;
  const left = Math.max(0, Math.min(width - tipWidth, isLeft ? x - 12 - tipWidth : x + 12));
  return (
    <div className={classes.tip} style={{ left, width: Math.min(tipWidth, width) }} aria-hidden="true">
      <div className={classes.tipTitle}>{points[at]?.full}</div>
      {/* The top of the bar first, as in the chart. */}
      {bars.toReversed().map(({ key, name, tone, values }) => {
        const value = values[at] ?? 0;
        if (value === 0) return null;
        return (
          <div key={key} className={classes.tipRow}>
            <Swatch tone={tone} kind="bar" />
            <span className={classes.tipName}>{name}</span>
            <span className="figures">
              {isShare ? `${percent.format(value / total)} (${number.format(value)})` : number.format(value)}
            </span>
          </div>
        );
      })}
      {bars.length > 0 && total === 0 && <div className={classes.tipRow}>{t("chart.nothing")}</div>}
      {hasTotal && bars.length > 1 && total > 0 && (
        <div className={classes.tipRow} data-total>
          <span className={classes.tipName}>{t("chart.total")}</span>
          <span className="figures">{number.format(total)}</span>
        </div>
      )}
      {lines.map(({ key, name, tone, values, isBefore }) => {
        const value = values[at] ?? null;
        if (value === null) return null;
        return (
          <div key={key} className={classes.tipRow}>
            <Swatch tone={tone} kind={isBefore ? "before" : "line"} />
            <span className={classes.tipName}>{name}</span>
            <span className="figures">{(isShare ? percent : number).format(value)}</span>
          </div>
        );
      })}
    </div>
  );
}
