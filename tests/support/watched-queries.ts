import type { Store } from "@countersign/store/store";
import { CompiledQuery, type RootOperationNode } from "kysely";

/** Wraps a store to record the query plan of each statement that it reads. */
export function watched(store: Store) {
  const seen = new Map<string, { query: CompiledQuery; by: Store["reads"] }>();
  let statements = 0;
  const watching = (by: Store["reads"]) =>
    by.withPlugin({
      transformQuery: ({ node, queryId }) => {
        const query = by.getExecutor().compileQuery(node as RootOperationNode, queryId);
        seen.set(query.sql, { query, by });
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
  const watchers: Record<string | symbol, unknown> = {
    reads: watching(store.reads),
    listReads: watching(store.listReads),
  };
  const explain = store.kind === "sqlite" ? "explain query plan " : "explain ";
  return {
    store: new Proxy(store, {
      get: (target, name) => {
        const value = watchers[name] ?? Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
    /** How many statements were run. */
    count: () => statements,
    plans: async () => {
      const plans: { text: string; plan: string }[] = [];
      for (const { query, by } of seen.values()) {
        const { rows } = await by.executeQuery(CompiledQuery.raw(explain + query.sql, [...query.parameters]));
        const plan = rows.map((row) => Object.values(row as object).join(" ")).join("\n");
        plans.push({ text: query.sql.slice(0, 600), plan });
      }
      return plans;
    },
  };
}
