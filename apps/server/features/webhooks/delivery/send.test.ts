import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { noAllowedTargets, parseAllowedTargets } from "@countersign/domain/webhooks/targets";
import { selfSigned } from "../../../../../tests/support/certificate.ts";
import { listed } from "../../../../../tests/support/listed.ts";
import { openReceiver, type Receiver } from "../../../../../tests/support/receiver.ts";
import { cachingResolver, systemResolver } from "./addresses.ts";
import { ConnectionCache, type SendOptions, send } from "./send.ts";

const closings: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closings.splice(0)) await close();
});

const allowedTargets = (list: string) => {
  const targets = parseAllowedTargets(list);
  return targets.ok ? targets.allowed : noAllowedTargets;
};
const loopback = allowedTargets("127.0.0.1");
const resolve = async () => ["127.0.0.1"];
const to = (
  url: string,
  options: Partial<SendOptions> = {},
  headers: Record<string, string> = {},
  { signal } = new AbortController(),
) => {
  const usual = { allowed: loopback, resolve: systemResolver, timeoutMs: 5_000 };
  return send({ url, headers, body: '{"a":1}' }, { ...usual, ...options }, signal);
};
const failureOf = async (url: string, options: Partial<SendOptions> = {}) => {
  const { status, failure } = await to(url, options);
  expect(status).toBeNull();
  return failure;
};

/** Closes the server and its connections after the test. Returns its port. */
async function portOf(server: Server, host = "127.0.0.1"): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((done) => server.listen(0, host, done));
  closings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe("requests", () => {
  let receiver: Receiver;
  beforeEach(async () => {
    receiver = await openReceiver();
    closings.push(() => receiver.close());
  });

  test("a request arrives with its path, headers, body and host name", async () => {
    const host = `hooks.example:${receiver.port}`;
    expect((await to(`http://${host}/in?x=1`, { resolve }, { "x-own": "y" })).status).toBe(200);
    const headers = { "x-own": "y", host, "content-length": "7" };
    expect(receiver.received[0]).toMatchObject({ path: "/in?x=1", body: '{"a":1}', headers });
  });

  test("a request returns the status and the first 4 KB of the response, as text that every database can store", async () => {
    receiver.reply = () => ({ status: 503, body: `\0${"é".repeat(10_000)}` });
    const { status, body, failure } = await to(receiver.url);
    expect({ status, failure }).toEqual({ status: 503, failure: null });
    expect(Buffer.byteLength(body ?? "")).toBeLessThanOrEqual(4_096 + 4);
    expect(body).toStartWith("\ufffdé");
  });

  test("a request follows no redirect", async () => {
    receiver.reply = ({ path }) =>
      path === "/" ? { status: 307, headers: { location: `${receiver.url}/secret` } } : { status: 200 };
    expect((await to(receiver.url)).status).toBe(307);
    expect(receiver.received.map((request) => request.path)).toEqual(["/"]);
  });

  test("a request times out if there is no response, or if the name cannot be resolved in time", async () => {
    receiver.reply = () => "hang";
    const late = { code: "webhook_timed_out", params: { count: 0.2 } } as const;
    expect(await failureOf(receiver.url, { timeoutMs: 200 })).toEqual(late);
    const slow = { resolve: () => new Promise<string[]>(() => {}), timeoutMs: 200 };
    expect(await failureOf("http://slow.example/", slow)).toEqual(late);
  });

  test("a request uses the next IP address if the first does not accept connections", async () => {
    const both = { allowed: allowedTargets("127.0.0.0/8"), resolve: async () => ["127.0.0.2", "127.0.0.1"] };
    expect((await to(`http://two.example:${receiver.port}/`, both)).status).toBe(200);
  });

  test("a request is aborted when the server stops", async () => {
    receiver.reply = () => "hang";
    const stopping = new AbortController();
    const sending = to(receiver.url, { timeoutMs: 60_000 }, {}, stopping);
    await receiver.arrival("it has arrived", () => true);
    stopping.abort();
    await expect(sending).rejects.toThrow();
  });

  test("a request reports why a connection failed", async () => {
    expect((await failureOf("http://127.0.0.1:1/"))?.code).toBe("webhook_connection_refused");
    const failing = { resolve: () => Promise.reject(new Error("ENOTFOUND")) };
    expect((await failureOf("http://x.example/", failing))?.code).toBe("webhook_host_unknown");
  });
});

