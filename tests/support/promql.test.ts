import { expect, test } from "bun:test";
import { exportedMetrics, referencedBy } from "./promql.ts";

test.each<[string, string[], string[]]>([
  ["up", ["up"], []],
  [
    'sum by (outcome, instance) (rate(a_total{endpoint="b",x!~"c{}"}[5m]))',
    ["a_total"],
    ["endpoint", "instance", "outcome", "x"],
  ],
  ["a - on (job) group_left (b) c > bool 3", ["a", "c"], ["b", "job"]],
  ["time() - a{} > 3 * b offset 5m and c[$__rate_interval]", ["a", "b", "c"], []],
  ["histogram_quantile(0.99, sum by (le) (rate(a_bucket[1h:5m])))", ["a_bucket"], ["le"]],
])("%s", (expression, metrics, labels) => {
  const found = referencedBy(expression);
  expect([...found.metrics].sort()).toEqual(metrics);
  expect([...found.labels].sort()).toEqual(labels);
});

test.each(["sum(a", "sum(a}", 'a{b="c"'])("%s is not an expression", (expression) => {
  expect(() => referencedBy(expression)).toThrow();
});

test("metrics have the labels of all their samples", () => {
  const { families, labels } = exportedMetrics('# TYPE a histogram\na_bucket{le="1",x="}y"} 2\na_sum 3\n');
  expect(families).toEqual(new Map([["a", "histogram"]]));
  expect(labels.get("a_bucket")).toEqual(new Set(["le", "x"]));
  expect(labels.get("a_sum")).toEqual(new Set());
});
