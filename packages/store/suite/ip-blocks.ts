import { describe, expect, test } from "bun:test";
import { newId } from "../../../tests/support/test-organization.ts";
import { customerFor } from "../queries/customers/identify.ts";
import { addIpBlocks, type BlockScope, removeIpBlock } from "../queries/ip-blocks/blocks.ts";
import { registerIp } from "../queries/licenses/create.ts";
import type { Store } from "../store.ts";
import { statusOf, verdictOf } from "./calls.ts";
import { changeLicense, changeProduct } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function ipBlocks(fixture: StoreFixture) {
  describe("IP blocks", () => {
    for (const tier of ["platform", "organization", "customer", "license"] as const) {
      describe(`of the ${tier}`, () => {
        test("apply from the next call on every node, until any node removes them", async () => {
          const { org, license, scope } = await arrange(fixture, tier);
          const other = await fixture.node();
          const ip = freshIp();
          const expectStatus = async (status: string) => {
            for (const on of [org.store, other])
              expect(await statusOf(org, license.key, { ip, on })).toBe(status);
          };
          await expectStatus("active");
          const id = await block(other, scope, `${ip}/32`);
          await expectStatus("ip_blocked");
          await org.store.transaction((db) => removeIpBlock(db, id, scope));
          await expectStatus("active");
        });

        test("end at the given moment", async () => {
          let nowMs = Date.UTC(2030, 5, 15);
          const { org, license, scope } = await arrange(fixture, tier, () => nowMs);
          const ip = freshIp();
          await block(org.store, scope, `${ip}/32`, nowMs + 60_000);
          nowMs += 59_999;
          expect(await statusOf(org, license.key, { ip })).toBe("ip_blocked");
          nowMs += 1;
          expect(await statusOf(org, license.key, { ip })).toBe("active");
        });

        test("apply to a registered IP address, also without IP tracking", async () => {
          const { org, license, scope } = await arrange(fixture, tier);
          const ip = freshIp();
          await org.store.transaction((db) => registerIp(db, license.id, ip, 1));
          await block(org.store, scope, `${ip}/32`);
          expect(await statusOf(org, license.key, { ip })).toBe("ip_blocked");
          await changeProduct(org, { track_ip_on_validate: 0 });
          expect(await statusOf(org, license.key, { ip })).toBe("ip_blocked");
          await changeLicense(org.store, license.id, { ip_system_enabled: 0 });
          const found = await verdictOf(org, license.key, { ip });
          expect(found).toMatchObject({ status: "ip_blocked", ipRegistered: null });
        });
      });
    }

    const ranges: [cidr: string, ip: string, status: string][] = [
      ["198.18.5.0/24", "198.18.5.255", "ip_blocked"],
      ["198.18.5.0/24", "198.18.6.0", "active"],
      ["198.18.5.0/24", "::ffff:198.18.5.9", "ip_blocked"],
      ["2001:db8:5::/48", "2001:db8:5:ffff::1", "ip_blocked"],
      ["2001:db8:5::/48", "2001:db8:6::1", "active"],
      ["2001:db8:5::7/128", "2001:db8:5::8", "active"],
      ["0.0.0.0/0", "203.0.113.9", "ip_blocked"],
      ["0.0.0.0/0", "2001:db8:9::1", "active"],
    ];
    test.each(ranges)("%s against %s: %s", async (cidr, ip, status) => {
      const { org, license, scope } = await arrange(fixture, "organization");
      await block(org.store, scope, cidr);
      expect(await statusOf(org, license.key, { ip })).toBe(status);
    });

    test("a block of one license does not affect others", async () => {
      const { org, license, scope } = await arrange(fixture, "license");
      const other = await org.license();
      const ip = freshIp();
      await block(org.store, scope, `${ip}/32`);
      const statuses = [await statusOf(org, license.key, { ip }), await statusOf(org, other.key, { ip })];
      expect(statuses).toEqual(["ip_blocked", "active"]);
    });

    test("an organization's blocks, also of a customer, do not affect another organization", async () => {
      for (const tier of ["customer", "organization"] as const) {
        const { org, license, scope } = await arrange(fixture, tier);
        const elsewhere = await fixture.org();
        const customerId = scope.tier === "customer" ? scope.customerId : null;
        const { key } = await elsewhere.license({ customerId });
        const ip = freshIp();
        await block(org.store, scope, `${ip}/32`);
        expect(await statusOf(org, license.key, { ip })).toBe("ip_blocked");
        expect(await statusOf(elsewhere, key, { ip })).toBe("active");
      }
    });

    test("the longer of two blocks of one IP address applies", async () => {
      const nowMs = Date.UTC(2030, 5, 15);
      const { org, license, scope } = await arrange(fixture, "license", () => nowMs);
      const ip = freshIp();
      await block(org.store, scope, `${ip}/32`, nowMs - 1);
      await block(org.store, scope, `${ip}/32`, null);
      expect(await statusOf(org, license.key, { ip })).toBe("ip_blocked");
    });
  });
}

async function arrange(fixture: StoreFixture, tier: BlockScope["tier"], now?: () => number) {
  const org = await fixture.org(now === undefined ? {} : { now });
  const { organizationId } = org;
  const who = { email: `${newId()}@example.com`, name: null, discordId: null };
  const customerId = await org.store.transaction((db) => customerFor(db, organizationId, who, newId, 1));
  const license = await org.license({ customerId, maxIps: 100 });
  const ids = { organizationId, customerId, licenseId: license.id };
  const scopes: Record<typeof tier, BlockScope> = {
    platform: { tier: "platform" },
    organization: { tier: "organization", ...ids },
    customer: { tier: "customer", ...ids },
    license: { tier: "license", ...ids },
  };
  return { org, license, scope: scopes[tier] };
}

async function block(store: Store, scope: BlockScope, cidr: string, expiresAtMs: number | null = null) {
  const id = newId();
  await store.transaction((db) => addIpBlocks(db, [{ id, scope, cidr, note: null, expiresAtMs }], 1));
  return id;
}

let addresses = 0;

/** Never the same twice, because a platform block affects every test on the database. */
function freshIp(): string {
  addresses += 1;
  return `198.19.${addresses >> 8}.${addresses & 255}`;
}