describe("TLS", () => {
  const { cert, key } = selfSigned("hooks.example.test");
  const allowed = allowedTargets("hooks.example.test, other.example.test, 127.0.0.1");
  const trusting = { allowed, resolve, ca: cert };
  const arrived: { host: string | undefined; name: string | false | null }[] = [];
  let port = 0;
  beforeEach(async () => {
    arrived.length = 0;
    const server = createSecureServer({ cert, key }, (request, response) => {
      const { servername } = request.socket as TLSSocket & { servername: string | false | null };
      arrived.push({ host: request.headers.host, name: servername });
      request.resume().on("end", () => response.end());
    });
    port = await portOf(server);
  });

  test("a certificate is checked for the name, and the connection goes to the checked IP address", async () => {
    const lookups: string[] = [];
    const recording = async (name: string) => {
      lookups.push(name);
      return ["127.0.0.1"];
    };
    const { status } = await to(`https://hooks.example.test:${port}/`, { ...trusting, resolve: recording });
    expect([status, lookups]).toEqual([200, ["hooks.example.test"]]);
    expect(arrived).toEqual([{ host: `hooks.example.test:${port}`, name: "hooks.example.test" }]);
  });

  const [failed, notPublic] = ["webhook_request_failed", "webhook_host_not_public"] as const;
  test.each<[what: string, host: string, options: Partial<SendOptions>, code: string, reason: string]>([
    ["with a certificate for another name", "other.example.test", trusting, failed, "other.example.test"],
    ["by its IP address, with a certificate for its name", "127.0.0.1", trusting, failed, ""],
    ["with an untrusted certificate", "hooks.example.test", { allowed, resolve }, failed, "self signed"],
    ["that is private", "hooks.example.test", { ...trusting, allowed: noAllowedTargets }, notPublic, ""],
  ])("a receiver %s gets nothing", async (_, host, options, code, reason) => {
    const failure = await failureOf(`https://${host}:${port}/`, options);
    expect<string | undefined>(failure?.code).toBe(code);
    expect(String(failure?.params.reason)).toContain(reason);
    expect(arrived).toEqual([]);
  });

  test("a connection is not reused for another name at the same IP address", async () => {
    const connections = new ConnectionCache();
    closings.push(() => connections.close());
    const options = { ...trusting, connections };
    expect((await to(`https://hooks.example.test:${port}/`, options)).status).toBe(200);
    const failure = await failureOf(`https://other.example.test:${port}/`, options);
    expect(failure?.params.reason).toContain("other.example.test");
    expect(arrived).toHaveLength(1);
  });
});

describe("servers on this machine", () => {
  let port = 0;
  let touched = 0;
  beforeEach(async () => {
    touched = 0;
    const canary = createServer((socket) => {
      touched += 1;
      socket.destroy();
    });
    port = await portOf(canary, "::");
  });
  const options = { allowed: noAllowedTargets, timeoutMs: 500 };

  test("a server on this machine is reached if it is allowed", async () => {
    await to(`http://127.0.0.1:${port}/`);
    expect(touched).toBe(1);
  });

  // Which addresses are private: packages/domain/webhooks/targets.test.ts.
  test.each(
    listed(
      "127.0.0.1 127.1 2130706433 0x7f000001 0 [::1] [::ffff:7f00:1] %31%32%37.0.0.1 user@127.0.0.1 LOCALHOST.",
    ),
  )("a server on this machine is not reached at %s", async (host) => {
    await failureOf(`http://${host}:${port}/`, options);
    expect(touched).toBe(0);
  });

  // One public address does not make the others acceptable.
  test.each(["127.0.0.1", "::1", "93.184.216.34 127.0.0.1", "127.0.0.1 93.184.216.34"])(
    "a server on this machine is not reached by a name that resolves to %s",
    async (addresses) => {
      const resolving = { ...options, resolve: async () => listed(addresses) };
      const failure = await failureOf(`http://innocent.example:${port}/`, resolving);
      expect([failure?.code, touched]).toEqual(["webhook_host_not_public", 0]);
    },
  );

  test("a server on this machine is not reached by a name that resolves differently the second time", async () => {
    let lookups = 0;
    await failureOf(`http://rebinding.example:${port}/`, {
      allowed: allowedTargets("192.0.2.1"),
      timeoutMs: 500,
      resolve: async () => (++lookups === 1 ? ["192.0.2.1"] : ["127.0.0.1"]),
    });
    expect({ lookups, touched }).toEqual({ lookups: 1, touched: 0 });
  });
});

