import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer, type Server } from "node:net";
import type { TLSSocket } from "node:tls";
import { noAllowedTargets, parseAllowedTargets } from "@countersign/domain/webhooks/allowed-targets";
import { selfSigned } from "../../../../tests/support/certificate.ts";
import { openReceiver, type Receiver } from "../../../../tests/support/receiver.ts";
import { until } from "../../../../tests/support/until.ts";
import { type Resolver, systemResolver } from "./resolve.ts";
import { type SendOptions, send } from "./send.ts";

const anonymous = new AbortController().signal;
const loopback = parseAllowedTargets("127.0.0.1");
const allowed = loopback.ok ? loopback.allowed : noAllowedTargets;
const to = (url: string, options: Partial<SendOptions> = {}, headers: Record<string, string> = {}) =>
  send(
    { url, headers, body: '{"a":1}' },
    { allowed, resolve: systemResolver, timeoutMs: 2_000, ...options },
    anonymous,
  );

describe("a request", () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await openReceiver();
  });
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.reply = () => ({ status: 200 });
  });
  afterAll(() => receiver.close());

  test("arrives with its path, headers, body and host name", async () => {
    const url = `http://hooks.example:${receiver.port}/in?x=1`;
    const answer = await to(url, { resolve: async () => ["127.0.0.1"] }, { "x-own": "y" });
    expect(answer.status).toBe(200);
    expect(receiver.received[0]).toMatchObject({
      path: "/in?x=1",
      body: '{"a":1}',
      headers: { "x-own": "y", host: `hooks.example:${receiver.port}`, "content-length": "7" },
    });
  });

  test("returns the status and the first 4 KB of the response, as text that every database can store", async () => {
    receiver.reply = () => ({ status: 503, body: `\0${"é".repeat(10_000)}` });
    const { status, body, failure } = await to(receiver.url);
    expect({ status, failure }).toEqual({ status: 503, failure: null });
    expect(Buffer.byteLength(body ?? "")).toBeLessThanOrEqual(4_096 + 4);
    expect(body).toStartWith("\ufffdé");
  });

  test("follows no redirect", async () => {
    receiver.reply = ({ path }) =>
      path === "/" ? { status: 307, headers: { location: `${receiver.url}/secret` } } : { status: 200 };
    expect((await to(receiver.url)).status).toBe(307);
    expect(receiver.received.map((request) => request.path)).toEqual(["/"]);
  });

  test("times out if there is no response", async () => {
    receiver.reply = () => "hang";
    const { status, failure } = await to(receiver.url, { timeoutMs: 200 });
    expect(status).toBeNull();
    expect(failure).toEqual({ code: "webhook_timed_out", params: { count: 0.2 } });
  });

  test("times out if the name cannot be resolved in time", async () => {
    const resolve = () => new Promise<string[]>(() => {});
    const { failure } = await to("http://slow.example/", { resolve, timeoutMs: 200 });
    expect(failure?.code).toBe("webhook_timed_out");
  });

  test("uses the next IP address if the first does not accept connections", async () => {
    const both = parseAllowedTargets("127.0.0.0/8");
    const { status } = await to(`http://two.example:${receiver.port}/`, {
      allowed: both.ok ? both.allowed : noAllowedTargets,
      resolve: async () => ["127.0.0.2", "127.0.0.1"],
    });
    expect(status).toBe(200);
  });

  test("is aborted when the server stops", async () => {
    receiver.reply = () => "hang";
    const before = receiver.received.length;
    const stopping = new AbortController();
    const options = { allowed, resolve: systemResolver, timeoutMs: 10_000 };
    const sending = send({ url: receiver.url, headers: {}, body: "{}" }, options, stopping.signal);
    await until("it has arrived", () => receiver.received.length > before);
    stopping.abort();
    expect(sending).rejects.toThrow();
  });

  test("reports why a connection failed", async () => {
    expect((await to("http://127.0.0.1:1/")).failure?.code).toBe("webhook_connection_refused");
    const failing: Resolver = async () => {
      throw new Error("ENOTFOUND");
    };
    expect((await to("http://x.example/", { resolve: failing })).failure?.code).toBe("webhook_host_unknown");
  });
});

