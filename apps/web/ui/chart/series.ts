/** One kind of value in a chart: a part of each bar, or a line. */
export interface Series {
  readonly key: string;
  readonly name: string;
  /** One for each point; null where there is none. */
  readonly values: readonly (number | null)[];
  readonly tone: Tone;
  /** A line of the period before, which is dashed. */
  readonly isBefore?: boolean;
}

export const tones = [0, 1, 2, 3, 4, 5, 6] as const;
/** The colour, pattern and marker of a series. `rest` sums up what is not shown on its own, `plain` is for one line. */
export type Tone = (typeof tones)[number] | "rest" | "plain";

/** A point in time of a chart. */
export interface Point {
  readonly key: string;
  /** For the axis. */
  readonly short: string;
  /** For the tooltip and the table. */
  readonly full: string;
}

/** What a chart shows. */
export interface ChartData {
  readonly points: readonly Point[];
  /** Stacked, the first at the bottom. */
  readonly bars: readonly Series[];
  /** In front of the bars. With `isShare`, their values are fractions. */
  readonly lines: readonly Series[];
  /** Bars show the shares of their parts. */
  readonly isShare?: boolean;
  /** Whether the values of the bars add up to a figure of their own. */
  readonly hasTotal?: boolean;
}

/** What all series have at a point. */
export function totalAt(series: readonly Series[], point: number): number {
  return series.reduce((sum, { values }) => sum + (values[point] ?? 0), 0);
}

interface Segment {
  readonly key: string;
  readonly tone: Tone;
  readonly from: number;
  readonly to: number;
}

/** The parts of a bar, the first at the bottom. With `isShare`, as fractions of the bar. */
export function stack(series: readonly Series[], point: number, isShare = false): readonly Segment[] {
  const total = isShare ? totalAt(series, point) : 1;
  let from = 0;
  return series.flatMap(({ key, tone, values }) => {
    const value = (values[point] ?? 0) / (total === 0 ? 1 : total);
    if (value <= 0) return [];
    const segment = { key, tone, from, to: from + value };
    from = segment.to;
    return [segment];
  });
}

/** The largest series, and the others as one. */
export function largest<T>(
  items: readonly T[],
  most: number,
  sizeOf: (item: T) => number,
): { readonly shown: readonly T[]; readonly rest: readonly T[] } {
  const sorted = items.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  // One left over is shown: it needs no more room than the sum of one.
  const count = sorted.length === most + 1 ? most + 1 : most;
  return { shown: sorted.slice(0, count), rest: sorted.slice(count) };
}
