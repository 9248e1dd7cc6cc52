import { expect, test } from "bun:test";
import { repeatUntilZero } from "./batches.ts";

test("all rows that are due are removed, however many steps that takes, with a rest after each", async () => {
  let left = 17_500;
  let rests = 0;
  const step = async () => {
    const removed = Math.min(left, 5_000);
    left -= removed;
    return removed;
  };
  await repeatUntilZero(
    step,
    async () => {
      rests++;
    },
    () => false,
  );
  expect({ left, rests }).toEqual({ left: 0, rests: 4 });
});

test("a server that stops does not wait until all rows are removed", async () => {
  let steps = 0;
  await repeatUntilZero(
    async () => ++steps,
    async () => {},
    () => steps >= 2,
  );
  expect(steps).toBe(2);
});
