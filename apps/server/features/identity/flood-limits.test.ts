import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStore } from "@countersign/store/open";
import type { Store } from "@countersign/store/store";
import { databases, type TestDatabase } from "../../../../tests/support/databases.ts";
import { Problem } from "../../http/manage/problem.ts";
import { AccountLimits } from "./account-limits.ts";
import { FloodLimits } from "./flood-limits.ts";

async function refusal(work: Promise<void>): Promise<string | null> {
  try {
    await work;
    return null;
  } catch (error) {
    return error instanceof Problem ? (error.headers["retry-after"] ?? "") : "another error";
  }
}

describe.each(databases)("attempts by account on $kind", ({ make }) => {
  let database: TestDatabase;
  let store: Store;
  beforeAll(async () => {
    database = await make();
    store = await openStore(database.location, { encryptionKey: null, durability: "standard" });
  });
  afterAll(async () => {
    await store.close();
    database.remove();
  });

  test("after so many tries the next is refused until the time is over, and says when that is", async () => {
    let nowMs = 1_000_000;
    const limits = new AccountLimits(store, () => nowMs);
    const attempt = () => refusal(limits.check("reset", "timed@example.com"));
    expect([await attempt(), await attempt(), await attempt()]).toEqual([null, null, null]);
    expect(await attempt()).toBe("900");
    nowMs += 899_500;
    expect(await attempt()).toBe("1");
    nowMs += 500;
    expect(await attempt()).toBeNull();
  });

  test("an account is the same however its address is written, and on whichever node", async () => {
    for (const address of ["ada@example.com", "ADA@example.com", " ada@example.com "])
      await new AccountLimits(store, () => 0).check("reset", address);
    const other = new AccountLimits(store, () => 0);
    expect(await refusal(other.check("reset", "ada@example.com"))).not.toBeNull();
    expect(await refusal(other.check("reset", "grace@example.com"))).toBeNull();
  });

  test("however many come at once on however many nodes, no more than allowed are let through", async () => {
    const nodes = [1, 2, 3].map(() => new AccountLimits(store, () => 0));
    const tries = Array.from({ length: 30 }, (_, time) =>
      refusal((nodes[time % 3] ?? nodes[0])?.check("sign_in", "race@example.com") ?? Promise.resolve()),
    );
    expect((await Promise.all(tries)).filter((one) => one === null)).toHaveLength(10);
  });

  test("a success forgives the failures before it", async () => {
    const limits = new AccountLimits(store, () => 0);
    for (let time = 0; time < 10; time++) await limits.check("sign_in", "forgiven@example.com");
    await limits.forgive("sign_in", "Forgiven@example.com");
    expect(await refusal(limits.check("sign_in", "forgiven@example.com"))).toBeNull();
  });

  test("a refusal is repeated without a question to the database; what is kept names nobody", async () => {
    let asked = 0;
    const counted: Store = Object.create(store, {
      transaction: {
        value: (work: never) => {
          asked += 1;
          return store.transaction(work);
        },
      },
    });
    const limits = new AccountLimits(counted, () => 0);
    for (let time = 0; time < 100; time++) await refusal(limits.check("reset", "flood@example.com"));
    expect(asked).toBe(4);
    const rows = await store.reads.selectFrom("attempts").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain("flood");
  });
});

describe("attempts by address", () => {
  const nowhere = {} as Store;

  test("an address that has tried too often waits, without being counted on", () => {
    let nowMs = 0;
    const limits = new FloodLimits(nowhere, () => nowMs);
    for (let time = 0; time < 20; time++) {
      expect(limits.waitFor("sign_up", "192.0.2.1")).toBe(0);
      expect(limits.countAddress("sign_up", "192.0.2.1")).toBe(0);
    }
    expect(limits.waitFor("sign_up", "192.0.2.1")).toBe(3_600);
    expect(limits.waitFor("sign_up", "192.0.2.2")).toBe(0);
    nowMs = 3_600_000;
    expect(limits.waitFor("sign_up", "192.0.2.1")).toBe(0);
  });

  test("one IPv6 network is one address", () => {
    const limits = new FloodLimits(nowhere, () => 0);
    for (let time = 0; time < 20; time++) limits.countAddress("sign_up", `2001:db8::${time.toString(16)}`);
    expect(limits.waitFor("sign_up", "2001:db8::ffff")).toBeGreaterThan(0);
    expect(limits.waitFor("sign_up", "2001:db8:0:1::1")).toBe(0);
  });

  test("a hundred strangers a second are heard", () => {
    let nowMs = 0;
    const limits = new FloodLimits(nowhere, () => nowMs);
    const heard = () =>
      Array.from({ length: 300 }, () => limits.countStranger()).filter((wait) => wait === 0);
    expect(heard()).toHaveLength(100);
    nowMs = 1_000;
    expect(heard()).toHaveLength(100);
  });

  test("what is remembered is bounded", () => {
    const limits = new FloodLimits(nowhere, () => 0);
    for (let number = 0; number < 60_000; number++)
      limits.countAddress("reset", `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`);
    expect(limits.size).toBeLessThanOrEqual(50_000);
  });
});
