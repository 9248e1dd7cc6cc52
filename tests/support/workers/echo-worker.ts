import { runWorker, type ThreadCalls } from "../../../apps/server/base/worker-thread.ts";
import { FileResponse, StreamedResponse } from "../../../apps/server/http/response.ts";
import { whileWaiting } from "../../../apps/server/limits/waiting.ts";
import type { MainThreadCalls, WorkerCalls } from "../../../apps/server/threads/messages.ts";
import { RequestReceiver } from "../../../apps/server/threads/request-receiver.ts";

/** A file, in memory that the threads share. */
const file = new Uint8Array(new SharedArrayBuffer(12_000_000)).fill(66);
let given = 0;
let left = 0;

/** Pieces of 64 KiB, each when it is asked for. */
function endless(): Response {
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        given += 1;
        controller.enqueue(new Uint8Array(64 * 1024));
      },
      cancel: () => {
        left += 1;
      },
    },
    { highWaterMark: 0 },
  );
  return new StreamedResponse(stream, {});
}

/** Replaces the management worker: echoes requests, and misbehaves on request. */
async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/block") {
    const endMs = performance.now() + 1_500;
    while (performance.now() < endMs);
    return new Response("blocked");
  }
  if (pathname === "/end") {
    setTimeout(() => process.exit(1));
    return new Promise<Response>(() => {});
  }
  if (pathname === "/refuse")
    return new Response("too large", { status: 413, headers: { connection: "close" } });
  if (pathname === "/packed")
    return new Response(Bun.gzipSync("small"), {
      headers: [
        ["content-encoding", "gzip"],
        ["set-cookie", "a=1"],
        ["set-cookie", "b=2"],
      ],
    });
  if (pathname === "/large") return new Response(new Uint8Array(3_000_000).fill(65));
  if (pathname === "/larger") return new Response(new Uint8Array(12_000_000));
  if (pathname === "/file") return new FileResponse(file, { headers: { etag: '"b"' } });
  if (pathname === "/endless") return endless();
  if (pathname === "/given") return Response.json({ given, left });
  if (pathname === "/wait") {
    const seconds = 30;
    await whileWaiting(request, seconds, () => new Promise((resolve) => setTimeout(resolve, 1_000)));
    return new Response("waited");
  }
  if (pathname === "/unread") return new Response("not needed", { status: 201 });
  return Response.json({
    url: request.url,
    method: request.method,
    headers: Object.fromEntries(request.headers),
    length: (await request.arrayBuffer()).byteLength,
  });
}

await runWorker(async (_settings: unknown, creator: ThreadCalls<MainThreadCalls>): Promise<WorkerCalls> => {
  const requests = new RequestReceiver((message) => creator.notify("exchange", message), answer);
  return {
    exchange: (message) => requests.receive(message),
    drain: () => {},
    metrics: () => ({ text: "", spans: null, budgets: {} }),
    exportSpans: () => {},
    stop: async () => requests.cut(),
  };
});
