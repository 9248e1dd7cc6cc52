import { expect, test } from "bun:test";
import { Chores } from "./chores.ts";

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

test("a chore that fails is told of and done again in its time", async () => {
  const told: unknown[] = [];
  let runs = 0;
  const done = Promise.withResolvers<void>();
  const chores = new Chores(
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
    { ...quiet, warn: (_: string, details: unknown) => void told.push(details) },
  );
  await done.promise;
  await chores.stop();
  expect(told[0]).toEqual({ chore: "failing", reason: "no" });
});

test("a chore is never done beside itself, and stopping waits for it", async () => {
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
  const chores = new Chores([{ name: "slow", everyMs: 1, run }], quiet);
  await entered.promise;
  const stopped = chores.stop();
  leave.resolve();
  await stopped;
  expect({ most, ended }).toEqual({ most: 1, ended: true });
});
