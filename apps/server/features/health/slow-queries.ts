import { minuteMs } from "@countersign/domain/dates/lengths";
import type { SlowStatementObserver } from "@countersign/store/threads/slow-statements";
import { inBursts, type Log } from "../../base/log.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

const maxStatements = 200;
const maxText = 1_000;

/** Counts slow queries, and logs each at most once a minute: its text without values, and how long it took. */
export function slowQueriesTo(log: Log, metrics: WorkerMetrics): SlowStatementObserver {
  const notes = new Map<string, (count: number, ms: number) => void>();
  return (sql, ms) => {
    metrics.queryWasSlow(labelOf(sql));
    const query = withoutValues(sql);
    const note =
      notes.get(query) ??
      inBursts<number>(minuteMs, (times, latestMs) =>
        log.warn("A query was slow.", { query, duration_ms: Math.round(latestMs), times }),
      );
    notes.set(query, note);
    for (const oldest of notes.keys()) {
      if (notes.size <= maxStatements) break;
      notes.delete(oldest);
    }
    note(1, ms);
  };
}

/** A list of any length becomes the same text. */
function withoutValues(sql: string): string {
  const placeholder = "(?:\\?|\\$\\d+)";
  return sql
    .replace(/'(?:[^']|'')*'/g, "'?'")
    .replace(new RegExp(`${placeholder}(?:,\\s*${placeholder})+`, "g"), "?, …")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, maxText);
}

/** Its verb and its first table, such as `select licenses`: as many labels as the program has statements. */
function labelOf(sql: string): string {
  const verb = /^\s*([a-z]+)/i.exec(sql)?.[1]?.toLowerCase();
  const table = /\b(?:from|into|update)\s+"?([a-z_]+)/i.exec(sql)?.[1];
  return verb === undefined || table === undefined ? "other" : `${verb} ${table}`;
}
