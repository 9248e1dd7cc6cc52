import { describe, expect, test } from "bun:test";
import { StorageUnavailable } from "@countersign/store/problem";
import { Readiness } from "./readiness.ts";

/** A readiness whose clock and probe results the test controls. */
function observing() {
  let nowMs = 0;
  let running: PromiseWithResolvers<void> | null = null;
  let probes = 0;
  let neededSpace = false;
  const changes: boolean[] = [];
  const readiness = new Readiness({
    probe: (needsSpace) => {
      probes += 1;
      neededSpace = needsSpace;
      running = Promise.withResolvers();
      return running.promise;
    },
    changed: (isReady) => changes.push(isReady),
    now: () => nowMs,
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
  return {
    readiness,
    changes,
    probes: () => probes,
    neededSpace: () => neededSpace,
    pass: (ms: number) => {
      nowMs += ms;
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

describe("readiness", () => {
  test("starts with the first successful probe", async () => {
    const { readiness, succeed } = observing();
    expect(readiness.isReady).toBe(false);
    await succeed();
    expect(readiness.isReady).toBe(true);
    readiness.drain();
    expect(readiness.isReady).toBe(false);
  });

  test("a thousand requests cause one probe at a time, and at most one a second", async () => {
    const { readiness, succeed, probes, pass } = observing();
    for (let asked = 0; asked < 1_000; asked++) readiness.isReady;
    expect(probes()).toBe(1);
    pass(5_000);
    readiness.isReady;
    expect(probes()).toBe(1);
    await succeed();
    for (let asked = 0; asked < 1_000; asked++) readiness.isReady;
    expect(probes()).toBe(2);
    await succeed();
    pass(900);
    readiness.isReady;
    expect(probes()).toBe(2);
    readiness.drain();
  });

  test("ends with a failed probe and returns with a successful one, each reported once", async () => {
    const { readiness, succeed, fail, pass, changes } = observing();
    await succeed();
    for (const end of [fail, fail, succeed, succeed]) {
      pass(1_001);
      readiness.isReady;
      await end();
    }
    expect(changes).toEqual([false, true]);
    readiness.drain();
  });

  test("a successful batch outweighs a probe that could not connect", async () => {
    const { readiness, succeed, fail, pass } = observing();
    await succeed();
    pass(1_001);
    readiness.isReady;
    await fail();
    readiness.batchDone();
    expect(readiness.isReady).toBe(true);
    pass(2_001);
    expect(readiness.isReady).toBe(false);
    readiness.drain();
  });

  test("ends if a batch hits a full disk, but not if it hits a locked row", async () => {
    const { readiness, succeed, pass, neededSpace } = observing();
    await succeed();
    readiness.batchFailed(new StorageUnavailable("locked", { reason: "locked" }));
    expect(readiness.isReady).toBe(true);
    readiness.batchFailed(new StorageUnavailable("full", { reason: "full" }));
    expect(readiness.isReady).toBe(false);
    pass(4_000);
    expect(readiness.isReady).toBe(false);
    expect(neededSpace()).toBe(true);
    await succeed();
    expect(readiness.isReady).toBe(false);
    pass(1_001);
    expect(readiness.isReady).toBe(true);
    readiness.batchFailed(new StorageUnavailable("full", { reason: "full" }));
    readiness.batchDone();
    expect(readiness.isReady).toBe(true);
    readiness.drain();
  });

  test("after a full disk, returns once a probe has shown that there is space", async () => {
    const { readiness, succeed, fail, pass } = observing();
    await succeed();
    readiness.batchFailed(new StorageUnavailable("full", { reason: "full" }));
    for (let seconds = 0; seconds < 60; seconds += 2) {
      pass(2_000);
      expect(readiness.isReady).toBe(false);
      await fail(new StorageUnavailable("full", { reason: "full" }));
    }
    pass(2_000);
    readiness.isReady;
    await succeed();
    expect(readiness.isReady).toBe(true);
    readiness.drain();
  });
});
