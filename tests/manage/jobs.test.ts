import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "@countersign/store/open";
import type { JobRunRow } from "@countersign/store/tables";
import { JobRuns } from "../../apps/server/jobs/job-runs.ts";
import { jobRunSaving } from "../../apps/server/jobs/save-job-runs.ts";
import { databases, postgres } from "../support/databases.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;

interface Shown {
  readonly node: string;
  readonly is_this_node: boolean;
  readonly job: string;
}

describe.each(databases)("periodic jobs on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const listed = async (): Promise<Shown[]> => (await fixture.admin.api.get("/admin/jobs")).body.data;
  const add = (row: Partial<JobRunRow>, nowMs: number) =>
    fixture.store.transaction((db) =>
      db
        .insertInto("job_runs")
        .values({
          node: "other",
          job: "pruning",
          every_ms: 1_500,
          started_at: nowMs,
          finished_at: nowMs + 20,
          failed_at: null,
          failure: null,
          ...row,
        })
        .execute(),
    );

  test("this node's are current: those that ran are listed before they are saved", async () => {
    await until("a job has run", async () => {
      const jobs = (await listed()).filter(({ is_this_node: isThis }) => isThis).map(({ job }) => job);
      return ["organization removal", "webhook deliveries", "imports"].every((job) => jobs.includes(job));
    });
    const nodes = new Set((await listed()).map(({ node }) => node));
    expect(nodes.size).toBe(1);
  });

  test("those of other nodes are listed as they were saved", async () => {
    const nowMs = await fixture.store.clock();
    await add({ failed_at: nowMs - 5, failure: "no" }, nowMs);
    const other = (await listed()).find(({ node }) => node === "other");
    const at = (ms: number) => new Date(ms).toISOString();
    expect(other).toEqual({
      node: "other",
      is_this_node: false,
      job: "pruning",
      every_seconds: 1.5,
      started_at: at(nowMs),
      duration_ms: 20,
      failed_at: at(nowMs - 5),
      failure: "no",
    } as Shown);
  });

  test("saving prunes nodes that started nothing for a day, and keeps rare jobs of the others", async () => {
    const nowMs = await fixture.store.clock();
    await add({ node: "dead", job: "a" }, nowMs - dayMs - 60_000);
    await add({ node: "dead", job: "b" }, nowMs - 2 * dayMs);
    await add({ node: "alive", job: "frequent" }, nowMs - 60_000);
    await add({ node: "alive", job: "rare" }, nowMs - 9 * dayMs);
    const runs = new JobRuns("saving");
    runs.start({ name: "pruning", everyMs: 5 })();
    await jobRunSaving(fixture.store, runs).run();
    const names = (await listed()).map(({ node, job }) => `${node} ${job}`);
    expect(names).toContain("saving pruning");
    expect(names).toContain("alive rare");
    expect(names.filter((name) => name.startsWith("dead"))).toEqual([]);
  });

  test("saving again replaces the earlier run", async () => {
    const runs = new JobRuns("twice");
    const saving = jobRunSaving(fixture.store, runs);
    runs.start({ name: "pruning", everyMs: 5 });
    await saving.run();
    runs.start({ name: "pruning", everyMs: 7 })(new Error("no"));
    await saving.run();
    await saving.run();
    const rows = (await listed()).filter(({ node }) => node === "twice");
    expect(rows).toEqual([expect.objectContaining({ every_seconds: 0.007, failure: "no" })]);
  });

  test("only platform admins can list them", async () => {
    expect((await fixture.owner.api.get("/admin/jobs")).status).toBe(404);
  });
});

test("two nodes on PostgreSQL list each other's jobs", async () => {
  const fixture = await openManageFixture(postgres.make);
  const second = await startServerProcess(fixture.database.environment);
  const store = await openStore(fixture.database.location, { encryptionKey: null, durability: "standard" });
  try {
    const nodes = [fixture.admin.api, manageClient(second.url, fixture.admin.token)];
    const ownName = async (client: (typeof nodes)[number]) => {
      const { body } = await client.get("/admin/jobs");
      return body.data.find((run: Shown) => run.is_this_node)?.node;
    };
    await until("a job has run on both", async () => {
      for (const client of nodes) if ((await ownName(client)) === undefined) return false;
      return true;
    });
    const names = [await ownName(nodes[0] as never), await ownName(nodes[1] as never)];
    expect(names[0]).not.toBe(names[1]);
    // What each of them saves within a minute.
    for (const name of names) {
      const runs = new JobRuns(name);
      runs.start({ name: "saved", everyMs: 60_000 })();
      await jobRunSaving(store, runs).run();
    }
    for (const [number, client] of nodes.entries()) {
      const { body } = await client.get("/admin/jobs");
      const saved = body.data.filter(({ job }: Shown) => job === "saved");
      expect(saved.map(({ node }: Shown) => node)).toEqual([names[1 - number]]);
    }
  } finally {
    await store.close();
    await second.stop();
    await fixture.close();
  }
});
