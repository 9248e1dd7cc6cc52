import { expect, test } from "bun:test";
import type { WorkerMetricsText } from "../../threads/messages.ts";
import { WorkerPart } from "../../threads/worker-part.ts";
import { counter, exposition, gauge, histogram, PlainHistogram } from "./exposition.ts";
import { budgetMetrics } from "./server-metrics.ts";

test("the worker's metrics are passed on", async () => {
  const budgets = { exports: { inUse: 1, limit: 24, refused: 3 } };
  const part = new WorkerPart(async () => ({ text: "a 1\n", spans: { exported: 5, dropped: 1 }, budgets }));
  expect(await part.text()).toBe("a 1\n");
  expect(part.hasAnswered).toBe(true);
  expect(part.spans).toEqual({ exported: 5, dropped: 1 });
  expect(part.budgets).toBe(budgets);
});

test("a worker that hangs is asked once, and is missing until it answers", async () => {
  let questions = 0;
  let answer = Promise.withResolvers<WorkerMetricsText>();
  const part = new WorkerPart(() => {
    questions += 1;
    return answer.promise;
  }, 1);
  for (let scrape = 0; scrape < 5; scrape++) expect(await part.text()).toBe("");
  expect([questions, part.hasAnswered, part.budgets]).toEqual([1, false, {}]);
  answer.resolve({ text: "late 1\n", spans: null, budgets: {} });
  await answer.promise;
  answer = Promise.withResolvers();
  answer.resolve({ text: "again 1\n", spans: null, budgets: {} });
  // The late answer is discarded, and the next scrape asks again.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await part.text()).toBe("again 1\n");
  expect([questions, part.hasAnswered]).toEqual([2, true]);
});

test("a worker that has exited is missing, and is asked again at the next scrape", async () => {
  let answer = (): Promise<WorkerMetricsText> => Promise.reject(new Error("The thread has exited."));
  const part = new WorkerPart(() => answer());
  expect([await part.text(), part.hasAnswered]).toEqual(["", false]);
  answer = async () => ({ text: "up 1\n", spans: null, budgets: {} });
  expect(await part.text()).toBe("up 1\n");
});

test("a budget has how much of it is in use, its limit and what was refused", () => {
  const text = exposition(budgetMetrics({ exports: { inUse: 4, limit: 24, refused: 7 } }));
  expect(text.split("\n").filter((line) => line.startsWith("countersign_"))).toEqual([
    'countersign_budget_in_use{budget="exports"} 4',
    'countersign_budget_limit{budget="exports"} 24',
    'countersign_budget_refused_total{budget="exports"} 7',
  ]);
});

test("metrics are written in the text format of Prometheus", () => {
  const odd = 'a "quoted" \\ value\nin two lines';
  const text = exposition([
    counter("requests_total", "Requests.", [{ labels: { endpoint: "validate", outcome: odd }, value: 2 }]),
    gauge("ready", "Ready.", 1),
    counter("none_total", "Nothing yet.", []),
  ]);
  expect(text).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{endpoint="validate",outcome="a \\"quoted\\" \\\\ value\\nin two lines"} 2

# HELP ready Ready.
# TYPE ready gauge
ready 1

# HELP none_total Nothing yet.
# TYPE none_total counter
`);
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
