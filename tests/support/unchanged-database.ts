import { expect } from "bun:test";
import { isDeepStrictEqual } from "node:util";
import type { Store } from "@countersign/store/store";
import { databaseContents } from "./database-contents.ts";

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
    const allowed = Object.fromEntries(tables.map((table) => [table, expect.any(String)]));
    expect(this.#before).toEqual({ ...before, ...allowed });
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
