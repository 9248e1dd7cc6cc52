import { describe, expect, test } from "bun:test";
import { registeredIps } from "../../../tests/support/public-api-fixture.ts";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import type { CallResult } from "../calls.ts";
import { registerIp } from "../queries/licenses/create.ts";
import type { Store } from "../store.ts";
import { as, race, times, validate, verdict } from "./calls.ts";
import { changeLicense, changeProduct, resetIps } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function ipRegistration(fixture: StoreFixture) {
  describe("IP registration", () => {
    test.each([1, 5, 50])(
      "in concurrent batches of %p, 50 IP addresses take exactly 3 slots",
      async (batchSize) => {
        const org = await fixture.org();
        const { id, key } = await org.license({ maxIps: 3 });
        const nodes = await fixture.nodes(fixture.kind === "postgres" ? 3 : 1);
        const calls = times(200, (index) => validate(org.apiKey, key, { ip: `10.1.0.${index % 50}` }));
        const results = await race(nodes, calls, batchSize);
        const ips = await registeredIps(org.store, id);
        expect(ips).toHaveLength(3);
        expect(await ipCount(org.store, id)).toBe(3);
        expect(newlyRegistered(results)).toBe(3);
        calls.forEach((call, index) => {
          const { status } = as("validated", results[index]).verdict;
          expect(status).toBe(ips.includes(call.ipAddress.text) ? "active" : "ip_limit_reached");
        });
      },
    );

    test("in concurrent batches, first_only registers one IP address and rejects the others", async () => {
      const org = await fixture.org({ settings: { auto_register_scope: "first_only" } });
      const { id, key } = await org.license({ maxIps: 3 });
      const nodes = await fixture.nodes(fixture.kind === "postgres" ? 3 : 1);
      const calls = times(60, (index) => validate(org.apiKey, key, { ip: `10.2.0.${index % 20}` }));
      const results = await race(nodes, calls, 4);
      const ips = await registeredIps(org.store, id);
      expect(ips).toHaveLength(1);
      expect(newlyRegistered(results)).toBe(1);
      calls.forEach((call, index) => {
        const { status } = as("validated", results[index]).verdict;
        expect(status).toBe(ips.includes(call.ipAddress.text) ? "active" : "ip_not_registered");
      });
    });

    test("concurrent calls from one IP address register it once and report it once", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ maxIps: 3 });
      const nodes = await fixture.nodes(2);
      const results = await race(
        nodes,
        times(40, () => validate(org.apiKey, key, { ip: "10.3.0.1" })),
        4,
      );
      expect(await registeredIps(org.store, id)).toEqual(["10.3.0.1"]);
      expect(newlyRegistered(results)).toBe(1);
      expect(results.map((one) => as("validated", one).verdict.ipCount)).toEqual(times(40, () => 1));
    });

    test("a batch assigns slots in order, and each result has the count up to it", async () => {
      const org = await fixture.org();
      const { key } = await org.license({ maxIps: 2 });
      const results = await org.store.validateBatch(
        ["10.4.0.1", "10.4.0.1", "10.4.0.2", "10.4.0.3", "10.4.0.2"].map((ip) =>
          validate(org.apiKey, key, { ip }),
        ),
      );
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
      for (const ip of ips) await verdict(org.store, validate(org.apiKey, key, { ip }));
      expect(await registeredIps(org.store, id)).toEqual(counted);
    });

    test("allow-list mode accepts only listed IP addresses and adds none", async () => {
      const org = await fixture.org({ settings: { auto_register_ip_on_validate: 0 } });
      const { id, key } = await org.license({ maxIps: 2 });
      await org.store.transaction((db) => registerIp(db, id, "10.7.0.1", 1));
      const status = async (ip: string) =>
        (await verdict(org.store, validate(org.apiKey, key, { ip }))).status;
      expect(await status("10.7.0.1")).toBe("active");
      expect(await status("10.7.0.2")).toBe("ip_not_registered");
      expect(await registeredIps(org.store, id)).toEqual(["10.7.0.1"]);
    });

    test("without tracking, no IP address is registered and every one is accepted", async () => {
      const org = await fixture.org({ settings: { track_ip_on_validate: 0 } });
      const { id, key } = await org.license({ maxIps: 1 });
      for (const ip of ["10.8.0.1", "10.8.0.2"]) {
        expect(await verdict(org.store, validate(org.apiKey, key, { ip }))).toMatchObject({
          status: "active",
          ipRegistered: false,
          ipCount: 0,
        });
      }
      expect(await registeredIps(org.store, id)).toEqual([]);
    });

    test("a raised limit adds slots, and a lowered one keeps registered IP addresses", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ maxIps: 1 });
      const status = async (ip: string) =>
        (await verdict(org.store, validate(org.apiKey, key, { ip }))).status;
      expect([await status("10.9.0.1"), await status("10.9.0.2")]).toEqual(["active", "ip_limit_reached"]);
      await changeLicense(org.store, id, { max_ips: 2 });
      expect([await status("10.9.0.2"), await status("10.9.0.3")]).toEqual(["active", "ip_limit_reached"]);
      await changeLicense(org.store, id, { max_ips: 1 });
      expect([await status("10.9.0.1"), await status("10.9.0.2"), await status("10.9.0.3")]).toEqual([
        "active",
        "active",
        "ip_limit_reached",
      ]);
    });

    test("a reset frees all slots", async () => {
      const org = await fixture.org();
      const { id, key } = await org.license({ maxIps: 1 });
      await verdict(org.store, validate(org.apiKey, key, { ip: "10.10.0.1" }));
      await resetIps(org.store, id);
      expect(await verdict(org.store, validate(org.apiKey, key, { ip: "10.10.0.2" }))).toMatchObject({
        status: "active",
        ipRegistered: true,
        ipCount: 1,
      });
    });

    test("a rejected version takes no slot", async () => {
      const org = await fixture.org();
      await changeProduct(org, { version_module_enabled: 1 });
      const { id, key } = await org.license();
      await verdict(org.store, validate(org.apiKey, key, { version: "1" }));
      expect(await registeredIps(org.store, id)).toEqual([]);
    });
  });
}

async function ipCount(store: Store, licenseId: string) {
  const row = await storedRow(store.reads, "licenses", { id: licenseId });
  return row.ip_count;
}

function newlyRegistered(results: readonly CallResult[]): number {
  return results.filter((one) => as("validated", one).verdict.ipRegistered === true).length;
}
