import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { Arrivals } from "./arrivals.ts";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly id: string;
  readonly atMs: number;
}

/** `hang` accepts the request and never responds. */
type Reply =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | "hang";

export type Receiver = Awaited<ReturnType<typeof openReceiver>>;

/** A webhook receiver on loopback that records its requests. */
export async function openReceiver(reply: (request: Received) => Reply = () => ({ status: 200 })) {
  const received = new Arrivals<Received>();
  const server = createServer(async (request, response) => {
    const { headers, url: path = "" } = request;
    const body = await new Response(request as never).text();
    const arrived = { path, headers, body, id: String(headers["webhook-id"]), atMs: Date.now() };
    received.add(arrived);
    const answer = receiver.reply(arrived);
    if (answer === "hang") return;
    response.writeHead(answer.status, answer.headers).end(answer.body ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver = {
    url: `http://127.0.0.1:${port}`,
    port,
    received: received.all,
    /** The first request like this, which may have arrived already. */
    arrival: (what: string, is: (request: Received) => boolean) => received.first(what, is),
    reply,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}
