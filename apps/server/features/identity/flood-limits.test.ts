import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "@countersign/store/open";
import type { Store } from "@countersign/store/store";
import { sqlite, type TestDatabase } from "../../../../tests/support/databases.ts";
import { Problem } from "../../http/manage/problem.ts";
import { AccountLimits } from "./account-limits.ts";
import { limits } from "./attempts.ts";
import { FloodLimits } from "./flood-limits.ts";

setDefaultTimeout(60_000);

async function refusal(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return error instanceof Problem ? (error.headers["retry-after"] ?? "") : "another error";
  }
}

/** The statement that counts is tested on both databases, in attempts.test.ts of the store. */
describe("attempts by account", () => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await sqlite.make();
    store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
  });
  afterAll(async () => {
    await store.close();
    database.remove();
  });

  const from = (ip: string | null, deviceId: string | null = null) => ({ ip, deviceId });
  let lastIp = 0;
  const anywhere = () => from(`10.9.${(++lastIp >> 8) & 255}.${lastIp & 255}`);
  const statuses = async (count: number, attempt: () => Promise<void>) => {
    const refusals: (string | null)[] = [];
    for (let time = 0; time < count; time++) refusals.push(await refusal(attempt()));
    return refusals;
  };

  test("beyond the limit, attempts are spread over time, and a rejection says when the next is accepted", async () => {
    let nowMs = 1_000_000;
    const accounts = new AccountLimits(store, () => nowMs);
    const attempt = () => accounts.check("reset", "timed@example.com", anywhere());
    expect(await statuses(5, attempt)).toEqual([null, null, null, null, "1800"]);
    nowMs += 1_799_500;
    expect(await refusal(attempt())).toBe("1");
    nowMs += 500;
    expect(await statuses(2, attempt)).toEqual([null, "1800"]);
    nowMs += 24 * 3_600_000;
    expect(await statuses(5, attempt)).toEqual([null, null, null, null, "1800"]);
  });

  test.each([
    ["sign_in", 500],
    ["second_factor", 298],
    ["reset", 52],
    ["portal_sign_in", 150],
    ["portal_code_sent", 22],
  ] as const)(
    "unknown devices can attempt a %s %d times a day, from however many networks",
    (attempt, count) => {
      const { burst, everyMs } = limits[attempt].account.anywhere;
      expect(burst + 86_400_000 / everyMs).toBe(count);
    },
  );

  test.each(["sign_in", "sign_up", "second_factor", "reset", "verification"] as const)(
    "one network never uses up the limit of the others for a %s",
    async (attempt) => {
      const { anywhere: all, network } = limits[attempt].account;
      expect(network.burst).toBeLessThan(all.burst);
      expect(network.everyMs).toBeGreaterThanOrEqual(all.everyMs);
      const accounts = new AccountLimits(store, () => 0);
      const check = (ip: string) => refusal(accounts.check(attempt, "loud@example.com", from(ip)));
      for (let time = 0; time < network.burst; time++) expect(await check("192.0.2.1")).toBeNull();
      expect(await check("192.0.2.1")).toBe(String(network.everyMs / 1_000));
      expect(await check("192.0.2.2")).toBeNull();
    },
  );

  test("an account is the same however its email address is written, on every node", async () => {
    for (const address of ["ada@example.com", "ADA@example.com", " ada@example.com ", "Ada@example.com"])
      await new AccountLimits(store, () => 0).check("reset", address, anywhere());
    const other = new AccountLimits(store, () => 0);
    expect(await refusal(other.check("reset", "ada@example.com", anywhere()))).not.toBeNull();
    expect(await refusal(other.check("reset", "grace@example.com", anywhere()))).toBeNull();
  });

  test("concurrent attempts on several nodes do not exceed the limit", async () => {
    const nodes = [1, 2, 3].map(() => new AccountLimits(store, () => 0));
    const race = async (origin: () => { ip: string | null; deviceId: string | null }) => {
      const tries = Array.from({ length: 45 }, (_, time) =>
        refusal(
          (nodes[time % 3] ?? nodes[0])?.check("sign_in", "race@example.com", origin()) ?? Promise.resolve(),
        ),
      );
      return (await Promise.all(tries)).filter((one) => one === null).length;
    };
    expect(await race(anywhere)).toBe(20);
    expect(await race(() => from("192.0.2.7", "a device"))).toBe(10);
    expect(await race(() => from("192.0.2.7", "another device"))).toBe(10);
  });

  test("a success clears the failures of its own network or device, and only itself from the shared count", async () => {
    const accounts = new AccountLimits(store, () => 0);
    const check = (origin = anywhere()) => refusal(accounts.check("sign_in", "forgiven@example.com", origin));
    const own = from("192.0.2.9");
    for (let time = 0; time < 10; time++) await check();
    for (let time = 0; time < 10; time++) expect(await check(own)).toBeNull();
    await accounts.clearFailures("sign_in", "Forgiven@example.com", own);
    expect([await check(own), await check(own)]).toEqual([null, "180"]);
    const known = from("192.0.2.9", "a device");
    for (let time = 0; time < 10; time++) expect(await check(known)).toBeNull();
    expect(await check(known)).toBe("60");
    await accounts.clearFailures("sign_in", "forgiven@example.com", known);
    expect(await check(known)).toBeNull();
  });

  test("a rejection is repeated without a database query, and stored counts identify nobody", async () => {
    let asked = 0;
    const counted: Store = Object.create(store, {
      transaction: {
        value: (work: never) => {
          asked += 1;
          return store.transaction(work);
        },
      },
    });
    const accounts = new AccountLimits(counted, () => 0);
    for (let time = 0; time < 100; time++)
      await refusal(accounts.check("reset", "flood@example.com", anywhere()));
    expect(asked).toBe(5);
    const rows = await store.reads.selectFrom("attempts").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain("flood");
  });
});

