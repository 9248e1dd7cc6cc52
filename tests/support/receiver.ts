import { createServer, type IncomingHttpHeaders } from "node:http";
import { Arrivals } from "./arrivals.ts";

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly id: string;
  readonly atMs: number;
}

/** `hang` accepts the request and never responds. */
export type Reply =
  | { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }
  | "hang";

/** A webhook receiver on loopback that records its requests. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  /** The first request like this, which may have arrived already. */
  arrival(what: string, is: (request: Received) => boolean): Promise<Received>;
  reply: (request: Received) => Reply;
  close(): Promise<void>;
}

export async function openReceiver(reply: Receiver["reply"] = () => ({ status: 200 })): Promise<Receiver> {
  const received = new Arrivals<Received>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { headers } = request;
      const arrived = {
        path: request.url ?? "",
        headers,
        body: Buffer.concat(chunks).toString(),
        id: String(headers["webhook-id"]),
        atMs: Date.now(),
      };
      received.add(arrived);
      const answer = receiver.reply(arrived);
      if (answer === "hang") return;
      response.writeHead(answer.status, answer.headers).end(answer.body ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    port,
    received: received.all,
    arrival: (what, is) => received.first(what, is),
    reply,
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}
