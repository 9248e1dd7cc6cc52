import * as contract from "@countersign/contract/manage/admin";
import { listJobs } from "@countersign/contract/manage/admin";
import { getRevenue } from "@countersign/contract/manage/plans";
import { recurringRevenue, trialCount } from "@countersign/domain/billing/subscription";
import { isoTime } from "@countersign/domain/dates/iso-time";
import { countAll, countUnsentEmails, lastRequestAt } from "@countersign/store/queries/admin/platform";
import { countsByPlan, subscriptionSums } from "@countersign/store/queries/billing/platform";
import { jobRunsOfOthers } from "@countersign/store/queries/jobs/job-runs";
import { countEveryLicense } from "@countersign/store/queries/licenses/stored-counts";
import type { JobRunRow } from "@countersign/store/tables/platform";

import { type BoundRoute, bind } from "../../api/context.ts";
import { release } from "../../base/release.ts";
import { jobRunsOf } from "../../jobs/job-runs.ts";
import { listedNodeMs, silentNodeMs } from "../../jobs/periodic-jobs.ts";
import { emailRoutes } from "./emails.ts";
import { platformIpRoutes } from "./ips.ts";
import { platformOrganizationRoutes } from "./organizations.ts";
import { userRoutes } from "./users.ts";

/** The routes for the operator of an installation. */
export const adminRoutes: readonly BoundRoute[] = [
  ...platformOrganizationRoutes,
  ...userRoutes,
  ...platformIpRoutes,
  ...emailRoutes,
  bind(getRevenue, async ({ store }) => {
    const sums = await subscriptionSums(store.reads);
    return {
      recurring: recurringRevenue(sums),
      trial_count: trialCount(sums),
      organizations: await countsByPlan(store.reads),
    };
  }),
  bind(contract.getPlatformHealth, async ({ store }) => {
    const startedMs = performance.now();
    await store.ping();
    const latencyMs = performance.now() - startedMs;
    const clockOffsetMs = Math.round((await store.clock()) - Date.now());
    return {
      version: release,
      uptime_seconds: Math.floor(process.uptime()),
      database: {
        kind: store.kind,
        latency_ms: Math.round(latencyMs * 1000) / 1000,
        clock_offset_ms: clockOffsetMs,
      },
      request_log: { last_entry_at: isoTime(await lastRequestAt(store.reads)) },
      outbox: { unsent: await countUnsentEmails(store.reads) },
      counts: {
        organizations: await countAll(store.reads, "organizations", maxCounted),
        products: await countAll(store.reads, "products", maxCounted),
        licenses: await countEveryLicense(store.reads),
        users: await countAll(store.reads, "users", maxCounted),
      },
    };
  }),
  bind(listJobs, async ({ store, nowMs }) => {
    const runs = jobRunsOf(store);
    const others = await jobRunsOfOthers(store.reads, {
      node: runs.node,
      sinceMs: nowMs - listedNodeMs,
      limit: maxRunsOfOthers,
    });
    const seen = new Set(
      others.flatMap(({ node, started_at }) => (started_at >= nowMs - silentNodeMs ? node : [])),
    ).add(runs.node);
    return {
      data: [...sorted(runs.rows(nowMs)), ...sorted(others)].map((row) => ({
        ...showRun(row, runs.node),
        is_interrupted: row.finished_at === null && !seen.has(row.node),
      })),
      next_cursor: null,
    };
  }),
];

const maxCounted = 1_000_000;

/** Some dozens of jobs on each of some dozens of nodes. */
const maxRunsOfOthers = 2_000;

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
    started_at: isoTime(row.started_at),
    duration_ms: row.finished_at === null ? null : Math.max(0, row.finished_at - row.started_at),
    failed_at: isoTime(row.failed_at),
    failure: row.failure,
  };
}
