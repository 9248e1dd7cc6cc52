import { expect } from "bun:test";
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Store } from "@countersign/store/store";
import { sql } from "kysely";
import { listed } from "./listed.ts";
import { tablesOf, withoutDay } from "./whole-database.ts";

type Contents = Readonly<Record<string, string>>;

interface Calls {
  readonly name: string;
  run(): Promise<void>;
}

/** Reading all tables takes longer than the calls of a test. */
const callsPerComparison = 25;

/**
 * Checks that calls change nothing in the database. It reads all tables once for the calls of many tests. If anything
 * has changed, it repeats them one by one and names those that did it.
 */
export class UnchangedDatabase {
  readonly #store: Store;
  #before: Contents | null = null;
  #uncompared: Calls[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Runs calls that must change nothing. They must be repeatable. */
  async during(name: string, run: () => Promise<void>): Promise<void> {
    this.#before ??= await databaseContents(this.#store);
    this.#uncompared.push({ name, run });
    await run();
    if (this.#uncompared.length >= callsPerComparison) await this.compare();
  }

  /** Runs something that may change the database, or only these tables. */
  async changing<Result>(run: () => Promise<Result>, tables?: readonly string[]): Promise<Result> {
    await this.compare();
    const before = tables === undefined ? null : (this.#before ?? (await databaseContents(this.#store)));
    this.#before = null;
    const result = await run();
    if (tables === undefined || before === null) return result;
    this.#before = await databaseContents(this.#store);
    const allowed = tables.map((table) => [table, expect.any(String)]);
    expect(this.#before).toEqual({ ...before, ...Object.fromEntries(allowed) });
    return result;
  }

  /** Compares after the calls since the last comparison. */
  async compare(): Promise<void> {
    const [before, calls] = [this.#before, this.#uncompared];
    if (before === null || calls.length === 0) return;
    this.#uncompared = [];
    this.#before = await databaseContents(this.#store);
    if (isDeepStrictEqual(this.#before, before)) return;
    const after = this.#before;
    for (const { name, run } of calls) {
      const start = await databaseContents(this.#store);
      await run();
      this.#before = await databaseContents(this.#store);
      expectUnchanged(name, start, this.#before);
    }
    // A repeated call need not change anything.
    expectUnchanged(`One of ${calls.map(({ name }) => name).join(", ")}`, before, after);
  }
}

function expectUnchanged(calls: string, before: Contents, after: Contents): void {
  const tables = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = tables.filter((table) => before[table] !== after[table]);
  const changes = changed.map((table) => `${table} from ${before[table]} to ${after[table]}`);
  if (changes.length > 0) throw new Error(`${calls} changed ${changes.join("; ")}`);
}

/** Tables that change without a request: what the server observes. */
const observed = new Set(
  listed(`
    request_log request_keys request_days request_segments request_log_state request_log_cuts rollup_hours rollup_hour_uniques
    rollup_days license_days ip_sightings license_refusals daily_usage schema_migrations license_search_changes job_runs
    license_counts license_count_changes
  `),
);
/** The progress of checks and of the text index, the last probe, and when a token was last used. */
const observedStates = new Set<unknown>(
  listed("expiries_checked_until quota_emails_until license_search probed"),
);
const observedColumn = "last_used_at";

/** The contents of every table, each as a short text that differs when any row does. */
async function databaseContents(store: Store): Promise<Contents> {
  const contents: Record<string, string> = {};
  const names = Object.keys(await tablesOf(store)).filter((name) => !observed.has(withoutDay(name)));
  for (const name of names.sort()) {
    const all = sql<Record<string, unknown>>`select * from ${sql.table(name)}`;
    const { rows: found } = await all.execute(store.reads);
    const rows = name === "platform_state" ? found.filter((row) => !observedStates.has(row.name)) : found;
    const texts = rows.map((row) => JSON.stringify({ ...row, [observedColumn]: null }));
    const digest = createHash("sha256").update(texts.sort().join("\n")).digest("hex").slice(0, 12);
    contents[name] = `${rows.length} rows, ${digest}`;
  }
  return contents;
}
