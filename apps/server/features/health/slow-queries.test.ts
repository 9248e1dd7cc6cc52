import { afterEach, expect, jest, test } from "bun:test";
import { createLog } from "../../base/log.ts";
import { slowQueriesTo } from "./slow-queries.ts";
import { WorkerMetrics } from "./worker-metrics.ts";

afterEach(() => void jest.useRealTimers());

const logged = () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", pretty: false, now: () => 0, write: (line) => lines.push(line) });
  const metrics = new WorkerMetrics();
  const observe = slowQueriesTo(log, metrics);
  const none = { deliveries: 0, emails: 0, delayedEmails: 0 };
  return {
    observe,
    lines: () => lines.map((line) => JSON.parse(line)),
    metrics: () => metrics.text([], none),
  };
};

test("a slow query is logged once a minute, with its text and how long it took", () => {
  jest.useFakeTimers();
  const { observe, lines } = logged();
  for (let second = 0; second < 59; second++) {
    observe('select "id" from "licenses" where "id" in (?, ?, ?)', 300.4);
    observe('select "id" from "licenses" where "id" in (?, ?)', 400);
    observe('delete from "events"\n where "id" = $1', 900);
    jest.advanceTimersByTime(1_000);
  }
  const list = 'select "id" from "licenses" where "id" in (?, …)';
  expect(lines()).toMatchObject([
    { level: "warn", message: "A query was slow.", query: list, duration_ms: 300, times: 1 },
    { query: 'delete from "events" where "id" = $1', duration_ms: 900, times: 1 },
  ]);
  jest.advanceTimersByTime(2_000);
  expect(lines().slice(2)).toMatchObject([{ query: list, duration_ms: 400, times: 117 }, { times: 58 }]);
});

test("the log of a slow query has no values, even if the statement has some", () => {
  const { observe, lines } = logged();
  observe("select id from users where email = 'ann@example.com' or name = 'O''Neill'", 300);
  expect(lines()[0].query).toBe("select id from users where email = '?' or name = '?'");
});

test("slow queries are counted by verb and table", () => {
  const { observe, metrics } = logged();
  expect(metrics()).toContain('countersign_slow_queries_total{statement="other"} 0');
  for (const sql of [
    'select count(*) from "licenses" where "id" = ?',
    'select "id" from "licenses"',
    'insert into "events" ("id") values (?)',
    'update "licenses" set "notes" = ?',
    "commit",
  ])
    observe(sql, 300);
  for (const sample of ['"select licenses"} 2', '"insert events"} 1', '"update licenses"} 1', '"other"} 1'])
    expect(metrics()).toContain(`countersign_slow_queries_total{statement=${sample}\n`);
});
