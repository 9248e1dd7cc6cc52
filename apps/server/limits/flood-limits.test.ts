import { describe, expect, mock, test } from "bun:test";
import type { Store } from "@countersign/store/store";
import { onDatabase } from "../../../tests/support/query-tests.ts";
import { newId } from "../../../tests/support/test-organization.ts";
import { Problem } from "../http/problem.ts";
import { AccountLimits } from "./account-limits.ts";
import { limits } from "./attempts.ts";
import { FloodLimits } from "./flood-limits.ts";

/** After how many seconds the next attempt is accepted. Null if this one is. */
function refusal(work: Promise<void>): Promise<string | null> {
  return work.then(
    () => null,
    (error) => (error instanceof Problem ? (error.headers["retry-after"] ?? "") : "another error"),
  );
}

// The statement that counts is tested on both databases, in attempts.test.ts of the store.
onDatabase("sqlite", "attempts by account", (fixture) => {
  /** The limits of a node, and an account of this test. */
  const opened = (now: () => number = () => 0, store: Pick<Store, "transaction"> = fixture.store) => ({
    account: `${newId()}@example.com`,
    limits: new AccountLimits(store as Store, now),
  });
  const from = (ip: string | null, deviceId: string | null = null) => ({ ip, deviceId });
  let lastIp = 0;
  const anywhere = () => from(`10.9.${(++lastIp >> 8) & 255}.${lastIp & 255}`);
  const statuses = async (count: number, attempt: () => Promise<void>) => {
    const refusals: (string | null)[] = [];
    for (let time = 0; time < count; time++) refusals.push(await refusal(attempt()));
    return refusals;
  };

  test("attempts beyond an account's limit are spread over time, and a refusal says when the next is accepted", async () => {
    let nowMs = 1_000_000;
    const { account, limits: accounts } = opened(() => nowMs);
    const attempt = () => accounts.check("reset", account, anywhere());
    expect(await statuses(5, attempt)).toEqual([null, null, null, null, "1800"]);
    nowMs += 1_799_500;
    expect(await refusal(attempt())).toBe("1");
    nowMs += 500;
    expect(await statuses(2, attempt)).toEqual([null, "1800"]);
    nowMs += 24 * 3_600_000;
    expect(await statuses(5, attempt)).toEqual([null, null, null, null, "1800"]);
  });

  test("unknown devices have a number of attempts a day, from however many networks", () => {
    const perDay = { sign_in: 500, second_factor: 298, reset: 52, portal_sign_in: 150, portal_code_sent: 22 };
    for (const [attempt, count] of Object.entries(perDay)) {
      const { burst, everyMs } = limits[attempt as keyof typeof perDay].account.anywhere;
      expect([attempt, burst + 86_400_000 / everyMs]).toEqual([attempt, count]);
    }
  });

  test("one network never uses up the limit of the others", async () => {
    for (const attempt of ["sign_in", "sign_up", "second_factor", "reset", "verification"] as const) {
      const { anywhere: all, network } = limits[attempt].account;
      expect(network.burst).toBeLessThan(all.burst);
      expect(network.everyMs).toBeGreaterThanOrEqual(all.everyMs);
      const { account, limits: accounts } = opened();
      const check = (ip: string) => refusal(accounts.check(attempt, account, from(ip)));
      for (let time = 0; time < network.burst; time++) expect(await check("192.0.2.1")).toBeNull();
      expect(await check("192.0.2.1")).toBe(String(network.everyMs / 1_000));
      expect(await check("192.0.2.2")).toBeNull();
    }
  });

  test("an account is the same however its email address is written, on every node", async () => {
    const { account } = opened();
    for (const address of [account, account.toUpperCase(), ` ${account} `, account.replace("e", "E")])
      await opened().limits.check("reset", address, anywhere());
    expect(await refusal(opened().limits.check("reset", account, anywhere()))).not.toBeNull();
    expect(await refusal(opened().limits.check("reset", opened().account, anywhere()))).toBeNull();
  });

  test("a success clears the failures of its own network or device, and only itself from the shared count", async () => {
    const { account, limits: accounts } = opened();
    const check = (origin = anywhere()) => refusal(accounts.check("sign_in", account, origin));
    const own = from("192.0.2.9");
    for (let time = 0; time < 10; time++) await check();
    for (let time = 0; time < 10; time++) expect(await check(own)).toBeNull();
    await accounts.clearFailures("sign_in", account.toUpperCase(), own);
    expect([await check(own), await check(own)]).toEqual([null, "180"]);
    const known = from("192.0.2.9", "a device");
    for (let time = 0; time < 10; time++) expect(await check(known)).toBeNull();
    expect(await check(known)).toBe("60");
    await accounts.clearFailures("sign_in", account, known);
    expect(await check(known)).toBeNull();
  });

  test("a refusal is repeated without a database query, and stored counts identify nobody", async () => {
    const transaction = mock(fixture.store.transaction.bind(fixture.store));
    const { account, limits: accounts } = opened(() => 0, { transaction: transaction as never });
    for (let time = 0; time < 100; time++) await refusal(accounts.check("reset", account, anywhere()));
    expect(transaction).toHaveBeenCalledTimes(5);
    const rows = await fixture.reads.selectFrom("attempts").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(account.split("@")[0] ?? "");
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

  test("an IPv6 network counts as one IP address, and a known device by its owner, whatever its address", () => {
    const flood = new FloodLimits(nowhere, () => 0);
    for (let time = 0; time < 20; time++) flood.countIp("sign_up", `2001:db8::${time.toString(16)}`);
    expect(flood.waitFor("sign_up", "2001:db8::ffff")).toBeGreaterThan(0);
    expect(flood.waitFor("sign_up", "2001:db8:0:1::1")).toBe(0);
    const device = { id: "d", userId: "u", issuedAtMs: 0 };
    expect(flood.waitFor("sign_up", "2001:db8::ffff", device)).toBe(0);
    for (let time = 0; time < 20; time++) flood.countIp("sign_up", `192.0.2.${time}`, device);
    expect(flood.waitFor("sign_up", "198.51.100.1", device)).toBeGreaterThan(0);
  });

  test("at most 50,000 counts of IP addresses are stored", () => {
    const flood = new FloodLimits(nowhere, () => 0);
    for (let number = 0; number < 60_000; number++)
      flood.countIp("reset", `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`);
    expect(flood.size).toBeLessThanOrEqual(50_000);
  });
});
