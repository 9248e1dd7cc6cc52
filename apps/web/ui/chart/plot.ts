/** The area of a chart in pixels, and what it shows. */
export interface Plot {
  readonly count: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** The value at the top. */
  readonly highest: number;
}

/** The width of one point. */
export function slotOf({ width, count }: Plot): number {
  return count === 0 ? width : width / count;
}

export function centerOf(plot: Plot, point: number): number {
  return plot.left + slotOf(plot) * (point + 0.5);
}

export function heightOf(plot: Plot, value: number): number {
  return plot.top + plot.height * (1 - value / plot.highest);
}

/** The point at a distance from the left edge of the chart; null without points. */
export function pointAt(plot: Plot, x: number): number | null {
  if (plot.count === 0) return null;
  return Math.max(0, Math.min(plot.count - 1, Math.floor((x - plot.left) / slotOf(plot))));
}

/** The path of a line, with gaps where there is no value. A value without neighbours is a short dash. */
export function linePath(plot: Plot, values: readonly (number | null)[]): string {
  return values
    .flatMap((value, point) => {
      if (value === null || value === undefined) return [];
      const before = values[point - 1] ?? null;
      const after = values[point + 1] ?? null;
      const [x, y] = [centerOf(plot, point).toFixed(1), heightOf(plot, value).toFixed(1)];
      if (before !== null) return [`L${x} ${y}`];
      return after === null ? [`M${(Number(x) - 3).toFixed(1)} ${y}h6`] : [`M${x} ${y}`];
    })
    .join("");
}
