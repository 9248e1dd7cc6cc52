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
  let inside = 0;
  let most = 0;
  let ended = false;
  const entered = Promise.withResolvers<void>();
  const leave = Promise.withResolvers<void>();
  const run = async () => {
    inside += 1;
    most = Math.max(most, inside);
    entered.resolve();
    await leave.promise;
    inside -= 1;
    ended = true;
  };
  const periodicJobs = new PeriodicJobs([{ name: "slow", everyMs: 1, run }], quiet, new JobRuns("test"));
  await entered.promise;
  const stopped = periodicJobs.stop();
  leave.resolve();
  await stopped;
  expect({ most, ended }).toEqual({ most: 1, ended: true });
});
