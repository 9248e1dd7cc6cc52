import { afterEach, expect, test } from "bun:test";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { noAllowedTargets, parseAllowedTargets } from "@countersign/domain/webhooks/allowed-targets";
import { selfSigned } from "../../../../tests/support/certificate.ts";
import { ConnectionCache } from "./connections.ts";
import { cachingResolver } from "./resolve.ts";
import { type SendOptions, send } from "./send.ts";

const targets = parseAllowedTargets("127.0.0.1, a.example.test, b.example.test");
const allowed = targets.ok ? targets.allowed : noAllowedTargets;
const closings: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

const keptFor = (ms?: number) => {
  const connections = new ConnectionCache(ms);
  closings.push(() => connections.close());
  return connections;
};
const to = (url: string, connections: ConnectionCache, options: Partial<SendOptions> = {}) =>
  send(
    { url, headers: {}, body: "{}" },
    { allowed, resolve: async () => ["127.0.0.1"], timeoutMs: 5_000, connections, ...options },
    new AbortController().signal,
  );
const answer = (text: string) =>
  `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\nconnection: keep-alive\r\n\r\n${text}`;

/** Writes raw HTTP, so that a test controls what happens on each connection. */
async function listening(
  onRequest: (socket: Socket, connection: number, request: number) => void,
): Promise<{ url: string; readonly connections: number }> {
  let connections = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    const number = ++connections;
    let requests = 0;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", () => onRequest(socket, number, ++requests));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    get connections() {
      return connections;
    },
  };
}

test("events to one receiver share a connection", async () => {
  const receiver = await listening((socket) => socket.write(answer("yes")));
  const connections = keptFor();
  for (let sent = 0; sent < 20; sent++)
    expect(await to(receiver.url, connections)).toEqual({ status: 200, body: "yes", failure: null });
  expect(receiver.connections).toBe(1);
});

test("a reused connection that breaks costs no attempt", async () => {
  const receiver = await listening((socket, _, request) =>
    request === 1 ? socket.write(answer("yes")) : socket.destroy(),
  );
  const connections = keptFor();
  for (let sent = 0; sent < 5; sent++) expect((await to(receiver.url, connections)).status).toBe(200);
});

test("a new connection that breaks is a failed attempt", async () => {
  const receiver = await listening((socket) => socket.destroy());
  const { status, failure } = await to(receiver.url, keptFor());
  expect(status).toBeNull();
  expect(failure).not.toBeNull();
  expect(receiver.connections).toBe(1);
});

test("a response can take longer than an idle connection is kept", async () => {
  const receiver = await listening((socket) => void setTimeout(() => socket.write(answer("late")), 400));
  expect((await to(receiver.url, keptFor(50))).body).toBe("late");
});

test("an idle connection is closed after its time", async () => {
  const receiver = await listening((socket) => socket.write(answer("yes")));
  const connections = keptFor(50);
  await to(receiver.url, connections);
  await Bun.sleep(300);
  await to(receiver.url, connections);
  expect(receiver.connections).toBe(2);
});

test("a connection is closed if its response is longer than what is stored", async () => {
  const receiver = await listening((socket) => socket.write(answer("x".repeat(100_000))));
  const connections = keptFor();
  for (let sent = 0; sent < 3; sent++) expect((await to(receiver.url, connections)).status).toBe(200);
  expect(receiver.connections).toBe(3);
});

test("a connection is not reused for another name at the same IP address", async () => {
  const certificate = selfSigned("a.example.test");
  let arrived = 0;
  const server = createSecureServer(certificate, (request, response) => {
    arrived += 1;
    request.resume().on("end", () => response.end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closings.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const connections = keptFor();
  const options = { ca: certificate.cert };
  expect((await to(`https://a.example.test:${port}/`, connections, options)).status).toBe(200);
  const { status, failure } = await to(`https://b.example.test:${port}/`, connections, options);
  expect(status).toBeNull();
  expect(failure?.code).toBe("webhook_request_failed");
  expect(failure?.params.reason).toContain("b.example.test");
  expect(arrived).toBe(1);
});

test("a DNS lookup is cached for a while, and its IP addresses are checked at every attempt", async () => {
  const receiver = await listening((socket) => socket.write(answer("yes")));
  const url = receiver.url.replace("127.0.0.1", "a.example.test");
  let nowMs = 0;
  let leadsTo = "127.0.0.1";
  let lookups = 0;
  const resolve = cachingResolver(
    async () => {
      lookups += 1;
      return [leadsTo];
    },
    () => nowMs,
  );
  const connections = keptFor();
  const onlyLoopback = parseAllowedTargets("127.0.0.1");
  const options = { resolve, allowed: onlyLoopback.ok ? onlyLoopback.allowed : noAllowedTargets };
  expect((await to(url, connections, options)).status).toBe(200);
  expect((await to(url, connections, options)).status).toBe(200);
  expect(lookups).toBe(1);
  nowMs += 6_000;
  leadsTo = "10.0.0.1";
  expect((await to(url, connections, options)).failure?.code).toBe("webhook_host_not_public");
  expect(lookups).toBe(2);
});

test("a failed lookup is not cached", async () => {
  let lookups = 0;
  const resolve = cachingResolver(async () => {
    lookups += 1;
    if (lookups === 1) throw new Error("ENOTFOUND");
    return ["127.0.0.1"];
  });
  const connections = keptFor();
  const receiver = await listening((socket) => socket.write(answer("yes")));
  const url = receiver.url.replace("127.0.0.1", "a.example.test");
  expect((await to(url, connections, { resolve })).failure?.code).toBe("webhook_host_unknown");
  expect((await to(url, connections, { resolve })).status).toBe(200);
});
