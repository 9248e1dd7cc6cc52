import type { Answer } from "../../api/client.ts";
import type { ChartBar } from "../../ui/bar-chart.tsx";

/** A day or a week of a trend. */
export type Stretch = Answer<"getLicenseTrend">["created"][number];

/** The server counts so many: where it stopped, there are more. */
const mostCounted = 10_000;

/** As far as it is known; what is not exact is at least that many. */
export function totalOf(stretches: readonly Stretch[]): { count: number; isExact: boolean } {
  const known = stretches.reduce((sum, { count }) => sum + (count ?? 0), 0);
  const isExact = stretches.every(({ count }) => count !== null);
  return { count: isExact ? known : Math.max(known, mostCounted), isExact };
}

/** The one with the most; of several alike the first. */
export function fullestOf(stretches: readonly Stretch[]): Stretch | undefined {
  const most = Math.max(...stretches.map(({ count }) => count ?? 0));
  return stretches.find(({ count }) => count === most);
}

export function barsOf(
  stretches: readonly Stretch[],
  titleOf: (stretch: Stretch) => string,
): readonly ChartBar[] {
  return stretches.map((stretch) => ({
    key: stretch.from,
    title: titleOf(stretch),
    parts: [{ value: stretch.count ?? 0 }],
    isUnknown: stretch.count === null,
  }));
}
