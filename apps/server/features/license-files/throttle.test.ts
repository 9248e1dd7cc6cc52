import { expect, test } from "bun:test";
import { throttled } from "./throttle.ts";

test("steps grow while they are fast and the server is idle, and shrink while it serves requests", async () => {
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

test("slow steps do not shrink on an idle server", async () => {
  const pace = throttled(() => 0);
  for (let step = 0; step < 10; step++) await pace.rest(400);
  expect(pace.rowsAtOnce()).toBe(128);
});
