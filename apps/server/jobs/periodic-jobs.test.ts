import { describe, expect, test } from "bun:test";
import type { JobRunRow } from "@countersign/store/tables/platform";
import { failureText, JobRuns } from "./job-runs.ts";
import { PeriodicJobs } from "./periodic-jobs.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

test("a failed periodic job is logged and runs again at the next interval", async () => {
  const recorded: unknown[] = [];
  let runs = 0;
  const done = Promise.withResolvers<void>();
  const run = async () => {
    runs += 1;
    if (runs === 3) done.resolve();
    throw new Error("no");
  };
  const log = { ...quiet, warn: (_: string, details: unknown) => void recorded.push(details) };
  const periodicJobs = new PeriodicJobs([{ name: "failing", everyMs: 1, run }], log, new JobRuns("test"));
  await done.promise;
  await periodicJobs.stop();
  expect(recorded[0]).toEqual({ job: "failing", reason: "no" });
});

test("a periodic job never runs concurrently with itself, and stopping waits for it", async () => {
  let [starts, ends, otherRuns] = [0, 0, 0];
  const leave = Promise.withResolvers<void>();
  const slow = async () => {
    starts += 1;
    await leave.promise;
    ends += 1;
  };
  const enough = Promise.withResolvers<void>();
  const quick = async () => {
    otherRuns += 1;
    // By then, the slow one's interval has passed as often.
    if (starts > 0 && otherRuns > 5) enough.resolve();
  };
  const jobs = [
    { name: "slow", everyMs: 1, run: slow },
    { name: "quick", everyMs: 1, run: quick },
  ];
  const periodicJobs = new PeriodicJobs(jobs, quiet, new JobRuns("test"));
  await enough.promise;
  const stopped = periodicJobs.stop();
  leave.resolve();
  await stopped;
  expect([starts, ends]).toEqual([1, 1]);
});

const job = { name: "pruning", everyMs: 60_000 };

describe("the last runs of this node", () => {
  test("a run of a job has a start, and an end once it is over, and the last failure stays known", () => {
    const runs = new JobRuns("a");
    const row = () => runs.rows(1_000_000)[0];
    expect(row()).toBeUndefined();
    const end = runs.start(job);
    expect(row()).toMatchObject({ node: "a", job: "pruning", every_ms: 60_000, finished_at: null });
    expect(row()?.started_at).toBeLessThanOrEqual(1_000_000);
    end();
    expect(row()?.finished_at).toBeGreaterThanOrEqual(row()?.started_at ?? Number.POSITIVE_INFINITY);
    expect(row()).toMatchObject({ failed_at: null, failure: null });
    runs.start(job)(new Error("no"));
    runs.start(job)();
    expect(row()?.failure).toBe("no");
    expect(row()?.finished_at).toBeGreaterThanOrEqual(row()?.failed_at ?? Number.POSITIVE_INFINITY);
  });

  test("only runs that changed are saved, and again if saving failed", async () => {
    const runs = new JobRuns("a");
    const saved: string[][] = [];
    const save = async (rows: readonly JobRunRow[]) => void saved.push(rows.map((row) => row.job));
    runs.start(job)();
    runs.start({ ...job, name: "other" })();
    const failing = runs.saveChanged(0, () => Promise.reject(new Error("no database")));
    await expect(failing).rejects.toThrow("no database");
    await runs.saveChanged(0, save);
    await runs.saveChanged(0, save);
    runs.start(job)();
    await runs.saveChanged(0, save);
    expect(saved).toEqual([["pruning", "other"], ["pruning"]]);
  });

  test("two nodes on one host have different names", () =>
    expect(new JobRuns().node).not.toBe(new JobRuns().node));
});

describe("failures", () => {
  test.each([
    ["connect postgres://user:pass@db.example:5432/x", "connect postgres://…@db.example:5432/x"],
    ["GET https://api.example.com/a?key=abc&b=1 failed", "GET https://api.example.com/a?… failed"],
    ["bad key sk_live_abc123 or csk_abcd1234_efgh", "bad key sk_live_… or csk_…"],
    ['{"password": "hunter2", "x": 1}', '{"password": …, "x": 1}'],
    ["Authorization: Bearer abc.def", "Authorization: Bearer …"],
    ["first\nsecond\u2028third", "first second third"],
  ])("the reason %j is shown as %j", (reason, shown) => expect(failureText(new Error(reason))).toBe(shown));

  test("a reason includes the cause, is a text for anything that is thrown, and is cut at a whole character", () => {
    expect(failureText(new Error("outer", { cause: new Error("inner") }))).toBe("outer (inner)");
    expect(failureText("text")).toBe("text");
    const text = failureText(new Error("🔑".repeat(10_000)));
    expect(text.length).toBeLessThanOrEqual(500);
    expect(text.isWellFormed()).toBeTrue();
    expect(text).toEndWith("…");
  });
});
