import { expect, test } from "bun:test";
import type { CountersignOptions, Logger, RequestInfo, ResponseInfo } from "../src/index.ts";
import { clientWith, type fakeFetch, key, unreachable, valid, validBody } from "./fake-server.ts";

const status = (code: number) => () => new Response("", { status: code });
const clock = { wallMs: () => Date.now(), steadyMs: () => performance.now(), sleep: async () => undefined };

/** A client whose server sends these answers. */
const clientOf = (answers: Parameters<typeof fakeFetch>, options: Partial<CountersignOptions> = {}) =>
  clientWith(answers, { clock, ...options }).client;

const fail = () => {
  throw new Error("no");
};

function recorder() {
  const lines: [string, string, Readonly<Record<string, unknown>>][] = [];
  const at = (level: string) => (message: string, details: Readonly<Record<string, unknown>>) =>
    void lines.push([level, message, details]);
  const logger: Logger = { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
  return { logger, lines };
}

test("hooks receive every attempt, and never the license key", async () => {
  const requests: RequestInfo[] = [];
  const responses: ResponseInfo[] = [];
  const withId = () => Response.json(validBody, { headers: { "x-request-id": "r-2" } });
  const client = clientOf([status(500), withId, status(404)], {
    onRequest: (info) => void requests.push(info),
    onResponse: (info) => void responses.push(info),
  });
  await client.validate(key);
  await client.lookup(key).catch(() => undefined);
  const path = "/api/v1/validate";
  expect(requests).toEqual([
    { method: "POST", path, attempt: 1 },
    { method: "POST", path, attempt: 2 },
    { method: "GET", path: "/api/v1/license/{key}", attempt: 1 },
  ]);
  expect(responses).toMatchObject([
    { attempt: 1, status: 500, requestId: null, error: null },
    { attempt: 2, status: 200, requestId: "r-2", error: null },
    { path: "/api/v1/license/{key}", status: 404 },
  ]);
  for (const { durationMs } of responses) expect(durationMs).toBeGreaterThanOrEqual(0);
});

test("an attempt without a response has its error", async () => {
  const responses: ResponseInfo[] = [];
  await clientOf([unreachable], { onResponse: (info) => void responses.push(info) }).check(key);
  const failed = [null, "ConnectionError"];
  expect(responses.map((one) => [one.status, one.error?.name ?? null])).toEqual([failed, failed]);
});

test("each kind of failure is logged once until there is a verdict", async () => {
  const { logger, lines } = recorder();
  const wrongKey = () => Response.json({ status: "invalid_api_key" }, { status: 401 });
  const answers = [status(403), status(403), wrongKey, unreachable, valid, status(403)];
  const client = clientOf(answers, { logger, retries: 0, cacheSeconds: 0 });
  for (const _ of answers) await client.check(key);
  expect(lines.map(([level, , details]) => [level, details.error])).toEqual([
    ["warn", "ServerError"],
    ["warn", "AuthenticationError"],
    ["warn", "ConnectionError"],
    ["warn", "ServerError"],
  ]);
  expect(JSON.stringify(lines)).not.toMatch(/csk_secret|ABCD-EFGH/);
});

test("retries are logged for debugging, and the use of grace once", async () => {
  const { logger, lines } = recorder();
  const client = clientOf([valid, unreachable], { logger, cacheSeconds: 0, graceSeconds: 60 });
  for (const _ of [1, 2, 3]) await client.validate(key);
  expect(lines.map(([level]) => level)).toEqual(["debug", "warn", "debug"]);
  expect(lines[1]?.[1]).toContain("grace period");
});

test("a failing grace store is logged once", async () => {
  const { logger, lines } = recorder();
  const graceStore = { load: fail, save: fail, remove: fail };
  const client = clientOf([valid], { logger, cacheSeconds: 0, graceSeconds: 60, graceStore });
  await client.validate(key);
  await client.validate(key);
  expect(lines.map(([level]) => level)).toEqual(["warn"]);
});

test("a logger is called as a method, because many need their this", async () => {
  const logger = {
    lines: [] as string[],
    warn(message: string) {
      this.lines.push(message);
    },
  };
  await clientOf([status(403)], { logger, retries: 0 }).check(key);
  expect(logger.lines.length).toBe(1);
});

test("a logger and hooks that throw or reject change nothing", async () => {
  const reject = () => Promise.reject(new Error("no"));
  for (const broken of [fail, reject, (() => Promise.reject(undefined)) as () => never]) {
    const logger = { debug: broken, warn: broken, error: broken };
    const options = { logger, onRequest: broken, onResponse: broken };
    expect((await clientOf([status(500), valid], options).validate(key)).valid).toBe(true);
    expect((await clientOf([status(403)], options).check(key)).allowed).toBe(false);
  }
});

test("a callback that throws is logged as an error", async () => {
  const { logger, lines } = recorder();
  await clientOf([valid], { logger, onRequest: fail }).validate(key);
  expect(lines).toMatchObject([["error", "The app's onRequest failed.", { callback: "onRequest" }]]);
});