describe("attempts by IP address", () => {
  const nowhere = {} as Store;

  test("an IP address over its limit waits, and is not counted further", () => {
    let nowMs = 0;
    const flood = new FloodLimits(nowhere, () => nowMs);
    for (let time = 0; time < 20; time++) {
      expect(flood.waitFor("sign_up", "192.0.2.1")).toBe(0);
      expect(flood.countIp("sign_up", "192.0.2.1")).toBe(0);
    }
    expect(flood.waitFor("sign_up", "192.0.2.1")).toBe(3_600);
    expect(flood.waitFor("sign_up", "192.0.2.2")).toBe(0);
    nowMs = 3_600_000;
    expect(flood.waitFor("sign_up", "192.0.2.1")).toBe(0);
  });

  test("an IPv6 network counts as one IP address", () => {
    const flood = new FloodLimits(nowhere, () => 0);
    for (let time = 0; time < 20; time++) flood.countIp("sign_up", `2001:db8::${time.toString(16)}`);
    expect(flood.waitFor("sign_up", "2001:db8::ffff")).toBeGreaterThan(0);
    expect(flood.waitFor("sign_up", "2001:db8:0:1::1")).toBe(0);
  });

  test("a known device is counted by its owner, whatever its IP address", () => {
    const flood = new FloodLimits(nowhere, () => 0);
    const device = { id: "d", userId: "u", issuedAtMs: 0 };
    for (let time = 0; time < 20; time++) flood.countIp("sign_up", "192.0.2.1");
    expect(flood.waitFor("sign_up", "192.0.2.1")).toBeGreaterThan(0);
    expect(flood.waitFor("sign_up", "192.0.2.1", device)).toBe(0);
    for (let time = 0; time < 20; time++) flood.countIp("sign_up", `192.0.2.${time}`, device);
    expect(flood.waitFor("sign_up", "198.51.100.1", device)).toBeGreaterThan(0);
  });

  test("a hundred anonymous requests a second are accepted", () => {
    let nowMs = 0;
    const flood = new FloodLimits(nowhere, () => nowMs);
    const heard = () =>
      Array.from({ length: 300 }, () => flood.countAnonymous()).filter((wait) => wait === 0);
    expect(heard()).toHaveLength(100);
    nowMs = 1_000;
    expect(heard()).toHaveLength(100);
  });

  test("the number of stored counts is bounded", () => {
    const flood = new FloodLimits(nowhere, () => 0);
    for (let number = 0; number < 60_000; number++)
      flood.countIp("reset", `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`);
    expect(flood.size).toBeLessThanOrEqual(50_000);
  });
});
