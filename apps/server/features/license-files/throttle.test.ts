import { expect, test } from "bun:test";
import { throttled } from "./throttle.ts";

test("steps get larger while they are quick and nobody is served, and smaller for those who are", async () => {
  let calls = 0;
  const pace = throttled(() => calls);
  for (let step = 0; step < 10; step++) await pace.rest(10);
  expect(pace.rowsAtOnce()).toBe(2_048);
  for (let step = 0; step < 10; step++) {
    calls += 1_000;
    await pace.rest(20);
  }
  expect(pace.rowsAtOnce()).toBe(64);
});

test("where every step takes long and nobody is served, steps do not get small", async () => {
  const pace = throttled(() => 0);
  for (let step = 0; step < 10; step++) await pace.rest(400);
  expect(pace.rowsAtOnce()).toBe(128);
});
