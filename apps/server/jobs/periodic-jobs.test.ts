import { expect, test } from "bun:test";
import { JobRuns } from "./job-runs.ts";
import { PeriodicJobs } from "./periodic-jobs.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

test("a failed periodic job is logged and runs again at the next interval", async () => {
  const recorded: unknown[] = [];
  let runs = 0;
  const done = Promise.withResolvers<void>();
  const periodicJobs = new PeriodicJobs(
    [
      {
        name: "failing",
        everyMs: 1,
        run: async () => {
          runs += 1;
          if (runs === 3) done.resolve();
          throw new Error("no");
        },
      },
    ],
    { ...quiet, warn: (_: string, details: unknown) => void recorded.push(details) },
    new JobRuns("test"),
  );
  await done.promise;
  await periodicJobs.stop();
  expect(recorded[0]).toEqual({ job: "failing", reason: "no" });
});

test("a periodic job never runs concurrently with itself, and stopping waits for it", async () => {
  let starts = 0;
  let ended = false;
  const leave = Promise.withResolvers<void>();
  const slow = async () => {
    starts += 1;
    await leave.promise;
    ended = true;
  };
  let otherRuns = 0;
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
  expect({ starts, ended }).toEqual({ starts: 1, ended: true });
});
