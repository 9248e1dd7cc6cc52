import { describe, expect, test } from "bun:test";
import { registeredIps } from "../../../tests/support/public-api-fixture.ts";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import type { CallResult } from "../calls.ts";
import { registerIp } from "../queries/licenses/create.ts";
import { as, askFrom, race, statusOf, times, validate, verdictOf } from "./calls.ts";
import { changeLicense, changeProduct, resetIps } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function ipRegistration(fixture: StoreFixture) {
  describe("IP registration", () => {
    const nodes = () => fixture.nodes(fixture.kind === "postgres" ? 3 : 1);
    test.each([
      { scope: "until_limit", batchSize: 1, slots: 3, otherwise: "ip_limit_reached" },
      { scope: "until_limit", batchSize: 5, slots: 3, otherwise: "ip_limit_reached" },
      { scope: "until_limit", batchSize: 50, slots: 3, otherwise: "ip_limit_reached" },
      { scope: "first_only", batchSize: 4, slots: 1, otherwise: "ip_not_registered" },
    ] as const)(
      "in concurrent batches of $batchSize, 50 IP addresses take exactly $slots slots: $otherwise",
      async ({ scope, batchSize, slots, otherwise }) => {
        const org = await fixture.org({ settings: { auto_register_scope: scope } });
        const { id, key } = await org.license({ maxIps: 3 });
        const calls = times(200, (index) => validate(org.apiKey, key, { ip: `10.1.0.${index % 50}` }));
        const results = await race(await nodes(), calls, batchSize);
        const ips = await registeredIps(org.store, id);
        const { ip_count } = await storedRow(org.store.reads, "licenses", { id });
        expect([ips.length, ip_count, newlyRegistered(results)]).toEqual([slots, slots, slots]);
        calls.forEach((call, index) => {
          const { status } = as("validated", results[index]).verdict;
          expect(status).toBe(ips.includes(call.ipAddress.text) ? "active" : otherwise);
        });
      },
    );

    test("concurrent calls from one IP address register it once and report it once", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ maxIps: 3 });
      const calls = times(40, () => validate(org.apiKey, key, { ip: "10.3.0.1" }));
      const results = await race(await fixture.nodes(2), calls, 4);
      expect(await registeredIps(org.store, id)).toEqual(["10.3.0.1"]);
      expect(newlyRegistered(results)).toBe(1);
      expect(results.map((one) => as("validated", one).verdict.ipCount)).toEqual(times(40, () => 1));
    });

    test("a batch assigns slots in order, and each result has the count up to it", async () => {
      const org = await fixture.org();
      const { key } = await org.license({ maxIps: 2 });
      const ips = ["10.4.0.1", "10.4.0.1", "10.4.0.2", "10.4.0.3", "10.4.0.2"];
      const results = await askFrom(org, key, ips);
      const answer = results.map((one) => {
        const { status, ipRegistered, ipCount } = as("validated", one).verdict;
        return [status, ipRegistered, ipCount];
      });
      expect(answer).toEqual([
        ["active", true, 1],
        ["active", false, 1],
        ["active", true, 2],
        ["ip_limit_reached", false, 2],
        ["active", false, 2],
      ]);
    });

    test("licenses of one batch take slots independently", async () => {
      const org = await fixture.org();
      const licenses = [await org.license({ maxIps: 1 }), await org.license({ maxIps: 2 })];
      const calls = ["10.5.0.1", "10.5.0.2", "10.5.0.3"].flatMap((ip) =>
        licenses.map(({ key }) => validate(org.apiKey, key, { ip })),
      );
      await org.store.validateBatch(calls);
      expect(await registeredIps(org.store, licenses[0]?.id ?? "")).toEqual(["10.5.0.1"]);
      expect(await registeredIps(org.store, licenses[1]?.id ?? "")).toEqual(["10.5.0.1", "10.5.0.2"]);
    });

    const prefixes: [prefix: 64 | 128, counted: string[]][] = [
      [64, ["10.6.0.1", "2001:db8:0:1::/64", "2001:db8:0:2::/64"]],
      [128, ["10.6.0.1", "2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:2::1"]],
    ];
    test.each(prefixes)("an IPv6 caller is counted as its /%p", async (ipv6_prefix, counted) => {
      const org = await fixture.org({ settings: { ipv6_prefix } });
      const { id, key } = await org.license({ maxIps: 10 });
      const ips = ["2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:2::1", "10.6.0.1", "::ffff:10.6.0.1"];
      for (const ip of ips) await verdictOf(org, key, { ip });
      expect(await registeredIps(org.store, id)).toEqual(counted);
    });

    test("allow-list mode accepts only listed IP addresses and adds none", async () => {
      const org = await fixture.org({ settings: { auto_register_ip_on_validate: 0 } });
      const { id, key } = await org.license({ maxIps: 2 });
      await org.store.transaction((db) => registerIp(db, id, "10.7.0.1", 1));
      expect(await statusOf(org, key, { ip: "10.7.0.1" })).toBe("active");
      expect(await statusOf(org, key, { ip: "10.7.0.2" })).toBe("ip_not_registered");
      expect(await registeredIps(org.store, id)).toEqual(["10.7.0.1"]);
    });

    test("without tracking, no IP address is registered and every one is accepted", async () => {
      const org = await fixture.org({ settings: { track_ip_on_validate: 0 } });
      const { id, key } = await org.license({ maxIps: 1 });
      const accepted = { status: "active", ipRegistered: false, ipCount: 0 };
      for (const ip of ["10.8.0.1", "10.8.0.2"])
        expect(await verdictOf(org, key, { ip })).toMatchObject(accepted);
      expect(await registeredIps(org.store, id)).toEqual([]);
    });

    test("a raised limit adds slots, a lowered one keeps registered IP addresses, and a reset frees all", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ maxIps: 1 });
      const statuses = async (...hosts: number[]) => {
        const ips = hosts.map((host) => `10.9.0.${host}`);
        return (await askFrom(org, key, ips)).map((one) => as("validated", one).verdict.status);
      };
      expect(await statuses(1, 2)).toEqual(["active", "ip_limit_reached"]);
      await changeLicense(org.store, id, { max_ips: 2 });
      expect(await statuses(2, 3)).toEqual(["active", "ip_limit_reached"]);
      await changeLicense(org.store, id, { max_ips: 1 });
      expect(await statuses(1, 2, 3)).toEqual(["active", "active", "ip_limit_reached"]);
      await resetIps(org.store, id);
      expect(await statuses(4, 1)).toEqual(["active", "ip_limit_reached"]);
    });

    test("a rejected version takes no slot", async () => {
      const org = await fixture.org();
      await changeProduct(org, { version_module_enabled: 1 });
      const { id, key } = await org.license();
      await verdictOf(org, key, { version: "1" });
      expect(await registeredIps(org.store, id)).toEqual([]);
    });
  });
}

function newlyRegistered(results: readonly CallResult[]): number {
  return results.filter((one) => as("validated", one).verdict.ipRegistered === true).length;
}
