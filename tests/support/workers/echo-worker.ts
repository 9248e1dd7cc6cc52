import { workerData } from "node:worker_threads";
import type { WorkerCalls } from "../../../apps/server/management/messages.ts";
import { runWorker } from "../../../apps/server/worker-thread.ts";

/** Replaces the management worker: echoes requests, and misbehaves on request. */
const server = Bun.serve({
  unix: workerData.socket,
  development: false,
  routes: {
    "/block": () => {
      const endMs = performance.now() + 1_500;
      while (performance.now() < endMs);
      return new Response("blocked");
    },
    "/end": () => {
      setTimeout(() => process.exit(1));
      return new Promise<Response>(() => {});
    },
    "/refuse": () => new Response("too large", { status: 413, headers: { connection: "close" } }),
    "/packed": () =>
      new Response(Bun.gzipSync("small"), {
        headers: [
          ["content-encoding", "gzip"],
          ["set-cookie", "a=1"],
          ["set-cookie", "b=2"],
        ],
      }),
  },
  fetch: async (request) =>
    Response.json({
      url: request.url,
      method: request.method,
      headers: Object.fromEntries(request.headers),
      length: (await request.arrayBuffer()).byteLength,
    }),
});

await runWorker(
  async (): Promise<WorkerCalls> => ({
    drain: () => {},
    metrics: () => ({ text: "", spans: null }),
    exportSpans: () => {},
    stop: () => server.stop(true),
  }),
);
