import { expect, test } from "bun:test";
import type { WorkerMetricsText } from "../../management/messages.ts";
import { WorkerPart } from "./worker-part.ts";

test("the worker's metrics are passed on", async () => {
  const part = new WorkerPart(async () => ({ text: "a 1\n", spans: { exported: 5, dropped: 1 } }));
  expect(await part.text()).toBe("a 1\n");
  expect(part.hasAnswered).toBe(true);
  expect(part.spans).toEqual({ exported: 5, dropped: 1 });
});

test("a worker that hangs is asked once, and is missing until it answers", async () => {
  let questions = 0;
  let answer = Promise.withResolvers<WorkerMetricsText>();
  const part = new WorkerPart(() => {
    questions += 1;
    return answer.promise;
  }, 1);
  for (let scrape = 0; scrape < 5; scrape++) expect(await part.text()).toBe("");
  expect([questions, part.hasAnswered]).toEqual([1, false]);
  answer.resolve({ text: "late 1\n", spans: null });
  await answer.promise;
  answer = Promise.withResolvers();
  answer.resolve({ text: "again 1\n", spans: null });
  // The late answer is discarded, and the next scrape asks again.
  await new Promise((resolve) => setImmediate(resolve));
  expect(await part.text()).toBe("again 1\n");
  expect([questions, part.hasAnswered]).toEqual([2, true]);
});

test("a worker that has exited is missing, and is asked again at the next scrape", async () => {
  let isRunning = false;
  const part = new WorkerPart(async () => {
    if (!isRunning) throw new Error("The thread has exited.");
    return { text: "up 1\n", spans: null };
  });
  expect(await part.text()).toBe("");
  expect(part.hasAnswered).toBe(false);
  isRunning = true;
  expect(await part.text()).toBe("up 1\n");
});
