import { beforeEach, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import type { JobRunRow } from "../../tables/platform.ts";
import * as queries from "./job-runs.ts";

const nowMs = Date.UTC(2030, 5, 1);

onBothDatabases("stored runs of periodic jobs", (fixture) => {
  const { read, write } = fixture.queries(queries);
  // They belong to the whole installation.
  beforeEach(() => fixture.write((db) => db.deleteFrom("job_runs").execute()));

  const store = (...rows: Partial<JobRunRow>[]) =>
    write.storeJobRuns(
      rows.map((settings) => ({
        ...{ node: "a", job: "pruning", every_ms: 1_500, started_at: nowMs, finished_at: nowMs + 20 },
        ...{ failed_at: null, failure: null, ...settings },
      })),
    );
  const others = async (node: string, { limit = 10, sinceMs = 0 } = {}) =>
    (await read.jobRunsOfOthers({ node, sinceMs, limit })).map((run) => `${run.node} ${run.job}`);

  test("a later run replaces the earlier one of the same job and node", async () => {
    await store();
    await store({ finished_at: null }, { job: "other" }, { node: "b" });
    const failed = { every_ms: 7, started_at: nowMs + 5, failed_at: nowMs + 6, failure: "no" };
    await store(failed);
    const rows = await read.jobRunsOfOthers({ node: "b", sinceMs: 0, limit: 10 });
    expect(rows).toHaveLength(2);
    expect(rows.find(({ job }) => job === "pruning")).toMatchObject({ ...failed, finished_at: nowMs + 20 });
  });

  test("runs on other nodes are listed, the latest first, up to a limit", async () => {
    await store({ node: "a" }, { node: "b", started_at: nowMs - 5 }, { node: "c", started_at: nowMs + 5 });
    expect(await others("a")).toEqual(["c pruning", "b pruning"]);
    expect(await others("none", { limit: 2 })).toEqual(["c pruning", "a pruning"]);
  });

  test("only runs of nodes that started a job since a time are listed, rare jobs of these too", async () => {
    await store(
      { node: "gone", job: "mail", started_at: nowMs - 1 },
      { node: "gone", job: "imports", started_at: nowMs - 9, finished_at: null },
      { node: "alive", job: "mail", started_at: nowMs },
      { node: "alive", job: "rare", started_at: nowMs - dayMs },
    );
    expect(await others("none", { sinceMs: nowMs })).toEqual(["alive mail", "alive rare"]);
    expect(await others("alive", { sinceMs: nowMs })).toEqual([]);
  });

  test("runs on nodes that started nothing since a time are removed, and rare jobs of the others stay", async () => {
    await store(
      { node: "stopped", job: "frequent", started_at: nowMs - dayMs - 1 },
      { node: "stopped", job: "rare", started_at: nowMs - 2 * dayMs },
      { node: "running", job: "frequent", started_at: nowMs - dayMs },
      { node: "running", job: "rare", started_at: nowMs - 9 * dayMs },
    );
    await write.removeRunsOfStoppedNodes(nowMs - dayMs);
    expect(await others("none")).toEqual(["running frequent", "running rare"]);
  });
});
