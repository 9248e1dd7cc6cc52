import { expect, test } from "bun:test";
import { StorageUnavailable } from "@countersign/store/errors/problem";
import { Readiness } from "./readiness.ts";

const full = new StorageUnavailable("full", { reason: "full" });

/** A readiness whose clock and probe results the test controls. */
function observing() {
  let nowMs = 0;
  let probe = Promise.withResolvers<void>();
  const seen = { probes: 0, neededSpace: false, changes: [] as boolean[] };
  const readiness = new Readiness({
    probe: (needsSpace) => {
      seen.probes += 1;
      seen.neededSpace = needsSpace;
      probe = Promise.withResolvers();
      return probe.promise;
    },
    changed: (isReady) => seen.changes.push(isReady),
    now: () => nowMs,
  });
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    readiness,
    seen,
    /** Whether it is ready this much later. */
    isReadyAfter: (ms: number) => {
      nowMs += ms;
      return readiness.isReady;
    },
    succeed: () => {
      probe.resolve();
      return settle();
    },
    fail: (error: unknown = new Error("no")) => {
      probe.reject(error);
      return settle();
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

test("readiness ends if a batch hits a full disk, but not if it hits a locked row, until there is space or a batch succeeds", async () => {
  const { readiness, seen, isReadyAfter, succeed, fail } = observing();
  await succeed();
  readiness.batchFailed(new StorageUnavailable("locked", { reason: "locked" }));
  expect(isReadyAfter(0)).toBe(true);
  readiness.batchFailed(full);
  for (let seconds = 0; seconds < 60; seconds += 2) {
    expect([isReadyAfter(2_000), seen.neededSpace]).toEqual([false, true]);
    await fail(full);
  }
  isReadyAfter(2_000);
  await succeed();
  expect(isReadyAfter(0)).toBe(true);
  readiness.batchFailed(full);
  readiness.batchDone();
  expect(isReadyAfter(0)).toBe(true);
  readiness.drain();
});
