import { expect, test } from "bun:test";
import type { RequestEvent } from "./live.ts";
import { EventStream } from "./stream.ts";

const event = (number: number): RequestEvent => ({ at: number, id: `id${number}`, json: `{"n":${number}}` });
const events = (from: number, count: number) => Array.from({ length: count }, (_, at) => event(from + at));

/** A client that reads one part at a time. */
function clientOf(stream: EventStream): () => Promise<string | undefined> {
  const reader = stream.body.getReader();
  return async () => {
    const { value } = await reader.read();
    return value && new TextDecoder().decode(value);
  };
}

test("events are sent with the time and ID to continue from, each request once", async () => {
  const stream = new EventStream();
  const read = clientOf(stream);
  expect(await read()).toBe("retry: 2000\n\n");
  stream.send(events(1, 2), 0);
  stream.send(events(2, 2), 0);
  const first = 'event: request\nid: 1-id1\ndata: {"n":1}\n\nevent: request\nid: 2-id2\ndata: {"n":2}\n\n';
  expect(await read()).toBe(first);
  expect(await read()).toBe('event: request\nid: 3-id3\ndata: {"n":3}\n\n');
  stream.beat();
  expect(await read()).toBe(":\n\n");
});

test("a client that does not read gets what fits, and the number of the others", async () => {
  const stream = new EventStream();
  const read = clientOf(stream);
  await read();
  stream.send(events(0, 1), 0);
  for (let start = 1; start < 2_000; start += 100) stream.send(events(start, 100), 3);
  await read();
  const waiting = (await read()) ?? "";
  expect(waiting.match(/event: request/g)).toHaveLength(500);
  expect(waiting).toContain("id: 500-id500\n");
  expect(waiting).toEndWith('event: skipped\ndata: {"count":1560}\n\n');
  stream.send([], null);
  expect(await read()).toBe('event: skipped\ndata: {"count":null}\n\n');
});

test("an ended stream is complete, says so once, and sends nothing more", async () => {
  const stream = new EventStream();
  let ended = 0;
  const count = () => {
    ended += 1;
  };
  stream.onceEnded(count);
  const read = clientOf(stream);
  await read();
  stream.end();
  stream.send(events(1, 1), 0);
  stream.beat();
  stream.end();
  expect([await read(), ended]).toEqual([undefined, 1]);

  const left = new EventStream();
  await left.body.cancel();
  left.end();
  left.onceEnded(count);
  expect(ended).toBe(2);
});
