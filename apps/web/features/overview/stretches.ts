import type { Answer } from "../../api/client.ts";
import type { ChartBar } from "../../ui/bar-chart.tsx";

/** A day or a week of a trend. */
export type Stretch = Answer<"getLicenseTrend">["created"][number];

export function totalOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { count }) => sum + count, 0);
}

/** The one with the most; of several alike the first. */
export function fullestOf(stretches: readonly Stretch[]): Stretch | undefined {
  const most = Math.max(...stretches.map(({ count }) => count));
  return stretches.find(({ count }) => count === most);
}

export function barsOf(
  stretches: readonly Stretch[],
  titleOf: (stretch: Stretch) => string,
): readonly ChartBar[] {
  return stretches.map((stretch) => ({
    key: stretch.from,
    title: titleOf(stretch),
    parts: [{ value: stretch.count }],
  }));
}
