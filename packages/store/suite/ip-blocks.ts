import { describe, expect, test } from "bun:test";
import { newId } from "../../../tests/support/test-organization.ts";
import { customerFor } from "../queries/customers/identify.ts";
import { addIpBlocks, type BlockScope, removeIpBlock } from "../queries/ip-blocks/blocks.ts";
import type { Store } from "../store.ts";
import { statusOf, verdictOf } from "./calls.ts";
import { changeLicense, changeProduct } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function ipBlocks(fixture: StoreFixture) {
  describe("IP blocks", () => {
    test.each(["platform", "organization", "customer", "license"] as const)(
      "a block of the %s applies from the next call on every node, also to a registered IP address, until it ends or is removed",
      async (tier) => {
        let nowMs = Date.UTC(2030, 5, 15);
        const { org, license, scope } = await arrange(fixture, tier, () => nowMs);
        const other = await fixture.node();
        const ip = freshIp();
        const expectStatus = async (status: string) => {
          for (const on of [org.store, other])
            expect(await statusOf(org, license.key, { ip, on })).toBe(status);
        };
        await expectStatus("active");
        await block(other, scope, `${ip}/32`, nowMs + 60_000);
        nowMs += 59_999;
        await expectStatus("ip_blocked");
        await changeProduct(org, { track_ip_on_validate: 0 });
        await expectStatus("ip_blocked");
        await changeLicense(org.store, license.id, { ip_system_enabled: 0 });
        const blocked = { status: "ip_blocked", ipRegistered: null };
        expect(await verdictOf(org, license.key, { ip })).toMatchObject(blocked);
        nowMs += 1;
        await expectStatus("active");
        // Of two blocks of one IP address, the longer applies.
        const id = await block(other, scope, `${ip}/32`);
        await expectStatus("ip_blocked");
        await org.store.transaction((db) => removeIpBlock(db, id, scope));
        await expectStatus("active");
      },
    );

    const ranges: [cidr: string, ip: string, status: string][] = [
      ["198.18.5.0/24", "198.18.5.255", "ip_blocked"],
      ["198.18.5.0/24", "198.18.6.0", "active"],
      ["198.18.5.0/24", "::ffff:198.18.5.9", "ip_blocked"],
      ["2001:db8:5::/48", "2001:db8:5:ffff::1", "ip_blocked"],
      ["2001:db8:5::/48", "2001:db8:6::1", "active"],
      ["0.0.0.0/0", "203.0.113.9", "ip_blocked"],
      ["0.0.0.0/0", "2001:db8:9::1", "active"],
    ];
    test.each(ranges)("with a block of %s, a validation from %s is %s", async (cidr, ip, status) => {
      const { org, license, scope } = await arrange(fixture, "organization");
      await block(org.store, scope, cidr);
      expect(await statusOf(org, license.key, { ip })).toBe(status);
    });

    test("a block of a license does not affect others, nor one of an organization or its customer another organization", async () => {
      for (const tier of ["license", "customer", "organization"] as const) {
        const { org, license, customerId, scope } = await arrange(fixture, tier);
        const elsewhere = tier === "license" ? org : await fixture.org();
        const other = await elsewhere.license({ customerId });
        const ip = freshIp();
        await block(org.store, scope, `${ip}/32`);
        // It has blocks of its own, so they are looked for.
        const { organizationId } = elsewhere;
        await block(org.store, { ...scope, organizationId } as BlockScope, `${freshIp()}/32`);
        expect(await statusOf(org, license.key, { ip })).toBe("ip_blocked");
        expect(await statusOf(elsewhere, other.key, { ip })).toBe("active");
      }
    });
  });
}

async function arrange(fixture: StoreFixture, tier: BlockScope["tier"], now: () => number = Date.now) {
  const org = await fixture.org({ now });
  const { organizationId } = org;
  const who = { email: `${newId()}@example.com`, name: null, discordId: null };
  const customerId = await org.store.transaction((db) => customerFor(db, organizationId, who, newId, 1));
  const license = await org.license({ customerId, maxIps: 100 });
  const scope: BlockScope = { tier, organizationId, customerId, licenseId: license.id };
  return { org, license, customerId, scope };
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
