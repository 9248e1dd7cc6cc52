import { beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import dashboard from "../../docs/grafana/countersign.json" with { type: "json" };
import { apiOf } from "../support/api.ts";
import { freePort } from "../support/free-port.ts";
import { listed } from "../support/listed.ts";
import { openPublicApiFixture } from "../support/public-api-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

/** What these requests add. That the other metrics exist is decided by the documents that name them. */
const metricNames = [
  'countersign_requests_total{endpoint="validate",outcome="active"} 2',
  'countersign_requests_total{endpoint="validate",outcome="license_not_found"} 1',
  'countersign_requests_total{endpoint="validate",outcome="invalid_api_key"} 1',
  'countersign_requests_total{endpoint="lookup",outcome="found"} 1',
  'countersign_requests_total{endpoint="lookup",outcome="not_found"} 1',
  "countersign_quota_refusals_total 0",
  'countersign_request_duration_seconds_count{endpoint="validate"} 3',
  'countersign_request_duration_seconds_bucket{endpoint="lookup",le="+Inf"} 2',
  'countersign_batch_failures_total{reason="unreachable"} 0',
  "countersign_ready 1",
];

/** Everything that one party could use up, with its limit in all. */
const budgetLimits = {
  requests: 64,
  waiting_requests: 4_000,
  request_bodies: 300,
  large_responses: 40,
  large_files: 512,
  delayed_rejections: 4_000,
  live_views: 400,
  event_polls: 600,
  exports: 24,
  payment_calls: 60,
  // Payments are not set up.
  payment_events: 0,
};

const token = "prometheus-reads-this";

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

const readDocument = (path: string) => readFileSync(join(import.meta.dir, "../../docs", path), "utf8");
const { groups } = Bun.YAML.parse(readDocument("grafana/alerts.yml")) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const charts = dashboard.panels.filter(({ type }) => type !== "row");
const expressions = charts.flatMap(({ targets }) => targets ?? []);

/** The words of PromQL that the documents use. */
const promQl = listed("sum by rate increase min max abs histogram_quantile time timestamp and or");
/** What Prometheus adds to every sample of a server. */
const addedLabels = ["instance", "job"];

/** With traces, which have metrics of their own. Nobody listens for them. */
const openMeteredServer = async (make: Parameters<typeof openPublicApiFixture>[0]) => {
  const environment = {
    COUNTERSIGN_METRICS_TOKEN: token,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
  };
  return openPublicApiFixture(make, {}, { why: "counts all requests of the server", environment });
};

testsOn("sqlite", "metrics", openMeteredServer, (fixture) => {
  const get = (path: string, authorization?: string) =>
    fetch(fixture.url + path, authorization === undefined ? {} : { headers: { authorization } });
  const metrics = async () => (await get("/metrics", `Bearer ${token}`)).text();

  test("the first scrape has every budget, with its limit", async () => {
    const text = await metrics();
    const valuesOf = (name: string) =>
      Object.fromEntries(
        [...text.matchAll(new RegExp(`^${name}\\{budget="(\\w+)"\\} (\\d+)$`, "gm"))].map(
          ([, budget, value]) => [String(budget), Number(value)],
        ),
      );
    expect(valuesOf("countersign_budget_limit")).toEqual(budgetLimits);
    const unused = Object.fromEntries(Object.keys(budgetLimits).map((budget) => [budget, 0]));
    expect(valuesOf("countersign_budget_in_use")).toEqual(unused);
    expect(valuesOf("countersign_budget_refused_total")).toEqual(unused);
  });

  test("/metrics counts requests by endpoint and outcome, and names no license, key or customer", async () => {
    const { api, org, url } = fixture;
    const { key } = await org.license();
    for (const sent of [key, key, "none"]) await api.validate({ license_key: sent });
    await apiOf(url, "wrong").validate({ license_key: key });
    for (const sent of [key, "none"]) await api.lookup(sent);
    // For a moment, the text of the scrape before is served.
    await until("the requests are counted", async () => (await metrics()).includes(metricNames[0] ?? "-"));
    const response = await get("/metrics", `Bearer ${token}`);
    expect(response.headers.get("content-type")).toStartWith("text/plain");
    const text = await response.text();
    for (const name of metricNames) expect(text).toContain(`\n${name}`);
    for (const secret of [key, org.apiKey, org.productId, org.organizationId])
      expect(text).not.toContain(secret);
  });

  test.each(Object.entries({ "/healthz": "ok\n", "/readyz": "ready\n" }))(
    "%s answers %j and forbids caching",
    async (path, text) => {
      const response = await get(path);
      expect([response.status, await response.text()]).toEqual([200, text]);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test.each([
    ["no header", undefined, 401],
    ["another token", "Bearer prometheus-reads-that", 401],
    ["the token with a suffix", `Bearer ${token}x`, 401],
    ["another scheme", `Basic ${token}`, 401],
    ["an empty token", "Bearer ", 401],
    ["the token", `Bearer ${token}`, 200],
    ["a scheme in lower case", `bearer ${token}`, 200],
  ])("/metrics requires the token: %s", async (_, authorization, status) => {
    const answer = await get("/metrics", authorization);
    expect(answer.status).toBe(status);
    expect((await answer.text()).includes("countersign_requests_total")).toBe(status === 200);
    expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
  });

  describe("documents", () => {
    let text = "";
    /** The labels of each metric, by the name that expressions use. */
    const labels = new Map<string, Set<string>>();
    beforeAll(async () => {
      await until("the jobs have run, and waiting work was counted", async () => {
        text = await metrics();
        return (
          text.includes("countersign_webhook_deliveries_waiting") &&
          text.includes("countersign_job_last_success_timestamp_seconds{")
        );
      });
      for (const [, name = "", list = ""] of text.matchAll(/^([a-z]\w+)(?:\{(.*)\})? \S+$/gm)) {
        const names = [...list.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)].map(([, label]) => String(label));
        labels.set(name, new Set([...(labels.get(name) ?? []), ...names]));
      }
    });

    const namedIn = (template: string, name: RegExp) =>
      [...template.matchAll(name)].map(([, label]) => String(label));
    const exported = () => namedIn(text, /^# TYPE (countersign_\S+) /gm).toSorted();
    /** The metrics and labels in an expression: all words outside of texts and durations that are not the language's. */
    const wordsIn = (expression: string) =>
      (expression.replace(/"[^"]*"|\[[^\]]*\]/g, " ").match(/[A-Za-z_]\w*/g) ?? []).filter(
        (word) => !promQl.includes(word),
      );
    /** Its brackets match, and a server exports its metrics and labels, and those in the template of its texts. */
    const expectKnown = (expression: string, labelsOfTexts: readonly string[]) => {
      const words = wordsIn(expression);
      const ofMetrics = words.flatMap((name) => [...(labels.get(name) ?? [])]);
      const known = new Set([...labels.keys(), ...addedLabels, ...ofMetrics, "up"]);
      expect(
        [...words, ...labelsOfTexts].filter((word) => !known.has(word)),
        expression,
      ).toEqual([]);
      const pair = /\([^()[\]{}]*\)|\[[^()[\]{}]*\]|\{[^()[\]{}]*\}/g;
      let rest = expression.replace(/"[^"]*"/g, "");
      for (let depth = 0; depth < 20; depth++) rest = rest.replace(pair, "");
      expect(rest, expression).not.toMatch(/[()[\]{}]/);
    };

    test("every metric has a help text, and is exported once", () => {
      const helps = [...text.matchAll(/^# HELP (countersign_\S+) (.+)$/gm)].map(([, name]) => String(name));
      expect(helps.toSorted()).toEqual(exported());
      expect(new Set(helps).size).toBe(helps.length);
      expect(helps.length).toBeGreaterThan(30);
    });

    test("every expression of the dashboard uses metrics and labels that exist", () => {
      expect(expressions.length).toBeGreaterThan(40);
      for (const { expr, legendFormat } of expressions) {
        expectKnown(expr, namedIn(legendFormat, /\{\{(\w+)\}\}/g));
        // Every panel follows the choice of servers.
        for (const [, selector] of expr.matchAll(/(?:countersign|process|nodejs)_\w+(\{[^}]*\})?/g))
          expect(selector, expr).toContain('instance=~"$instance"');
      }
    });

    test("every metric is on the dashboard", () => {
      const used = new Set(expressions.flatMap(({ expr }) => wordsIn(expr)));
      const isShown = (name: string) => ["", "_bucket", "_sum", "_count"].some((end) => used.has(name + end));
      expect(exported().filter((name) => !isShown(name))).toEqual([]);
    });

    test("every alert uses metrics and labels that exist", () => {
      expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
      for (const { expr, annotations } of alerts)
        expectKnown(expr, namedIn(annotations.summary, /\$labels\.(\w+)/g));
    });

    test("the manual lists every metric, with its labels, and no other", () => {
      const rows = readDocument("operating/monitoring.md").matchAll(/^\| `(countersign_\w+)` \|([^|]*)\|/gm);
      const listed = [...rows].map(
        ([, name, cell]) => `${name} ${namedIn(String(cell), /`(\w+)`/g).toSorted()}`,
      );
      const known = exported().map((name) => {
        const samples = [name, `${name}_count`].flatMap((sample) => [...(labels.get(sample) ?? [])]);
        return `${name} ${[...new Set(samples)].toSorted()}`;
      });
      expect(listed.toSorted()).toEqual(known);
    });
  });

  test("while traces cannot be exported, requests are answered, spans are dropped and counted, and the server stops in time", async () => {
    const dropped = async () =>
      Number(/^countersign_trace_spans_dropped_total (\d+)$/m.exec(await metrics())?.[1]);
    await until("spans are dropped", async () => {
      const answer = await fixture.api.validate({ license_key: "none" });
      expect(answer.body.status).toBe("license_not_found");
      return (await dropped()) > 0;
    });
    await until("the log says so", () =>
      fixture.server.output().includes("Traces could not be exported. They were dropped."),
    );
    expect(await fixture.server.stop()).toBe(0);
  });
});

test("the panels of the dashboard do not overlap, and each is described", () => {
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  for (const [index, { gridPos: one, title }] of dashboard.panels.entries()) {
    expect(one.x + one.w, title).toBeLessThanOrEqual(24);
    const isBeside = (other: typeof one) => other.x >= one.x + one.w || other.x + other.w <= one.x;
    const isBelow = (other: typeof one) => other.y >= one.y + one.h || other.y + other.h <= one.y;
    for (const { gridPos: other } of dashboard.panels.slice(index + 1))
      expect(isBeside(other) || isBelow(other), title).toBeTrue();
  }
  for (const { description, datasource, title } of charts) {
    expect(description, title).toBeString();
    expect(datasource?.uid, title).toBe("$" + "{datasource}");
  }
  expect(dashboard.templating.list.map(({ name }) => name)).toEqual(["datasource", "instance"]);
});
