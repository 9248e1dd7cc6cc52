import type { Store } from "@countersign/store/store";
import { sql } from "kysely";

/** A SQLite store that measures every transaction. */
export function measuredStore(store: Store) {
  const none = { rows: 0, cpuMs: 0, count: 0 };
  let largest = none;
  const transaction: Store["transaction"] = (work, lasting) =>
    store.transaction(async (db) => {
      const changes = async () => {
        const { rows } = await sql<{ n: number }>`select total_changes() as n`.execute(db);
        return Number(rows[0]?.n);
      };
      const before = await changes();
      const cpu = process.cpuUsage();
      const value = await work(db);
      const { user, system } = process.cpuUsage(cpu);
      const rows = (await changes()) - before;
      largest = {
        rows: Math.max(largest.rows, rows),
        cpuMs: Math.max(largest.cpuMs, (user + system) / 1_000),
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
    /** The largest transaction of a piece of work, also by the processor time of the process. */
    during: async (work: () => Promise<unknown>) => {
      largest = none;
      await work();
      return largest;
    },
  };
}
