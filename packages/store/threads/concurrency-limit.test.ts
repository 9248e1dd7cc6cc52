import { expect, test } from "bun:test";
import { ConcurrencyLimit } from "./concurrency-limit.ts";

test("no more tasks run at a time than the limit, in order of arrival", async () => {
  const limit = new ConcurrencyLimit(2);
  const began: number[] = [];
  let running = 0;
  let most = 0;
  const tasks = [0, 1, 2, 3, 4].map((task) =>
    limit.run(async () => {
      began.push(task);
      running += 1;
      most = Math.max(most, running);
      await Bun.sleep(2);
      running -= 1;
      return task;
    }),
  );
  expect(await Promise.all(tasks)).toEqual([0, 1, 2, 3, 4]);
  expect(began).toEqual([0, 1, 2, 3, 4]);
  expect(most).toBe(2);
});

test("a task that fails admits the next one", async () => {
  const limit = new ConcurrencyLimit(1);
  const failing = limit.run(() => Promise.reject(new Error("no")));
  const next = limit.run(async () => "yes");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});

test("a task that is not admitted by its deadline leaves the queue", async () => {
  const limit = new ConcurrencyLimit(1);
  expect(await limit.acquire()).toBe(true);
  expect(limit.tryAcquire()).toBe(false);
  expect(await limit.acquire(performance.now() + 5)).toBe(false);
  const last = limit.acquire();
  limit.release();
  expect(await last).toBe(true);
  limit.release();
  expect(limit.tryAcquire()).toBe(true);
});