describe("kept connections", () => {
  const keptFor = (ms?: number) => {
    const connections = new ConnectionCache(ms);
    closings.push(() => connections.close());
    return { connections, resolve, allowed: allowedTargets("127.0.0.1, a.example.test") };
  };
  const answer = (text: string) =>
    `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\nconnection: keep-alive\r\n\r\n${text}`;
  /** Writes raw HTTP, so that a test controls what happens on each connection. */
  const listening = async (onRequest: (socket: Socket, request: number) => void) => {
    const opened = { connections: 0, url: "", named: "" };
    const server = createServer((socket) => {
      opened.connections += 1;
      let requests = 0;
      socket.on("data", () => onRequest(socket, ++requests));
    });
    const port = await portOf(server);
    const urls = { url: `http://127.0.0.1:${port}/`, named: `http://a.example.test:${port}/` };
    return Object.assign(opened, urls);
  };
  const friendly = () => listening((socket) => socket.write(answer("yes")));

  test("connections are shared by the events to one receiver", async () => {
    const receiver = await friendly();
    const kept = keptFor();
    for (let sent = 0; sent < 20; sent++)
      expect(await to(receiver.url, kept)).toEqual({ status: 200, body: "yes", failure: null });
    expect(receiver.connections).toBe(1);
  });

  test("a reused connection that breaks costs no attempt, and a new one that breaks costs one", async () => {
    const fragile = await listening((socket, request) =>
      request === 1 ? socket.write(answer("yes")) : socket.destroy(),
    );
    const kept = keptFor();
    for (let sent = 0; sent < 5; sent++) expect((await to(fragile.url, kept)).status).toBe(200);
    const broken = await listening((socket) => socket.destroy());
    expect(await failureOf(broken.url, kept)).not.toBeNull();
    expect(broken.connections).toBe(1);
  });

  test("a connection can wait for a response longer than an idle one is kept, which is closed after its time", async () => {
    const slow = await listening((socket) => void setTimeout(() => socket.write(answer("late")), 400));
    const kept = keptFor(50);
    for (const connections of [1, 2]) {
      expect((await to(slow.url, kept)).body).toBe("late");
      expect(slow.connections).toBe(connections);
      await Bun.sleep(300);
    }
  });

  test("connections are closed if a response is longer than what is stored", async () => {
    const receiver = await listening((socket) => socket.write(answer("x".repeat(100_000))));
    const kept = keptFor();
    for (let sent = 0; sent < 3; sent++) expect((await to(receiver.url, kept)).status).toBe(200);
    expect(receiver.connections).toBe(3);
  });

  test("connections share a cached DNS lookup for a while, whose IP addresses are checked at every attempt", async () => {
    const { named } = await friendly();
    let nowMs = 0;
    const answers: (() => Promise<string[]>)[] = [
      () => Promise.reject(new Error("ENOTFOUND")),
      async () => ["127.0.0.1"],
      async () => ["10.0.0.1"],
    ];
    const caching = cachingResolver(
      () => answers.shift()?.() ?? Promise.resolve([]),
      () => nowMs,
    );
    const options = { ...keptFor(), resolve: caching, allowed: loopback };
    expect((await failureOf(named, options))?.code).toBe("webhook_host_unknown");
    // A failed lookup is not shared.
    for (let sent = 0; sent < 2; sent++) expect((await to(named, options)).status).toBe(200);
    expect(answers).toHaveLength(1);
    nowMs += 6_000;
    expect((await failureOf(named, options))?.code).toBe("webhook_host_not_public");
  });
});
