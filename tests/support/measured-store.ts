import type { Store } from "@countersign/store/store";
import { sql } from "kysely";

/** The largest transaction of a piece of work. */
export interface Largest {
  rows: number;
  /** The processor time of the process, which unlike the elapsed time does not depend on the machine's load. */
  cpuMs: number;
  wallMs: number;
  count: number;
}

/** A SQLite store that measures every transaction. */
export function measuredStore(store: Store): {
  store: Store;
  during(work: () => Promise<unknown>): Promise<Largest>;
} {
  let largest: Largest = { rows: 0, cpuMs: 0, wallMs: 0, count: 0 };
  const transaction: Store["transaction"] = (work, lasting) =>
    store.transaction(async (db) => {
      const changes = async () => {
        const { rows } = await sql<{ n: number }>`select total_changes() as n`.execute(db);
        return Number(rows[0]?.n);
      };
      const before = await changes();
      const cpu = process.cpuUsage();
      const startMs = performance.now();
      const value = await work(db);
      const { user, system } = process.cpuUsage(cpu);
      const rows = (await changes()) - before;
      largest = {
        rows: Math.max(largest.rows, rows),
        cpuMs: Math.max(largest.cpuMs, (user + system) / 1_000),
        wallMs: Math.max(largest.wallMs, performance.now() - startMs),
        count: largest.count + 1,
      };
      return value;
    }, lasting);
  const measured = new Proxy(store, {
    get: (of, name) => {
      if (name === "transaction") return transaction;
      const value = Reflect.get(of, name);
      return typeof value === "function" ? value.bind(of) : value;
    },
  });
  return {
    store: measured,
    during: async (work) => {
      largest = { rows: 0, cpuMs: 0, wallMs: 0, count: 0 };
      await work();
      return largest;
    },
  };
}
