import { expect, test } from "bun:test";
import { throttled } from "./throttle.ts";

test("steps grow while they are fast and the server is idle, and shrink while it serves requests", async () => {
  let calls = 0;
  const throttle = throttled(() => calls);
  for (let step = 0; step < 10; step++) await throttle.rest(10);
  expect(throttle.rowsAtOnce()).toBe(2_048);
  for (let step = 0; step < 10; step++) {
    calls += 1_000;
    await throttle.rest(20);
  }
  expect(throttle.rowsAtOnce()).toBe(64);
});

test("slow steps do not shrink on an idle server", async () => {
  const throttle = throttled(() => 0);
  for (let step = 0; step < 10; step++) await throttle.rest(400);
  expect(throttle.rowsAtOnce()).toBe(128);
});
