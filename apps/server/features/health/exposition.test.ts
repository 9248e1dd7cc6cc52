import { expect, test } from "bun:test";
import { counter, exposition, gauge } from "./exposition.ts";
import { histogram, PlainHistogram } from "./histogram.ts";

test("families are written in the text format of Prometheus", () => {
  const odd = 'a "quoted" \\ value\nin two lines';
  const text = exposition([
    counter("requests_total", "Requests.", [{ labels: { endpoint: "validate", outcome: odd }, value: 2 }]),
    gauge("ready", "Ready.", 1),
    counter("none_total", "Nothing yet.", []),
  ]);
  expect(text).toBe(
    [
      "# HELP requests_total Requests.",
      "# TYPE requests_total counter",
      'requests_total{endpoint="validate",outcome="a \\"quoted\\" \\\\ value\\nin two lines"} 2',
      "",
      "# HELP ready Ready.",
      "# TYPE ready gauge",
      "ready 1",
      "",
      "# HELP none_total Nothing yet.",
      "# TYPE none_total counter",
      "",
    ].join("\n"),
  );
});

test("the buckets of a histogram are cumulative, and a value on a bound belongs to its bucket", () => {
  const seconds = new PlainHistogram([0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 1, 20]) seconds.observe(value);
  const text = exposition([histogram("took_seconds", "Durations.", seconds.samples({ endpoint: "lookup" }))]);
  expect(text.split("\n").slice(2)).toEqual([
    'took_seconds_bucket{endpoint="lookup",le="0.1"} 2',
    'took_seconds_bucket{endpoint="lookup",le="1"} 4',
    'took_seconds_bucket{endpoint="lookup",le="+Inf"} 5',
    'took_seconds_sum{endpoint="lookup"} 21.65',
    'took_seconds_count{endpoint="lookup"} 5',
    "",
  ]);
});
