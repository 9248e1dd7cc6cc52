import { expect, test } from "bun:test";
import { FileResponse } from "../http/response.ts";
import { FileSender } from "./file-sender.ts";

const pieceBytes = 64 * 1024;
const pieces = 20;
const content = new Uint8Array(new SharedArrayBuffer(pieces * pieceBytes)).map((_, at) => at % 251);
const file = () => new FileResponse(content, { status: 200, headers: { "content-type": "text/plain" } });
const party = (number: number) => ({ network: `192.0.2.${number}`, client: "browser" });
const present = () => new AbortController().signal;

/** As many files as one client can take at a time. */
async function open(sender: FileSender, count: number, signal = present()): Promise<Response[]> {
  const responses = await Promise.all(
    Array.from({ length: count }, () => sender.send(file(), party(1), signal)),
  );
  return responses.filter((response) => response !== null);
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

test("a file arrives whole, with its headers, and is never copied as a whole", async () => {
  const sender = new FileSender();
  const [response] = await open(sender, 1);
  expect(response?.headers.get("content-type")).toBe("text/plain");
  const taken: Uint8Array[] = [];
  for await (const piece of response?.body ?? []) taken.push(piece);
  expect(taken).toHaveLength(pieces);
  expect(Buffer.concat(taken).equals(content)).toBe(true);
  for (const piece of taken) expect(piece.buffer).toBe(content.buffer as never);
  expect(sender.use.inUse).toBe(0);
});

test("however many take files at a time, each turn of the event loop sends half a megabyte at most, in their order", async () => {
  const sender = new FileSender();
  const responses = await open(sender, 60);
  const counts = responses.map(() => 0);
  let sent = 0;
  const taking = responses.map(async ({ body }, number) => {
    for await (const _ of body ?? []) {
      sent += 1;
      counts[number] = (counts[number] ?? 0) + 1;
    }
  });
  let maxPerTurn = 0;
  let maxAhead = 0;
  while (sender.use.inUse > 0) {
    const before = sent;
    await turn();
    // What goes before this turn's own, and after it.
    maxPerTurn = Math.max(maxPerTurn, sent - before);
    maxAhead = Math.max(maxAhead, Math.max(...counts) - Math.min(...counts));
  }
  await Promise.all(taking);
  expect(sent).toBe(60 * pieces);
  expect(maxPerTurn).toBeLessThanOrEqual(16);
  // The first pieces are sent at once.
  expect(maxAhead).toBeLessThanOrEqual(9);
});

test("a file whose caller has left before it began, or stops taking it, makes room", async () => {
  const sender = new FileSender();
  const left = new AbortController();
  const [early] = await open(sender, 2, left.signal);
  await early?.body?.cancel();
  expect(sender.use.inUse).toBe(1);
  left.abort();
  expect(sender.use.inUse).toBe(0);
  await open(sender, 1, left.signal);
  expect(sender.use.inUse).toBe(0);
});

test("files that nobody reads keep no other client from getting one", async () => {
  let nowMs = 0;
  const sender = new FileSender(() => nowMs);
  expect(await open(sender, 64)).toHaveLength(64);
  let isRefused = false;
  const waiting = sender.send(file(), party(1), present()).then((response) => {
    isRefused = response === null;
  });
  const other = await sender.send(file(), party(2), present());
  expect((await other?.bytes())?.length).toBe(content.length);
  expect(sender.use).toEqual({ inUse: 64, limit: 512, refused: 0 });
  nowMs = 5_000;
  await waiting;
  expect(isRefused).toBe(true);
});

test("a file of which nothing is taken breaks off if another waits for its room, and never looks whole", async () => {
  let nowMs = 0;
  const sender = new FileSender(() => nowMs);
  const [first, ...others] = await open(sender, 64);
  const reader = first?.body?.getReader();
  await reader?.read();
  const next = sender.send(file(), party(1), present());
  nowMs = 4_000;
  expect((await (await next)?.bytes())?.length).toBe(content.length);
  expect(String(await reader?.read().catch(String))).toContain("not taken soon enough");
  for (const { body } of others) await body?.cancel();
  expect(sender.use.inUse).toBe(0);
});
