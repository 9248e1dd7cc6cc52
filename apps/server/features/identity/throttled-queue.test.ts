import { expect, test } from "bun:test";
import { ThrottledQueue } from "./throttled-queue.ts";

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

test("tasks run one at a time, in the order in which they were added", async () => {
  const queue = new ThrottledQueue(10, 2);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} begins`);
    await wait(2);
    order.push(`${name} ends`);
    return name;
  };
  expect(await Promise.all(["a", "b", "c"].map((name) => queue.add(work(name), false)))).toEqual([
    "a",
    "b",
    "c",
  ]);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});

test("while tasks wait, the queue pauses after each for as long as it took", async () => {
  const queue = new ThrottledQueue(10, 2);
  const startedMs = performance.now();
  await Promise.all([1, 2, 3].map(() => queue.add(() => wait(30), false)));
  expect(performance.now() - startedMs).toBeGreaterThan(5 * 30 - 10);
});

test("when the queue is full, the next task is rejected immediately", async () => {
  const queue = new ThrottledQueue(2, 2);
  const taken = [1, 2, 3].map(() => queue.add(() => wait(5), false));
  expect(taken.every((task) => task !== null)).toBe(true);
  expect(queue.add(() => wait(5), false)).toBeNull();
  await Promise.all(taken);
  expect(queue.add(() => wait(1), false)).not.toBeNull();
});

test("a failed task does not stop the next ones", async () => {
  const queue = new ThrottledQueue(2, 2);
  const failing = queue.add(() => Promise.reject(new Error("no")), false);
  const next = queue.add(async () => "yes", false);
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("yes");
});

test("tasks of known users go first, also when the queue of the others is full", async () => {
  const queue = new ThrottledQueue(2, 2);
  const order: string[] = [];
  const work = (name: string) => async () => {
    await wait(2);
    order.push(name);
  };
  const all = ["a", "b", "c"].map((name) => queue.add(work(name), false));
  expect([queue.isFull(false), queue.isFull(true)]).toEqual([true, false]);
  all.push(queue.add(work("known"), true), queue.add(work("known too"), true));
  expect(queue.add(work("one too many"), true)).toBeNull();
  await Promise.all(all);
  expect(order).toEqual(["a", "known", "known too", "b", "c"]);
});
