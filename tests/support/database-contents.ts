import { createHash } from "node:crypto";
import type { Store } from "@countersign/store/store";
import { sql } from "kysely";

/** Columns that change without a request: what the server observes, and when a token was last used. */
const observed = new Set([
  "request_log",
  "request_keys",
  "request_days",
  "request_segments",
  "request_log_state",
  "rollup_hours",
  "rollup_hour_uniques",
  "rollup_days",
  "license_days",
  "ip_sightings",
  "license_refusals",
  "daily_usage",
  "schema_migrations",
  "license_search_changes",
  // Folded shortly after every change. Other tests compare their sums with the licenses.
  "license_counts",
  "license_count_changes",
  "job_runs",
]);
const observedColumns = new Set(["last_used_at"]);
/** The progress of checks and of the text index, and the last probe. */
const observedStates = new Set<unknown>([
  "expiries_checked_until",
  "quota_emails_until",
  "license_search",
  "probed",
]);

/** The contents of every table, each as a short text that differs when any row does. */
export async function databaseContents(store: Store): Promise<Record<string, string>> {
  const names = await tableNames(store);
  const contents: Record<string, string> = {};
  for (const name of names) {
    const { rows: found } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(
      store.reads,
    );
    const rows = name === "platform_state" ? found.filter((row) => !observedStates.has(row.name)) : found;
    const texts = rows.map((row) =>
      JSON.stringify(Object.entries(row).filter(([column]) => !observedColumns.has(column))),
    );
    const digest = createHash("sha256").update(texts.sort().join("\n")).digest("hex").slice(0, 12);
    contents[name] = `${rows.length} rows, ${digest}`;
  }
  return contents;
}

async function tableNames(store: Store): Promise<string[]> {
  const query =
    store.kind === "sqlite"
      ? sql<{ name: string }>`select name from main.sqlite_master where type = 'table'
          and name not like 'sqlite_%' and name not like 'license_search%'`
      : sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public'`;
  const { rows } = await query.execute(store.reads);
  return rows
    .map((row) => row.name)
    .filter((name) => !observed.has(name) && !/^request_(log|keys)_\d{8}$/.test(name))
    .sort();
}
