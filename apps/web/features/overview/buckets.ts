import type { Answer } from "../../api/client.ts";
import type { ChartBar } from "../../ui/bar-chart.tsx";

/** A day or a week of a trend. */
export type Bucket = Answer<"getLicenseTrend">["created"][number];

export function totalOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { count }) => sum + count, 0);
}

/** The one with the most; of several alike the first. */
export function largestOf(buckets: readonly Bucket[]): Bucket | undefined {
  const most = Math.max(...buckets.map(({ count }) => count));
  return buckets.find(({ count }) => count === most);
}

export function barsOf(buckets: readonly Bucket[], titleOf: (bucket: Bucket) => string): readonly ChartBar[] {
  return buckets.map((bucket) => ({
    key: bucket.from,
    title: titleOf(bucket),
    parts: [{ value: bucket.count }],
  }));
}
