import { expect, test } from "bun:test";
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
  expect(sent.at(-1)).toMatchObject({ kind: "response", body: null, isGenerated: false });
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
