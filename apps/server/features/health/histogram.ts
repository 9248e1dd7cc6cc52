import type { Labels, MetricFamily, Sample } from "./exposition.ts";

/** Upper bounds for durations that people wait for, in seconds. */
export const durationBounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

/**
 * A histogram in plain numbers: an observation costs a few comparisons and no memory. It is converted to cumulative
 * buckets only when someone reads it.
 */
export class PlainHistogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && value > (bounds[index] as number)) index += 1;
    (this.#counts[index] as number) += 1;
    this.#sum += value;
  }

  samples(labels: Labels = {}): Sample[] {
    let count = 0;
    const buckets = [...this.#bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
      count += this.#counts[index] ?? 0;
      const le = bound === Number.POSITIVE_INFINITY ? "+Inf" : String(bound);
      return { labels: { ...labels, le }, value: count, suffix: "_bucket" };
    });
    return [
      ...buckets,
      { labels, value: this.#sum, suffix: "_sum" },
      { labels, value: count, suffix: "_count" },
    ];
  }
}

export function histogram(name: string, help: string, samples: readonly Sample[]): MetricFamily {
  return { name, type: "histogram", help, samples };
}
