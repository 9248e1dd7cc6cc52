import { beforeEach, describe, expect, test } from "bun:test";
import { licenseGate } from "../../src/http/index.ts";
import { UnknownKeyLimit } from "../../src/http/unknown-key-limit.ts";
import { answerByKey, dailyLimitReached, fakeClient, memoryLogger, webRequest } from "./fake-client.ts";

let nowMs = 0;
let client: ReturnType<typeof fakeClient>;
let logger: ReturnType<typeof memoryLogger>;
const clock = { steadyMs: () => nowMs };
beforeEach(() => {
  nowMs = 1_000;
  client = fakeClient();
  logger = memoryLogger();
});

function gate(options: { unknownKeysPerMinute?: number; address?: undefined } = {}) {
  const address = ({ headers }: Request) => headers.get("x-address");
  const decide = licenseGate({ client, logger, address, clock, ...options });
  return (key: string, address?: string) => decide(webRequest(key, address));
}
type Check = ReturnType<typeof gate>;

const statusOf = async (result: ReturnType<Check>): Promise<number> => {
  const decided = await result;
  return decided.allowed ? 200 : decided.status;
};
const times = (count: number, status: number) => Array<number>(count).fill(status);
/** The statuses of requests with so many keys that no license has. */
const tryKeys = (check: Check, count: number, address?: string) =>
  Promise.all(Array.from({ length: count }, (_, index) => statusOf(check(`NO-${index}`, address))));

describe("made-up keys", () => {
  test("made-up keys of one IP address cause 10 requests per minute, and then get the time to wait", async () => {
    const check = gate();
    expect(await tryKeys(check, 100)).toEqual([...times(10, 403), ...times(90, 429)]);
    expect(client.requests).toHaveLength(10);
    const refused = { allowed: false, code: "too_many_unknown_keys", retryAfterSeconds: 6 };
    expect(await check("NO-200")).toMatchObject(refused);
    nowMs += 2_500;
    expect(await check("NO-201")).toMatchObject({ retryAfterSeconds: 4 });
    nowMs += 3_500;
    expect(await tryKeys(check, 2)).toEqual([403, 429]);
    nowMs += 3_600_000;
    expect(await tryKeys(check, 100)).toEqual([...times(10, 403), ...times(90, 429)]);
  });

  test("made-up keys are logged once a minute per IP address, and 10 times a minute in all", async () => {
    const check = gate();
    await tryKeys(check, 40);
    expect(logger.lines).toEqual([
      "warn: Too many unknown license keys from 203.0.113.7: further ones get 429.",
    ]);
    nowMs += 61_000;
    for (let host = 0; host < 20; host += 1) await tryKeys(check, 11, `198.51.100.${host}`);
    expect(logger.lines).toHaveLength(11);
  });

  test("made-up keys do not affect other IP addresses, but do affect the same IPv6 /64", async () => {
    const check = gate();
    await tryKeys(check, 11, "2001:db8::1");
    expect(await tryKeys(check, 1, "2001:db8::ffff:2")).toEqual([429]);
    expect(await tryKeys(check, 1, "2001:db8:0:1::1")).toEqual([403]);
    expect(await tryKeys(check, 1, "198.51.100.1")).toEqual([403]);
  });

  test("made-up keys are not limited with unknownKeysPerMinute: 0", async () =>
    expect(await tryKeys(gate({ unknownKeysPerMinute: 0 }), 50)).toEqual(times(50, 403)));

  test("callers with unknown IP addresses share a limit", async () => {
    expect(await tryKeys(gate({ address: undefined }), 11)).toEqual([...times(10, 403), 429]);
    expect(logger.lines[0]).toContain("callers without an IP address");
  });

  test("all routes with the same client share a limit", async () => {
    expect(await tryKeys(gate(), 6)).toEqual(times(6, 403));
    expect(await tryKeys(gate(), 6)).toEqual([...times(4, 403), ...times(2, 429)]);
  });
});

