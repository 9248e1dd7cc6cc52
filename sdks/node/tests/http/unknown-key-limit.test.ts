import { beforeEach, describe, expect, test } from "bun:test";
import { type GateResult, licenseGate } from "../../src/http/index.ts";
import { UnknownKeyLimit } from "../../src/http/unknown-key-limit.ts";
import { answerByKey, dailyLimitReached, fakeClient, memoryLogger, webRequest } from "./fake-client.ts";

let nowMs = 0;
let client: ReturnType<typeof fakeClient>;
let logger: ReturnType<typeof memoryLogger>;
beforeEach(() => {
  nowMs = 1_000;
  client = fakeClient();
  logger = memoryLogger();
});

function gate(options: { unknownKeysPerMinute?: number } = {}) {
  const decide = licenseGate({
    client,
    logger,
    address: ({ headers }) => headers.get("x-address"),
    clock: { steadyMs: () => nowMs },
    ...options,
  });
  return (key: string, address?: string) => decide(webRequest(key, address));
}

const statusOf = (result: GateResult) => (result.allowed ? 200 : result.status);
const statuses = async (results: readonly Promise<GateResult>[]) =>
  (await Promise.all(results)).map(statusOf);
const madeUp = (count: number, start = 0) =>
  Array.from({ length: count }, (_, index) => `NO-${start + index}`);
const isUnknown = () => true;
const countOf = (list: readonly unknown[], value: unknown) => list.filter((one) => one === value).length;

describe("made-up keys of one IP address", () => {
  test("cause 10 requests per minute, and are refused with the time to wait after that", async () => {
    const check = gate();
    expect(await statuses(madeUp(100).map((key) => check(key)))).toEqual([
      ...Array(10).fill(403),
      ...Array(90).fill(429),
    ]);
    expect(client.requests).toHaveLength(10);
    const refused = await check("NO-200");
    expect(refused).toMatchObject({ allowed: false, code: "too_many_unknown_keys", retryAfterSeconds: 6 });
    nowMs += 2_500;
    expect(await check("NO-201")).toMatchObject({ retryAfterSeconds: 4 });
    nowMs += 3_500;
    expect(statusOf(await check("NO-202"))).toBe(403);
    expect(statusOf(await check("NO-203"))).toBe(429);
    nowMs += 3_600_000;
    const later = await statuses(madeUp(100, 300).map((key) => check(key)));
    expect(countOf(later, 403)).toBe(10);
  });

  test("are logged once a minute per IP address, and 10 times a minute in all", async () => {
    const check = gate();
    await Promise.all(madeUp(40).map((key) => check(key)));
    expect(logger.lines).toEqual([
      "warn: Too many unknown license keys from 203.0.113.7: further ones get 429.",
    ]);
    nowMs += 61_000;
    for (let host = 0; host < 20; host += 1)
      await Promise.all(madeUp(11).map((key) => check(key, `198.51.100.${host}`)));
    expect(logger.lines).toHaveLength(11);
  });

  test("do not affect other IP addresses, but do affect the same IPv6 /64", async () => {
    const check = gate();
    await Promise.all(madeUp(11).map((key) => check(key, "2001:db8::1")));
    expect(statusOf(await check("NO-50", "2001:db8::ffff:2"))).toBe(429);
    expect(statusOf(await check("NO-51", "2001:db8:0:1::1"))).toBe(403);
    expect(statusOf(await check("NO-52", "198.51.100.1"))).toBe(403);
  });

  test("are not limited with unknownKeysPerMinute: 0", async () => {
    const check = gate({ unknownKeysPerMinute: 0 });
    expect(countOf(await statuses(madeUp(50).map((key) => check(key))), 403)).toBe(50);
  });

  test("share a limit if the IP addresses are unknown", async () => {
    const decide = licenseGate({ client, logger, clock: { steadyMs: () => nowMs } });
    expect(countOf(await statuses(madeUp(30).map((key) => decide(webRequest(key)))), 403)).toBe(10);
    expect(logger.lines[0]).toContain("callers without an IP address");
  });

  test("share a limit across all routes with the same client", async () => {
    const routes = [gate(), gate(), gate()];
    const results = madeUp(60).map((key, index) => (routes[index % 3] ?? gate())(key));
    expect(countOf(await statuses(results), 403)).toBe(10);
  });
});

describe("a customer behind an IP address that has reached the limit", () => {
  test("is served with a key that had a verdict before, or that is cached", async () => {
    const check = gate();
    expect(statusOf(await check("VALID-BEFORE"))).toBe(200);
    await Promise.all(madeUp(20).map((key) => check(key)));
    expect(statusOf(await check("VALID-BEFORE"))).toBe(200);
    expect(statusOf(await check(" valid-before "))).toBe(200);
    client.cachedKeys.add("VALID-CACHED");
    expect(statusOf(await check("VALID-CACHED"))).toBe(200);
    expect(statusOf(await check("VALID-NEW"))).toBe(429);
    nowMs += 6_000;
    expect(statusOf(await check("VALID-NEW"))).toBe(200);
  });

  test("waits while the requests for other keys are in flight", async () => {
    client.isPaused = true;
    const check = gate();
    const first = [...madeUp(9), "VALID-1"].map((key) => check(key));
    const waiting = ["VALID-2", "NO-20", "VALID-3"].map((key) => check(key));
    for (const expected of [10, 11, 12]) {
      await until(() => client.requests.length === expected && client.waitingCount() > 0);
      for (let count = client.waitingCount(); count > 0; count -= 1) client.respond();
    }
    expect(await statuses(first)).toEqual([...Array(9).fill(403), 200]);
    expect(await statuses(waiting)).toEqual([200, 403, 429]);
  });
});

