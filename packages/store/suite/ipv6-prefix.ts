import { describe, expect, test } from "bun:test";
import { registeredIps } from "../../../tests/support/public-api-fixture.ts";
import { storedRow } from "../../../tests/support/stored-rows.ts";
import { registerIp } from "../queries/licenses/create.ts";
import { as, race, statusOf, times, validate, verdictOf } from "./calls.ts";
import { changeLicense, changeProduct, resetIps } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

/** How a change of a product's `ipv6_prefix` affects registered IP addresses. */
export function ipv6Prefix(fixture: StoreFixture) {
  describe("changes of ipv6_prefix", () => {
    /** A product that counts IPv6 callers by this prefix, and a license for them. */
    const arrange = async (ipv6_prefix: 64 | 128, maxIps: number, settings = {}) => {
      const org = await fixture.org({ settings: { ...settings, ipv6_prefix } });
      const { id, key } = await org.license({ maxIps });
      const ask = async (ip: string) => {
        const { status, ipRegistered, ipCount } = await verdictOf(org, key, { ip });
        return [status, ipRegistered, ipCount];
      };
      return { org, id, ask };
    };

    test("after a change to /64, callers in the /64 of a registered address need no slot, also beyond a lowered limit", async () => {
      const { org, id, ask } = await arrange(128, 2);
      expect(await ask("2001:db8:0:1::1")).toEqual(["active", true, 1]);
      await changeProduct(org, { ipv6_prefix: 64 });
      expect(await ask("2001:db8:0:1::1")).toEqual(["active", false, 1]);
      expect(await ask("2001:db8:0:1:ffff::9")).toEqual(["active", false, 1]);
      expect(await ask("2001:db8:0:2::1")).toEqual(["active", true, 2]);
      expect(await ask("2001:db8:0:3::1")).toEqual(["ip_limit_reached", false, 2]);
      expect(await registeredIps(org.store, id)).toEqual(["2001:db8:0:1::1", "2001:db8:0:2::/64"]);
      await changeLicense(org.store, id, { max_ips: 1 });
      expect(await ask("2001:db8:0:1::7")).toEqual(["active", false, 2]);
    });

    test("after a change to /128, a registered /64 covers its addresses until it is removed", async () => {
      const { org, id, ask } = await arrange(64, 2);
      expect(await ask("2001:db8:0:1::1")).toEqual(["active", true, 1]);
      await changeProduct(org, { ipv6_prefix: 128 });
      expect(await ask("2001:db8:0:1::1")).toEqual(["active", false, 1]);
      expect(await ask("2001:db8:0:1::2")).toEqual(["active", false, 1]);
      expect(await ask("2001:db8:0:2::1")).toEqual(["active", true, 2]);
      expect(await ask("2001:db8:0:2::2")).toEqual(["ip_limit_reached", false, 2]);
      await resetIps(org.store, id);
      expect(await ask("2001:db8:0:1::1")).toEqual(["active", true, 1]);
      expect(await ask("2001:db8:0:1::2")).toEqual(["active", true, 2]);
      expect(await ask("2001:db8:0:1::3")).toEqual(["ip_limit_reached", false, 2]);
    });

    test("a change of the prefix keeps allow-lists of either size valid, adds nothing and does not affect IPv4", async () => {
      const { org, id, ask } = await arrange(128, 3, { auto_register_ip_on_validate: 0 });
      const listed = ["10.6.0.1", "2001:db8:0:1::1", "2001:db8:0:9::/64"];
      for (const ip of listed) await org.store.transaction((db) => registerIp(db, id, ip, 1));
      const callers = ["0:1::1", "0:1::2", "0:9::7", "0:2::1"].map((end) => `2001:db8:${end}`);
      const statuses = async () =>
        Promise.all([...callers, "10.6.0.1", "10.6.0.2"].map(async (ip) => (await ask(ip))[0]));
      const no = "ip_not_registered";
      expect(await statuses()).toEqual(["active", no, "active", no, "active", no]);
      await changeProduct(org, { ipv6_prefix: 64 });
      expect(await statuses()).toEqual(["active", "active", "active", no, "active", no]);
      expect(await registeredIps(org.store, id)).toEqual(listed);
    });

    test("changes of the prefix under load give no license more slots than it has", async () => {
      const org = await fixture.org({ settings: { ipv6_prefix: 128 } });
      const licenses = await Promise.all(times(4, () => org.license({ maxIps: 3 })));
      const nodes = await fixture.nodes(fixture.kind === "postgres" ? 3 : 1);
      const calls = times(600, (index) =>
        validate(org.apiKey, licenses[index % 4]?.key ?? "", {
          ip: `2001:db8:0:${Math.floor(index / 4) % 6}::${index % 5}`,
        }),
      );
      let isOver = false;
      const switching = (async () => {
        for (let round = 0; !isOver && round < 400; round += 1)
          await changeProduct(org, { ipv6_prefix: round % 2 === 0 ? 64 : 128 });
      })();
      const results = await race(nodes, calls, 7);
      isOver = true;
      await switching;
      const rows = await Promise.all(licenses.map(({ id }) => registeredIps(org.store, id)));
      for (const [at, { id }] of licenses.entries()) {
        const { ip_count } = await storedRow(org.store.reads, "licenses", { id });
        expect(ip_count).toBeWithin(0, 4);
        expect(rows[at]).toHaveLength(ip_count);
      }
      const registered = results.filter((one) => as("validated", one).verdict.ipRegistered === true).length;
      expect(registered).toBe(rows.flat().length);
      // Registered by now, in either form, so none of these is rejected.
      for (const ipv6_prefix of [64, 128] as const) {
        await changeProduct(org, { ipv6_prefix });
        for (const [position, ips] of rows.entries())
          for (const ip of ips) {
            const key = licenses[position]?.key ?? "";
            expect([ip, await statusOf(org, key, { ip: ip.replace("/64", "1") })]).toEqual([ip, "active"]);
          }
      }
    });
  });
}