describe("customers", () => {
  test("behind a limited IP address, a customer with a known or cached key is served", async () => {
    const check = gate();
    expect(await statusOf(check("VALID-BEFORE"))).toBe(200);
    await tryKeys(check, 20);
    for (const key of ["VALID-BEFORE", " valid-before "]) expect(await statusOf(check(key))).toBe(200);
    client.cachedKeys.add("VALID-CACHED");
    expect(await statusOf(check("VALID-CACHED"))).toBe(200);
    expect(await statusOf(check("VALID-NEW"))).toBe(429);
    nowMs += 6_000;
    expect(await statusOf(check("VALID-NEW"))).toBe(200);
  });

  test("behind a limited IP address, a customer waits while the requests for other keys are in flight", async () => {
    client.isPaused = true;
    const check = gate();
    const first = [tryKeys(check, 9), statusOf(check("VALID-1"))];
    const waiting = ["VALID-2", "NO-20", "VALID-3"].map((key) => statusOf(check(key)));
    for (const expected of [10, 11, 12]) {
      await until(() => client.requests.length === expected && client.waitingCount() > 0);
      for (let count = client.waitingCount(); count > 0; count -= 1) client.respond();
    }
    expect(await Promise.all(first)).toEqual([times(9, 403), 200]);
    expect(await Promise.all(waiting)).toEqual([200, 403, 429]);
  });
});

test("any number of valid keys behind one IP address is served, 10 at a time", async () => {
  client.isPaused = true;
  const check = gate();
  const statuses = Promise.all(times(200, 0).map((_, index) => statusOf(check(`VALID-${index}`))));
  let most = 0;
  for (let responses = 0; responses < 200; responses += 1) {
    await until(() => client.waitingCount() > 0);
    most = Math.max(most, client.waitingCount());
    client.respond();
  }
  expect(await statuses).toEqual(times(200, 200));
  expect(most).toBe(10);
});

test("calls without a verdict use up no token, and never allow a limited request", async () => {
  let isDown = true;
  client = fakeClient((key) => (isDown ? { ...dailyLimitReached, allowed: true } : answerByKey(key)));
  const check = gate();
  expect(await tryKeys(check, 50)).toEqual(times(50, 200));
  isDown = false;
  expect(await tryKeys(check, 11)).toEqual([...times(10, 403), 429]);
  isDown = true;
  expect(await tryKeys(check, 1)).toEqual([429]);
});

test("a key that becomes unknown is limited again", async () => {
  let isDeleted = false;
  client = fakeClient((key) => answerByKey(isDeleted ? `NO-${key}` : key));
  const check = gate({ unknownKeysPerMinute: 1 });
  expect(await statusOf(check("VALID-1"))).toBe(200);
  isDeleted = true;
  // The first request was still for a known key.
  for (const status of [403, 403, 429]) expect(await statusOf(check("VALID-1"))).toBe(status);
});

describe("limits", () => {
  let limit: UnknownKeyLimit;
  beforeEach(() => {
    limit = new UnknownKeyLimit(1, clock);
  });
  const isUnknown = () => true;
  const call = (caller = "a") => limit.run(caller, async () => undefined, isUnknown);

  test("a call that fails gives its token back", async () => {
    const failing = () => limit.run("a", () => Promise.reject(new Error("no network")), isUnknown);
    await expect(failing()).rejects.toThrow("no network");
    await expect(failing()).rejects.toThrow("no network");
  });

  test.each([true, false])(
    "a waiting call is refused after the longest wait, with polling %p",
    async (isPolling) => {
      limit = new UnknownKeyLimit(1, { ...clock, maxWaitMs: 1, isPolling });
      const { promise, resolve } = Promise.withResolvers<void>();
      const first = limit.run("a", () => promise, isUnknown);
      await expect(call()).rejects.toThrow("too many unknown");
      resolve();
      await first;
    },
  );

  test("calls that must not wait for each other ask again until there is a token", async () => {
    limit = new UnknownKeyLimit(1, { ...clock, isPolling: true });
    const order: string[] = [];
    const named = (name: string, isUnknown: boolean) => {
      const work = async () => {
        await Promise.resolve();
        order.push(name);
      };
      return limit.run("a", work, () => isUnknown);
    };
    await Promise.all([named("first", false), named("second", false)]);
    const [spent, refused] = await Promise.allSettled([named("third", true), named("fourth", true)]);
    expect([spent.status, refused.status]).toEqual(["fulfilled", "rejected"]);
    expect(order).toEqual(["first", "second", "third"]);
  });

  test("a limit does not wait for a call that never ends", async () => {
    limit.run("a", () => new Promise(() => {}), isUnknown);
    nowMs += 10_000;
    await expect(call()).rejects.toThrow("too many unknown");
    nowMs += 60_000;
    await call();
  });

  test("the oldest callers beyond 10,000 are replaced", async () => {
    await call("first");
    await expect(call("first")).rejects.toThrow();
    for (let index = 0; index < 10_000; index += 1) await call(`caller-${index}`);
    await call("first");
  });
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
