import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { openStore } from "@countersign/store/open";
import type { MainStore } from "@countersign/store/worker-store";
import { freshFolder } from "../../../tests/support/databases.ts";
import { until } from "../../../tests/support/until.ts";
import { Forwarder } from "../http/forward.ts";
import { createLog } from "../log.ts";
import { ManagementWorker, type WorkerParts } from "./worker-handle.ts";

describe("requests to the worker", () => {
  const folder = freshFolder();
  const lines: string[] = [];
  let store: MainStore;
  let parts: WorkerParts;
  let worker: ManagementWorker;
  let front: Bun.Server<undefined>;
  let url: string;
  beforeAll(async () => {
    store = await openStore({ kind: "sqlite", folder }, { encryptionKey: null, durability: "standard" });
    parts = {
      store,
      environment: {},
      journal: { deleteOrganization: async () => undefined },
      log: createLog({ level: "info", pretty: false, now: Date.now, write: (line) => lines.push(line) }),
      file: fixture("echo-worker"),
    };
    worker = await ManagementWorker.start(parts);
    const nobody = () => {};
    const forwarder = new Forwarder(() => worker.socket, nobody, null);
    front = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      development: false,
      routes: { "/here": () => new Response("here") },
      fetch: (request) => forwarder.forward(request, "192.0.2.7", "request-id"),
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

  test("the management worker is restarted when it exits; until then requests get 503 or wait", async () => {
    const lost = await fetch(`${url}/end`);
    expect(lost.status).toBe(503);
    expect(lost.headers.get("retry-after")).toBe("1");
    await until("it answers again", async () => (await fetch(`${url}/again`)).status === 200);
    expect(lines.join("")).toContain("The management worker exited. Restarting it.");
  });

  test("the management worker reports why it cannot start, and leaves no thread", async () => {
    const started = ManagementWorker.start({ ...parts, file: fixture("failing-worker") });
    expect(await started.catch(String)).toContain("There is no such thing.");
    const socket = await worker.socket;
    await worker.stop();
    expect(existsSync(dirname(socket))).toBe(false);
  });
});

function fixture(name: string): URL {
  return new URL(`../../../tests/support/workers/${name}.ts`, import.meta.url);
}
