import { expect, test } from "bun:test";
import { FileResponse } from "../http/response.ts";
import type { FromWorker } from "./messages.ts";
import { RequestReceiver } from "./request-receiver.ts";

/** A receiver whose other thread is this test. */
function openReceiver(answer: () => Response) {
  const sent: FromWorker[] = [];
  const receiver = new RequestReceiver((message) => void sent.push(message), answer);
  let id = 0;
  const ask = async (method = "GET") => {
    id += 1;
    receiver.receive({ kind: "request", id, method, target: "/", headers: [], hasBody: false });
    while (!sent.some((message) => message.kind.endsWith("response") && "id" in message && message.id === id))
      await new Promise((resolve) => setImmediate(resolve));
  };
  return { receiver, sent, ask };
}

test("each piece of a large response is sent without the rest of it", async () => {
  const { receiver, sent, ask } = openReceiver(() => new Response(new Uint8Array(1_000_000)));
  await ask();
  expect(sent.at(-1)).toMatchObject({ kind: "response", body: null, isHeld: true });
  for (let read = 0; read < 16; read++) {
    receiver.receive({ kind: "read", id: 1 });
    await new Promise((resolve) => setImmediate(resolve));
  }
  const pieces = sent.flatMap((message) => (message.kind === "piece" ? [message.piece] : []));
  expect(pieces).toHaveLength(16);
  // A message with a part of a buffer takes all of the buffer with it.
  for (const piece of pieces) expect(piece?.buffer.byteLength).toBe(piece?.byteLength);
  expect(pieces.reduce((sum, piece) => sum + (piece?.byteLength ?? 0), 0)).toBe(1_000_000);
});

test("a large file is sent to the other thread once, and every response only names it", async () => {
  const contents = [200_000, 300_000].map((bytes) => new Uint8Array(new SharedArrayBuffer(bytes)));
  let next = 0;
  const { sent, ask } = openReceiver(() => {
    next += 1;
    return new FileResponse(contents[next % 2] ?? new Uint8Array(), { headers: { etag: String(next % 2) } });
  });
  for (let time = 0; time < 6; time++) await ask();
  const files = sent.flatMap((message) => (message.kind === "file" ? [message] : []));
  expect(files.map(({ bytes }) => bytes)).toEqual([contents[1], contents[0]] as never);
  const named = sent.flatMap((message) => (message.kind === "file_response" ? [message] : []));
  expect(named.map(({ file }) => file)).toEqual([1, 2, 1, 2, 1, 2]);
  expect(named[0]?.headers).toContainEqual(["etag", "1"]);
});

test("a small file is sent whole, and nothing but the length of one to HEAD", async () => {
  const small = new Uint8Array(new SharedArrayBuffer(1_000)).fill(1);
  const { sent, ask } = openReceiver(() => new FileResponse(small, { status: 200 }));
  await ask();
  expect(sent).toMatchObject([{ kind: "response", body: small }]);
  await ask("HEAD");
  expect(sent[1]).toMatchObject({ body: new Uint8Array(), headers: [["content-length", "1000"]] });
});
