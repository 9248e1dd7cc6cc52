import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sqlite } from "../support/databases.ts";
import { exportedMetrics, referencedBy } from "../support/promql.ts";
import { openPublicApiFixture, type PublicApiFixture } from "../support/public-api-fixture.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const docs = join(import.meta.dir, "../../docs");
const readDocument = (path: string) => readFileSync(join(docs, path), "utf8");

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly datasource?: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

const dashboard = JSON.parse(readDocument("grafana/countersign.json")) as Dashboard;
const alerts = (
  Bun.YAML.parse(readDocument("grafana/alerts.yml")) as { groups: { rules: Alert[] }[] }
).groups.flatMap(({ rules }) => rules);
const charts = dashboard.panels.filter(({ type }) => type !== "row");

/** Metrics that no panel shows, each with the reason. */
const notShown: Readonly<Record<string, string>> = {};

/** What Prometheus adds to every sample of a server. */
const addedLabels = ["instance", "job"];

describe("what the documents say about metrics", () => {
  let fixture: PublicApiFixture;
  let families: ReadonlyMap<string, string>;
  let labels: ReadonlyMap<string, ReadonlySet<string>>;
  let text: string;
  beforeAll(async () => {
    // With traces, which have metrics of their own. Nobody listens for them.
    const traces = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
    fixture = await openPublicApiFixture(
      sqlite.make,
      {},
      { why: "reads the metrics of the whole server", environment: traces },
    );
    await fixture.api.validate({ license_key: "none" });
    await fixture.api.lookup("none");
    await until("the jobs have run, and waiting work was counted", async () => {
      text = await (await fetch(`${fixture.server.url}/metrics`)).text();
      return (
        text.includes("countersign_webhook_deliveries_waiting") &&
        text.includes("countersign_job_last_success_timestamp_seconds{")
      );
    });
    ({ families, labels } = exportedMetrics(text));
  });
  afterAll(() => fixture.close());

  const exported = () => [...families.keys()].filter((name) => name.startsWith("countersign_"));
  /** The labels that all metrics of an expression have together. */
  const labelsOf = (expression: string) => {
    const known = [...referencedBy(expression).metrics].flatMap((name) => [...(labels.get(name) ?? [])]);
    return new Set([...addedLabels, ...known]);
  };
  /** What an expression refers to and no server exports. */
  const unknownIn = (expression: string) => {
    const { metrics, labels: used } = referencedBy(expression);
    const known = labelsOf(expression);
    return [
      ...[...metrics].filter((name) => name !== "up" && !labels.has(name)),
      ...[...used].filter((label) => !known.has(label)),
    ];
  };

  test("every metric has a help text, and is exported once", () => {
    const helps = [...text.matchAll(/^# HELP (countersign_\S+) (.+)$/gm)].map(([, name]) => String(name));
    expect(helps.toSorted()).toEqual(exported().toSorted());
    expect(new Set(helps).size).toBe(helps.length);
    expect(helps.length).toBeGreaterThan(30);
  });

  test("every expression of the dashboard uses metrics and labels that exist", () => {
    const expressions = charts.flatMap(({ targets }) => targets ?? []);
    expect(expressions.length).toBeGreaterThan(40);
    for (const { expr, legendFormat } of expressions) {
      expect(unknownIn(expr), expr).toEqual([]);
      const legend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => String(label));
      expect(
        legend.filter((label) => !labelsOf(expr).has(label)),
        legendFormat,
      ).toEqual([]);
      // Every panel follows the choice of servers.
      for (const [, selector] of expr.matchAll(/(?:countersign|process|nodejs)_\w+(\{[^}]*\})?/g))
        expect(selector, expr).toContain('instance=~"$instance"');
    }
  });

  test("every metric is on the dashboard, or is left out for a reason", () => {
    const used = new Set(
      charts.flatMap(({ targets }) => (targets ?? []).flatMap(({ expr }) => [...referencedBy(expr).metrics])),
    );
    const shown = (name: string) =>
      [name, `${name}_bucket`, `${name}_sum`, `${name}_count`].some((one) => used.has(one));
    expect(
      exported()
        .filter((name) => !shown(name))
        .toSorted(),
    ).toEqual(Object.keys(notShown).toSorted());
  });

  test("every alert uses metrics and labels that exist", () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    for (const { expr, annotations } of alerts) {
      expect(unknownIn(expr), expr).toEqual([]);
      const named = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => String(label));
      expect(
        named.filter((label) => !labelsOf(expr).has(label)),
        annotations.summary,
      ).toEqual([]);
    }
  });

  test("the manual lists every metric, with its labels, and no other", () => {
    const rows = [...readDocument("operating/README.md").matchAll(/^\| `(countersign_\w+)` \|([^|]*)\|/gm)];
    const listed = rows.map(
      ([, name, own]) =>
        `${name} ${[...String(own).matchAll(/`(\w+)`/g)].map(([, label]) => label).toSorted()}`,
    );
    const known = exported().map((name) => {
      const samples = [labels.get(name), labels.get(`${name}_count`)].flatMap((some) => [...(some ?? [])]);
      return `${name} ${[...new Set(samples)].toSorted()}`;
    });
    expect(listed.toSorted()).toEqual(known.toSorted());
  });
});

test("the panels of the dashboard do not overlap, and each is described", () => {
  expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  const taken = new Set<string>();
  for (const { gridPos, title } of dashboard.panels) {
    expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(taken.has(`${x} ${y}`), title).toBe(false);
        taken.add(`${x} ${y}`);
      }
  }
  for (const { description, datasource, title } of charts) {
    expect(description, title).toBeString();
    expect(datasource?.uid, title).toBe("$" + "{datasource}");
  }
  expect(dashboard.templating.list.map(({ name }) => name)).toEqual(["datasource", "instance"]);
});
