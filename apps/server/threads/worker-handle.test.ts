import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { CidrSet } from "@countersign/domain/ip/cidr";
import { openStore } from "@countersign/store/databases/open";
import type { MainStore } from "@countersign/store/threads/worker-store";
import { freshFolder } from "../../../tests/support/databases.ts";
import { until } from "../../../tests/support/until.ts";
import { createLog } from "../base/log.ts";
import { Forwarder } from "./forward.ts";
import { ManagementWorker, type WorkerParts } from "./worker-handle.ts";

setDefaultTimeout(60_000);

describe("requests to the worker", () => {
  const folder = freshFolder();
  const lines: string[] = [];
  let store: MainStore;
  let parts: WorkerParts;
  let worker: ManagementWorker;
  let forwarder: Forwarder;
  let front: Bun.Server<undefined>;
  let url: string;
  beforeAll(async () => {
    store = await openStore({ kind: "sqlite", folder }, { encryptionKey: null, durability: "standard" });
    parts = {
      store,
      environment: {},
      journal: { deleteOrganization: async () => undefined, eraseCustomer: async () => undefined },
      log: createLog({ level: "info", pretty: false, now: Date.now, write: (line) => lines.push(line) }),
      file: fixture("echo-worker"),
    };
    worker = await ManagementWorker.start(parts);
    forwarder = new Forwarder({
      worker,
      failed: () => {},
      portalHost: null,
      trustedProxies: CidrSet.empty,
    });
    front = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      routes: { "/here": () => new Response("here") },
      fetch: (request, server) =>
        forwarder.forward(
          request,
          { peer: "192.0.2.7", setIdleLimit: (seconds) => server.timeout(request, seconds) },
          "request-id",
        ),
    });
    url = `http://127.0.0.1:${front.port}`;
  });
  afterAll(async () => {
    await front.stop(true);
    await worker.stop();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the management worker gets path, query, method, headers and body as they were sent", async () => {
    const response = await fetch(`${url}/some/path?q=%20a&q=b`, {
      method: "PUT",
      headers: { "x-own": "1", cookie: "c=d" },
      body: "x".repeat(300_000),
    });
    expect(await response.json()).toMatchObject({
      method: "PUT",
      url: expect.stringMatching(/\/some\/path\?q=%20a&q=b$/),
      headers: { "x-own": "1", cookie: "c=d" },
      length: 300_000,
    });
  });

  test("the management worker learns the caller's IP address only from the validating thread", async () => {
    const response = await fetch(url, { headers: { "x-countersign-peer": "203.0.113.9" } });
    expect(await response.json()).toMatchObject({ headers: { "x-countersign-peer": "192.0.2.7" } });
  });

  test("responses of the management worker are returned unchanged, compressed and with every cookie", async () => {
    const response = await fetch(`${url}/packed`);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(await response.text()).toBe("small");
  });

  test("the management worker can refuse a body without reading it", async () => {
    const response = await fetch(`${url}/refuse`, { method: "POST", body: "x".repeat(5_000_000) });
    expect(response.status).toBe(413);
  });

  test("a large response arrives whole, and one to HEAD has only its length", async () => {
    const bytes = await (await fetch(`${url}/large`)).bytes();
    expect([bytes.length, bytes.every((byte) => byte === 65)]).toEqual([3_000_000, true]);
    const head = await fetch(`${url}/large`, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe("3000000");
  });

  test("60 requests of one client for a large response get it whole, or are refused before it begins", async () => {
    const ends = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const answer = await fetch(`${url}/large`);
        const { length } = await answer.bytes();
        return answer.status === 200 ? length : answer.headers.get("retry-after");
      }),
    );
    expect(ends.filter((end) => end !== 3_000_000 && end !== "1")).toEqual([]);
    expect(ends.filter((end) => end === 3_000_000).length).toBeGreaterThan(10);
    expect(forwarder.budgets.large_responses.inUse).toBe(0);
  });

  test("a large response to a change arrives whole, too, however many are not taken", async () => {
    const port = Number(new URL(url).port);
    const unread = Array.from({ length: 12 }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.pause();
      socket.write("POST /larger HTTP/1.1\r\nHost: example.com\r\nContent-Length: 0\r\n\r\n");
      return socket;
    });
    await until("there is no room", () => forwarder.budgets.large_responses.refused >= 2);
    const answer = await fetch(`${url}/large`, { method: "POST" });
    expect((await answer.bytes()).length).toBe(3_000_000);
    for (const socket of unread) socket.destroy();
    await until("they have ended", () => forwarder.budgets.large_responses.inUse === 0);
  });

  test("a file arrives whole, and HEAD gets its length without it", async () => {
    const answer = await fetch(`${url}/file`);
    expect([answer.status, answer.headers.get("etag")]).toEqual([200, '"b"']);
    const bytes = await answer.bytes();
    expect([bytes.length, bytes.every((byte) => byte === 66)]).toEqual([12_000_000, true]);
    const head = await fetch(`${url}/file`, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe("12000000");
  });

  test("a caller who leaves while a file is sent makes room", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.pause();
    socket.write("GET /file HTTP/1.1\r\nHost: example.com\r\n\r\n");
    await until("it is sent", () => forwarder.budgets.large_files.inUse === 1);
    socket.destroy();
    await until("it has ended", () => forwarder.budgets.large_files.inUse === 0);
  });

  test("a response is generated as fast as its caller takes it, and no further when the caller leaves", async () => {
    const given = async () =>
      (await fetch(`${url}/given`)).json() as Promise<{ given: number; left: number }>;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.pause();
    socket.write("GET /endless HTTP/1.1\r\nHost: example.com\r\n\r\n");
    let before = -1;
    await until("no more is generated for a caller who takes nothing", async () => {
      const last = before;
      before = (await given()).given;
      return before > 0 && before === last;
    });
    // What the operating system keeps for a connection, and a little more.
    expect(before * 64).toBeLessThan(12_000);
    socket.destroy();
    await until("the worker knows that the caller has left", async () => (await given()).left === 1);
  });

  test("requests that only wait keep no other from being served", async () => {
    const headers = { authorization: "Bearer one" };
    const waiting = Array.from({ length: 100 }, () => fetch(`${url}/wait`, { headers }));
    const startMs = performance.now();
    expect((await fetch(`${url}/here-too`, { headers })).status).toBe(200);
    expect(performance.now() - startMs).toBeLessThan(900);
    const texts = await Promise.all(waiting.map(async (response) => (await response).text()));
    expect(new Set(texts)).toEqual(new Set(["waited"]));
  });

  test("a body that never arrives keeps no other from being served, and the oldest of too many is given up", async () => {
    const port = Number(new URL(url).port);
    const answers: string[] = [];
    const sockets = Array.from({ length: 60 }, (_, number) => {
      const socket = connect(port, "127.0.0.1");
      socket.write("POST /upload HTTP/1.1\r\nHost: example.com\r\nContent-Length: 1000\r\n\r\nabc");
      socket.on("data", (text) => {
        answers[number] = String(text).slice(0, 12);
      });
      return socket;
    });
    await until("20 are given up", () => answers.filter(Boolean).length >= 20);
    const own = await fetch(`${url}/upload`, { method: "POST", body: "x".repeat(1000) });
    expect(await own.json()).toMatchObject({ length: 1000 });
    for (const socket of sockets) socket.destroy();
  });

  test("a response does not wait for a body that nobody reads", async () => {
    const response = await fetch(`${url}/unread`, { method: "POST", body: "x".repeat(500_000) });
    expect([response.status, await response.text()]).toEqual([201, "not needed"]);
  });

  test("methods that no route has arrive like others", async () => {
    for (const method of ["OPTIONS", "PATCH", "DELETE"])
      expect(await (await fetch(url, { method })).json()).toMatchObject({ method });
  });

  test("the management worker delays only its own callers, however long it computes", async () => {
    let isOver = false;
    const blocked = fetch(`${url}/block`).finally(() => {
      isOver = true;
    });
    for (let round = 0; round < 20; round++) {
      await fetch(`${url}/here`);
      expect(isOver).toBe(false);
    }
    await blocked;
  });

  test("a file that is being sent arrives whole although the management worker exits", async () => {
    const reader = (await fetch(`${url}/file`)).body?.getReader();
    let length = (await reader?.read())?.value?.length ?? 0;
    expect((await fetch(`${url}/end`)).status).toBe(503);
    for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read())
      length += piece.value.length;
    expect(length).toBe(12_000_000);
    await until("it answers again", async () => (await fetch(`${url}/again`)).status === 200);
    expect((await (await fetch(`${url}/file`)).bytes()).length).toBe(12_000_000);
  });

  test("the management worker is restarted when it exits; until then requests get 503 or wait", async () => {
    const lost = await fetch(`${url}/end`);
    expect(lost.status).toBe(503);
    expect(lost.headers.get("retry-after")).toBe("1");
    await until("it answers again", async () => (await fetch(`${url}/again`)).status === 200);
    expect(lines.join("")).toContain("The management worker exited. Restarting it.");
  });

  test("the management worker reports why it cannot start", async () => {
    const started = ManagementWorker.start({ ...parts, file: fixture("failing-worker") });
    expect(await started.catch(String)).toContain("There is no such thing.");
  });
});

function fixture(name: string): URL {
  return new URL(`../../../tests/support/workers/${name}.ts`, import.meta.url);
}
