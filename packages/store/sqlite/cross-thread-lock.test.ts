import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { until } from "../../../tests/support/until.ts";
import type { ToLockWorker } from "../../../tests/support/workers/lock-worker.ts";
import { WriteLock } from "../threads/write-lock.ts";
import { yieldToEventLoop } from "../threads/yield-to-event-loop.ts";
import { MainSide } from "./cross-thread-lock.ts";

const times = 10_000;

describe("the write lock of two threads", () => {
  let main: MainSide;
  let lock: WriteLock;
  let worker: Worker;
  const numbers = new Int32Array(new SharedArrayBuffer(4));
  const startWorker = async () => {
    const shared = main.share();
    worker = new Worker(new URL("../../../tests/support/workers/lock-worker.ts", import.meta.url), {
      workerData: { shared, memory: numbers.buffer },
      transferList: [shared.port],
    });
    await received();
  };
  beforeEach(async () => {
    numbers[0] = 0;
    main = new MainSide();
    lock = new WriteLock(main);
    await startWorker();
  });
  afterEach(async () => {
    await worker.terminate();
  });
  const send = (message: ToLockWorker) => worker.postMessage(message);
  const received = async () => (await once(worker, "message"))[0];
  const sendAndReceive = (message: ToLockWorker) => {
    const answer = received();
    send(message);
    return answer;
  };
  const untilWorkerWaits = () =>
    until("the worker waits", () => new Int32Array(main.memory)[0] === workerWaits);

  test("the write lock loses no concurrent addition of either thread", async () => {
    const added = sendAndReceive({ add: times });
    for (let time = 0; time < times; time++) {
      if (lock.tryAcquire()) {
        numbers[0] = (numbers[0] ?? 0) + 1;
        lock.release();
      } else
        await lock.hold(async () => {
          const [found = 0] = numbers;
          await null;
          numbers[0] = found + 1;
        });
    }
    expect(await added).toBe("added");
    expect(numbers[0]).toBe(2 * times);
  });

  test("the write lock goes to the waiting thread before the other acquires it again", async () => {
    for (let round = 0; round < 5; round++) {
      expect(lock.tryAcquire()).toBe(true);
      const holding = sendAndReceive("hold");
      await untilWorkerWaits();
      lock.release();
      expect(lock.tryAcquire()).toBe(false);
      const here = lock.hold(async () => "here");
      expect(await holding).toBe("holding");
      // Both threads wait again, and it is this thread's turn.
      const again = sendAndReceive("hold");
      send("release");
      expect(await here).toBe("here");
      expect(await again).toBe("holding");
      send("release");
      await lock.hold(async () => undefined);
    }
  });

  test("the write lock does not starve a thread while the other acquires it continuously", async () => {
    let isOver = false;
    const added = sendAndReceive({ add: 100 }).then(() => {
      isOver = true;
    });
    while (!isOver) {
      for (let batch = 0; batch < 50; batch++) {
        if (lock.tryAcquire()) lock.release();
        else await lock.hold(async () => undefined);
      }
      await yieldToEventLoop();
    }
    await added;
    expect(numbers[0]).toBe(100);
  });

  test("the write lock is released when the work under it fails", async () => {
    expect(await sendAndReceive("fail")).toBe("failed");
    const failed = lock.hold(() => Promise.reject(new Error("no")));
    expect(await failed.catch(String)).toBe("Error: no");
    expect(await sendAndReceive("hold")).toBe("holding");
    send("release");
    await lock.hold(async () => undefined);
  });

  test("the write lock measures how long either thread held it, without the time spent waiting", async () => {
    expect(lock.tryAcquire()).toBe(true);
    const heldMs = 500;
    const added = sendAndReceive({ add: 1 });
    await untilWorkerWaits();
    Bun.sleepSync(heldMs);
    lock.release();
    await added;
    await lock.hold(async () => undefined);
    expect(lock.holds).toMatchObject({ count: 2, overLimit: 0 });
    expect(lock.holds.maxMs).toBeLessThan(heldMs);
  });

  test.each([
    ["holds it", async () => void (await sendAndReceive("hold"))],
    [
      "holds it while the other waits",
      async () => {
        await sendAndReceive("hold");
        void lock.hold(async () => undefined);
        await yieldToEventLoop();
      },
    ],
    [
      "waits for it",
      async () => {
        lock.tryAcquire();
        send("hold");
        await untilWorkerWaits();
        setImmediate(() => lock.release());
      },
    ],
  ])("the next worker acquires the write lock after a worker that %s exits", async (_name, bringAbout) => {
    await bringAbout();
    await worker.terminate();
    await lock.hold(async () => undefined);
    await startWorker();
    expect(await sendAndReceive("hold")).toBe("holding");
    send("release");
    await lock.hold(async () => undefined);
    expect(lock.tryAcquire()).toBe(true);
    lock.release();
  });
});

/** The main thread holds the lock, and the worker waits. */
const workerWaits = 2;
