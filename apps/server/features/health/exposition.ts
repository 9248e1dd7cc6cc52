/** The labels of a sample: few, and each with few values. */
export type Labels = Readonly<Record<string, string>>;

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