describe("over TLS", () => {
  const certificate = selfSigned("hooks.example.test");
  const names = parseAllowedTargets("hooks.example.test, other.example.test");
  const arrived: { host: string | undefined; name: string | false | null }[] = [];
  let server: ReturnType<typeof createSecureServer>;
  let port = 0;
  beforeAll(async () => {
    server = createSecureServer(certificate, (request, response) => {
      const { servername } = request.socket as TLSSocket & { servername: string | false | null };
      arrived.push({ host: request.headers.host, name: servername });
      request.resume().on("end", () => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    arrived.length = 0;
  });
  afterAll(() => void server.close());

  const lookups: string[] = [];
  const secured = (host: string, options: Partial<SendOptions> = {}) =>
    to(`https://${host}:${port}/`, {
      allowed: names.ok ? names.allowed : noAllowedTargets,
      resolve: async (name) => {
        lookups.push(name);
        return ["127.0.0.1"];
      },
      ca: certificate.cert,
      ...options,
    });

  test("the certificate is checked for the name, and the connection goes to the checked IP address", async () => {
    lookups.length = 0;
    expect((await secured("hooks.example.test")).status).toBe(200);
    expect(arrived).toEqual([{ host: `hooks.example.test:${port}`, name: "hooks.example.test" }]);
    expect(lookups).toEqual(["hooks.example.test"]);
  });

  test("a receiver with a certificate for another name gets nothing", async () => {
    const { status, failure } = await secured("other.example.test");
    expect(status).toBeNull();
    expect(failure?.code).toBe("webhook_request_failed");
    expect(failure?.params.reason).toContain("other.example.test");
    expect(arrived).toEqual([]);
  });

  test("a certificate for a name is not valid for its IP address", async () => {
    const { status } = await secured("127.0.0.1", { allowed });
    expect(status).toBeNull();
    expect(arrived).toEqual([]);
  });

  test("an untrusted certificate is rejected", async () => {
    const answer = await to(`https://hooks.example.test:${port}/`, {
      allowed: names.ok ? names.allowed : noAllowedTargets,
      resolve: async () => ["127.0.0.1"],
    });
    expect(answer.failure?.params.reason).toContain("self signed");
    expect(arrived).toEqual([]);
  });

  test("a private name that is not allowed is not called, even if its certificate is valid", async () => {
    const answer = await secured("hooks.example.test", { allowed: noAllowedTargets });
    expect(answer.failure?.code).toBe("webhook_host_not_public");
    expect(arrived).toEqual([]);
  });
});

describe("a server on this machine is never reached", () => {
  let canary: Server;
  let port = 0;
  let touched = 0;
  beforeAll(async () => {
    canary = createServer((socket) => {
      touched += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => canary.listen(0, "::", resolve));
    const address = canary.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
  });
  beforeEach(() => {
    touched = 0;
  });
  afterAll(() => void canary.close());

  const options = { allowed: noAllowedTargets, timeoutMs: 500 };

  test("the server detects connections", async () => {
    await to(`http://127.0.0.1:${port}/`);
    expect(touched).toBe(1);
  });

  test.each([
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.8.8.8",
    "2130706433",
    "0x7f000001",
    "0x7f.0.0.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[0:0:0:0:0:0:0:1]",
    "%31%32%37.0.0.1",
    "localhost",
    "localhost.",
    "LOCALHOST",
    "user@127.0.0.1",
  ])("at %s", async (host) => {
    const answer = await to(`http://${host}:${port}/`, { ...options, resolve: systemResolver });
    expect(answer.status).toBeNull();
    expect(touched).toBe(0);
  });

  test.each([
    [["127.0.0.1"]],
    [["::1"]],
    [["::ffff:127.0.0.1"]],
    [["0.0.0.0"]],
    [["10.0.0.1"]],
    [["169.254.169.254"]],
    // One public address does not make the others acceptable.
    [["93.184.216.34", "127.0.0.1"]],
    [["127.0.0.1", "93.184.216.34"]],
  ])("by a name that resolves to %j", async (addresses) => {
    const answer = await to(`http://innocent.example:${port}/`, {
      ...options,
      resolve: async () => addresses,
    });
    expect(answer.failure?.code).toBe("webhook_host_not_public");
    expect(touched).toBe(0);
  });

  test("by a name that resolves differently the second time", async () => {
    let lookups = 0;
    const resolve = async () => {
      lookups += 1;
      return lookups === 1 ? ["192.0.2.1"] : ["127.0.0.1"];
    };
    const documentation = parseAllowedTargets("192.0.2.1");
    const answer = await to(`http://rebinding.example:${port}/`, {
      allowed: documentation.ok ? documentation.allowed : noAllowedTargets,
      timeoutMs: 500,
      resolve,
    });
    expect(answer.status).toBeNull();
    expect({ lookups, touched }).toEqual({ lookups: 1, touched: 0 });
  });

  test("by a redirect", async () => {
    const receiver = await openReceiver(() => ({
      status: 302,
      headers: { location: `http://127.0.0.1:${port}/` },
    }));
    expect((await to(receiver.url)).status).toBe(302);
    expect(touched).toBe(0);
    await receiver.close();
  });
});
