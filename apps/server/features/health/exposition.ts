/** The labels of a sample: few, and each with few values. */
type Labels = Readonly<Record<string, string>>;

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
  /** What is appended to the name: histograms have `_bucket`, `_sum` and `_count`. */
  readonly suffix?: string;
}

/** A metric with all its samples. */
export interface MetricFamily {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

export function counter(name: string, help: string, samples: number | readonly Sample[]): MetricFamily {
  return { name, type: "counter", help, samples: samplesOf(samples) };
}

export function gauge(name: string, help: string, samples: number | readonly Sample[]): MetricFamily {
  return { name, type: "gauge", help, samples: samplesOf(samples) };
}

/** The text format of Prometheus. */
export function exposition(families: readonly MetricFamily[]): string {
  return families
    .map(({ name, type, help, samples }) => {
      const lines = samples.map(
        ({ labels, value, suffix }) => `${name}${suffix ?? ""}${labelText(labels)} ${numberText(value)}\n`,
      );
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
    })
    .join("\n");
}

function samplesOf(samples: number | readonly Sample[]): readonly Sample[] {
  return typeof samples === "number" ? [{ value: samples }] : samples;
}

function labelText(labels: Labels | undefined): string {
  const pairs = Object.entries(labels ?? {}).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}

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
