import type { Database } from "../../store.ts";
import type { JobRunRow } from "../../tables/platform.ts";

/** Replaces the rows of these jobs and nodes. */
export async function storeJobRuns(db: Database, rows: readonly JobRunRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("job_runs")
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(["node", "job"]).doUpdateSet((row) => ({
        every_ms: row.ref("excluded.every_ms"),
        started_at: row.ref("excluded.started_at"),
        finished_at: row.ref("excluded.finished_at"),
        failed_at: row.ref("excluded.failed_at"),
        failure: row.ref("excluded.failure"),
      })),
    )
    .execute();
}

/** Those of the other nodes that started a job since a time, the latest first. */
export async function jobRunsOfOthers(
  db: Database,
  { node, sinceMs, limit }: { readonly node: string; readonly sinceMs: number; readonly limit: number },
): Promise<JobRunRow[]> {
  return db
    .selectFrom("job_runs")
    .selectAll()
    .where("node", "!=", node)
    .where("node", "in", (runs) =>
      runs.selectFrom("job_runs").select("node").where("started_at", ">=", sinceMs),
    )
    .orderBy("started_at", "desc")
    .limit(limit)
    .execute();
}

/** Those of nodes that started no job since then. A node that runs starts one every minute. */
export async function removeRunsOfStoppedNodes(db: Database, sinceMs: number): Promise<void> {
  await db
    .deleteFrom("job_runs")
    .where("node", "in", (runs) =>
      runs
        .selectFrom("job_runs")
        .select("node")
        .groupBy("node")
        .having((is) => is(is.fn.max("started_at"), "<", sinceMs)),
    )
    .execute();
}
