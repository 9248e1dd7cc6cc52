import { expect, test } from "bun:test";
import { StorageUnavailable } from "@countersign/store/problem";
import { Readiness } from "./readiness.ts";

const full = new StorageUnavailable("full", { reason: "full" });

/** A readiness whose clock and probe results the test controls. */
function observing() {
  let nowMs = 0;
  let running: PromiseWithResolvers<void> | null = null;
  const seen = { probes: 0, neededSpace: false, changes: [] as boolean[] };
  const readiness = new Readiness({
    probe: (needsSpace) => {
      seen.probes += 1;
      seen.neededSpace = needsSpace;
      running = Promise.withResolvers();
      return running.promise;
    },
    changed: (isReady) => seen.changes.push(isReady),
    now: () => nowMs,
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    readiness,
    seen,
    /** Whether it is ready this much later. */
    isReadyAfter: (ms: number) => {
      nowMs += ms;
      return readiness.isReady;
    },
    succeed: async () => {
      running?.resolve();
      await settled();
    },
    fail: async (error: unknown = new Error("no")) => {
      running?.reject(error);
      await settled();
    },
  };
}

test("a server is ready from the first successful probe until it drains", async () => {
  const { readiness, isReadyAfter, succeed } = observing();
  expect(isReadyAfter(0)).toBe(false);
  await succeed();
  expect(isReadyAfter(0)).toBe(true);
  readiness.drain();
  expect(isReadyAfter(0)).toBe(false);
});

test("a thousand requests cause one probe at a time, and at most one a second", async () => {
  const { readiness, seen, isReadyAfter, succeed } = observing();
  for (let asked = 0; asked < 1_000; asked++) isReadyAfter(0);
  isReadyAfter(5_000);
  expect(seen.probes).toBe(1);
  await succeed();
  for (let asked = 0; asked < 1_000; asked++) isReadyAfter(0);
  expect(seen.probes).toBe(2);
  await succeed();
  isReadyAfter(900);
  expect(seen.probes).toBe(2);
  readiness.drain();
});

test("readiness ends with a failed probe and returns with a successful one, each reported once", async () => {
  const { readiness, seen, isReadyAfter, succeed, fail } = observing();
  await succeed();
  for (const end of [fail, fail, succeed, succeed]) {
    isReadyAfter(1_001);
    await end();
  }
  expect(seen.changes).toEqual([false, true]);
  readiness.drain();
});

test("a successful batch outweighs a probe that could not connect", async () => {
  const { readiness, isReadyAfter, succeed, fail } = observing();
  await succeed();
  isReadyAfter(1_001);
  await fail();
  readiness.batchDone();
  expect(isReadyAfter(0)).toBe(true);
  expect(isReadyAfter(2_001)).toBe(false);
  readiness.drain();
});

test("readiness ends if a batch hits a full disk, but not if it hits a locked row", async () => {
  const { readiness, seen, isReadyAfter, succeed } = observing();
  await succeed();
  readiness.batchFailed(new StorageUnavailable("locked", { reason: "locked" }));
  expect(isReadyAfter(0)).toBe(true);
  readiness.batchFailed(full);
  expect([isReadyAfter(0), isReadyAfter(4_000), seen.neededSpace]).toEqual([false, false, true]);
  await succeed();
  expect([isReadyAfter(0), isReadyAfter(1_001)]).toEqual([false, true]);
  readiness.batchFailed(full);
  readiness.batchDone();
  expect(isReadyAfter(0)).toBe(true);
  readiness.drain();
});

test("after a full disk, readiness returns once a probe has shown that there is space", async () => {
  const { readiness, isReadyAfter, succeed, fail } = observing();
  await succeed();
  readiness.batchFailed(full);
  for (let seconds = 0; seconds < 60; seconds += 2) {
    expect(isReadyAfter(2_000)).toBe(false);
    await fail(full);
  }
  isReadyAfter(2_000);
  await succeed();
  expect(isReadyAfter(0)).toBe(true);
  readiness.drain();
});
