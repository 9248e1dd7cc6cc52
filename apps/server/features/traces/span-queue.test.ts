import { expect, test } from "bun:test";
import { until } from "../../../../tests/support/until.ts";
import type { SpanRecord } from "./span.ts";
import { SpanQueue } from "./span-queue.ts";
import { SpanSender } from "./span-sender.ts";

const span = { name: "a" } as SpanRecord;
const spans = (count: number) => Array.from({ length: count }, () => span);

test("spans are exported in batches, one at a time", async () => {
  const sizes: number[] = [];
  let running = 0;
  const queue = new SpanQueue(
    async (batch) => {
      running += 1;
      expect(running).toBe(1);
      sizes.push(batch.length);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    },
    () => {},
  );
  queue.add(spans(1_200));
  await until("all are exported", () => queue.counts.exported === 1_200);
  expect(sizes).toEqual([512, 512, 176]);
  expect(queue.counts.dropped).toBe(0);
  await queue.close();
});

test("a receiver that hangs fills the queue; the rest is dropped, and closing does not wait for it", async () => {
  const queue = new SpanQueue(
    () => new Promise(() => {}),
    () => {},
  );
  queue.add(spans(20_000));
  expect(queue.counts.dropped).toBe(20_000 - 8_192);
  await queue.close();
  queue.add(spans(1));
  expect(queue.counts.dropped).toBe(20_001 - 8_192);
});

test("spans that the receiver refuses are dropped and reported", async () => {
  const failures: number[] = [];
  const queue = new SpanQueue(
    async () => {
      throw new Error("401");
    },
    (count) => failures.push(count),
  );
  queue.add(spans(3));
  await queue.close();
  expect(queue.counts).toEqual({ exported: 0, dropped: 3 });
  expect(failures).toEqual([3]);
});

test("the validating thread keeps a bounded number of spans while the worker does not take them", async () => {
  const taken = Promise.withResolvers<void>();
  const sender = new SpanSender(() => taken.promise);
  for (const one of spans(5_000)) sender.keep(one);
  const flushed = sender.flush();
  for (const one of spans(5_000)) sender.keep(one);
  expect(sender.dropped).toBe(10_000 - 8_192);
  taken.reject(new Error("The worker has exited."));
  await flushed;
  expect(sender.dropped).toBe(10_000 - 8_192 + 5_000);
  await sender.flush();
});
