import * as contract from "@countersign/contract/manage/admin";
import { jobRunsOfOthers } from "@countersign/store/queries/jobs/job-runs";
import type { JobRunRow } from "@countersign/store/tables/platform";
import { type BoundRoute, bind } from "../../api/bind.ts";
import { iso } from "../../api/page.ts";
import { jobRunsOf } from "../../jobs/job-runs.ts";

/** Some dozens of jobs on each of some dozens of nodes. */
const mostOfOthers = 2_000;

export const jobRoutes: readonly BoundRoute[] = [
  bind(contract.listJobs, async ({ store, nowMs }) => {
    const runs = jobRunsOf(store);
    const others = await jobRunsOfOthers(store.reads, runs.node, mostOfOthers);
    return {
      data: [...sorted(runs.rows(nowMs)), ...sorted(others)].map((row) => showRun(row, runs.node)),
      next_cursor: null,
    };
  }),
];

function sorted(rows: readonly JobRunRow[]): JobRunRow[] {
  const texts = ({ node, job }: JobRunRow) => `${node}\n${job}`;
  return rows.toSorted((a, b) => (texts(a) < texts(b) ? -1 : 1));
}

function showRun(row: JobRunRow, thisNode: string) {
  return {
    node: row.node,
    is_this_node: row.node === thisNode,
    job: row.job,
    every_seconds: row.every_ms / 1000,
    started_at: iso(row.started_at),
    duration_ms: row.finished_at === null ? null : Math.max(0, row.finished_at - row.started_at),
    failed_at: iso(row.failed_at),
    failure: row.failure,
  };
}