test("any number of valid keys behind one IP address is served, 10 at a time", async () => {
  client.isPaused = true;
  const check = gate();
  const keys = Array.from({ length: 200 }, (_, index) => `VALID-${index}`);
  const results = statuses(keys.map((key) => check(key)));
  let most = 0;
  let responses = 0;
  while (responses < keys.length) {
    await until(() => client.waitingCount() > 0);
    most = Math.max(most, client.waitingCount());
    client.respond();
    responses += 1;
  }
  expect(countOf(await results, 200)).toBe(200);
  expect(most).toBe(10);
});

test("calls without a verdict use up no token, and never allow a limited request", async () => {
  let isDown = true;
  client = fakeClient((key) => (isDown ? { ...dailyLimitReached, allowed: true } : answerByKey(key)));
  const check = gate();
  expect(countOf(await statuses(madeUp(50).map((key) => check(key))), 200)).toBe(50);
  isDown = false;
  expect(countOf(await statuses(madeUp(50, 100).map((key) => check(key))), 403)).toBe(10);
  isDown = true;
  expect(statusOf(await check("NO-300"))).toBe(429);
});

test("a key that becomes unknown is limited again", async () => {
  let isDeleted = false;
  client = fakeClient((key) => answerByKey(isDeleted ? `NO-${key}` : key));
  const check = gate({ unknownKeysPerMinute: 1 });
  expect(statusOf(await check("VALID-1"))).toBe(200);
  isDeleted = true;
  expect(statusOf(await check("VALID-1"))).toBe(403);
  // The first one was still a known key.
  expect(statusOf(await check("VALID-1"))).toBe(403);
  expect(statusOf(await check("VALID-1"))).toBe(429);
});

test("a call that fails gives its token back", async () => {
  const limit = new UnknownKeyLimit(1, { steadyMs: () => nowMs });
  const failing = () => limit.run("a", () => Promise.reject(new Error("no network")), isUnknown);
  await expect(failing()).rejects.toThrow("no network");
  await expect(failing()).rejects.toThrow("no network");
});

test.each([true, false])(
  "a waiting call is refused after the longest wait, polling: %p",
  async (isPolling) => {
    const limit = new UnknownKeyLimit(1, { steadyMs: () => nowMs, maxWaitMs: 1, isPolling });
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = limit.run("a", () => promise, isUnknown);
    await expect(limit.run("a", async () => undefined, isUnknown)).rejects.toThrow("too many unknown");
    resolve();
    await first;
  },
);

test("where requests must not wait for each other, they ask again until there is a token", async () => {
  const limit = new UnknownKeyLimit(1, { steadyMs: () => nowMs, isPolling: true });
  const order: string[] = [];
  const call = (name: string, isUnknown: boolean) =>
    limit.run(
      "a",
      async () => {
        await Promise.resolve();
        order.push(name);
      },
      () => isUnknown,
    );
  await Promise.all([call("first", false), call("second", false)]);
  const [spent, refused] = await Promise.allSettled([call("third", true), call("fourth", true)]);
  expect([spent.status, refused.status]).toEqual(["fulfilled", "rejected"]);
  expect(order).toEqual(["first", "second", "third"]);
});

test("a call that never ends is not waited for", async () => {
  const limit = new UnknownKeyLimit(1, { steadyMs: () => nowMs });
  limit.run("a", () => new Promise(() => {}), isUnknown);
  nowMs += 10_000;
  const call = () => limit.run("a", async () => undefined, isUnknown);
  await expect(call()).rejects.toThrow("too many unknown");
  nowMs += 60_000;
  await call();
});

test("callers beyond 10,000 replace the oldest ones", async () => {
  const limit = new UnknownKeyLimit(1, { steadyMs: () => nowMs });
  const call = (caller: string) => limit.run(caller, async () => undefined, isUnknown);
  await call("first");
  await expect(call("first")).rejects.toThrow();
  for (let index = 0; index < 10_000; index += 1) await call(`caller-${index}`);
  await call("first");
});

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])("unknownKeysPerMinute cannot be %p", (value) => {
  expect(() => gate({ unknownKeysPerMinute: value })).toThrow("unknownKeysPerMinute must be a whole number");
});

async function until(condition: () => boolean): Promise<void> {
  for (let turns = 0; !condition(); turns += 1) {
    if (turns > 10_000) throw new Error("The condition was never met.");
    await Promise.resolve();
  }
}
