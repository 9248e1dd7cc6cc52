import { afterAll, beforeEach, expect, test } from "bun:test";
import type { CallingWorker, Creator } from "../../../tests/support/workers/calling-worker.ts";
import { WorkerThread } from "./worker-thread.ts";

const exits: string[] = [];
const stops: string[] = [];
let thread: WorkerThread<CallingWorker, Creator>;

beforeEach(async () => {
  await thread?.stop();
  exits.length = 0;
  stops.length = 0;
  const file = new URL("../../../tests/support/workers/calling-worker.ts", import.meta.url);
  thread = new WorkerThread<CallingWorker, Creator>({
    open: () => ({ file, data: null }),
    offers: { add: (number) => number + number, stopped: (by) => void stops.push(by) },
    exited: (reason) => exits.push(reason),
  });
});
afterAll(() => thread.stop());

test("a request before the start is answered once the thread has started", async () =>
  expect(await thread.calls?.request("double", 21)).toBe(42));

test("a request that fails rejects with the reason, and the thread continues", async () => {
  await expect(thread.calls?.request("fail", "Not today.")).rejects.toThrow("Not today.");
  expect(await thread.calls?.request("double", 2)).toBe(4);
});

test("a request rejects if the thread exits, which is reported once and starts it again", async () => {
  await thread.started;
  await expect(thread.calls?.request("exit", undefined)).rejects.toThrow("The thread has exited.");
  expect(exits).toHaveLength(1);
  expect(thread.calls).toBeNull();
  await thread.started;
  expect(await thread.calls?.request("double", 3)).toBe(6);
});

test("stopping asks the thread first, and its exit is not reported", async () => {
  await thread.started;
  await thread.stop();
  expect(stops).toEqual(["request"]);
  expect(exits).toEqual([]);
});
