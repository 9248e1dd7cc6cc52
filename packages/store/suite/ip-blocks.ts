import { describe, expect, test } from "bun:test";
import { newId, type TestOrganization } from "../../../tests/support/test-organization.ts";
import { customerFor } from "../queries/customers/identify.ts";
import { addIpBlocks, type BlockScope, removeIpBlock } from "../queries/ip-blocks/blocks.ts";
import { registerIp } from "../queries/licenses/create.ts";
import type { Store } from "../store.ts";
import { validate, verdict } from "./calls.ts";
import { changeProduct } from "./changes.ts";
import type { StoreFixture } from "./fixture.ts";

export function ipBlocks(fixture: StoreFixture) {
  describe("IP blocks", () => {
    for (const tier of ["platform", "organization", "customer", "license"] as const) {
      describe(`of the ${tier}`, () => {
        test("apply from the next call on every node, until any node removes them", async () => {
          const { org, license, scope } = await arrange(fixture, tier);
          const other = await fixture.node();
          const ip = freshIp();
          const statuses = async () => [
            (await verdict(org.store, validate(org.apiKey, license.key, { ip }))).status,
            (await verdict(other, validate(org.apiKey, license.key, { ip }))).status,
          ];
          expect(await statuses()).toEqual(["active", "active"]);
          const id = await block(other, scope, `${ip}/32`);
          expect(await statuses()).toEqual(["ip_blocked", "ip_blocked"]);
          await org.store.transaction((db) => removeIpBlock(db, id, scope));
          expect(await statuses()).toEqual(["active", "active"]);
        });

        test("end at the given moment", async () => {
          let nowMs = Date.UTC(2030, 5, 15);
          const { org, license, scope } = await arrange(fixture, tier, () => nowMs);
          const ip = freshIp();
          await block(org.store, scope, `${ip}/32`, nowMs + 60_000);
          const status = async () =>
            (await verdict(org.store, validate(org.apiKey, license.key, { ip }))).status;
          nowMs += 59_999;
          expect(await status()).toBe("ip_blocked");
          nowMs += 1;
          expect(await status()).toBe("active");
        });

        test("apply to a registered IP address, also without IP tracking", async () => {
          const { org, license, scope } = await arrange(fixture, tier);
          const ip = freshIp();
          await org.store.transaction((db) => registerIp(db, license.id, ip, 1));
          await block(org.store, scope, `${ip}/32`);
          const call = validate(org.apiKey, license.key, { ip });
          expect((await verdict(org.store, call)).status).toBe("ip_blocked");
          await changeProduct(org, { track_ip_on_validate: 0 });
          expect((await verdict(org.store, call)).status).toBe("ip_blocked");
          await org.store.transaction((db) =>
            db.updateTable("licenses").set({ ip_system_enabled: 0 }).where("id", "=", license.id).execute(),
          );
          expect(await verdict(org.store, call)).toMatchObject({ status: "ip_blocked", ipRegistered: null });
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
      expect(await verdict(org.store, validate(org.apiKey, license.key, { ip }))).toMatchObject({ status });
    });

    test("a block of one license does not affect others", async () => {
      const { org, license, scope } = await arrange(fixture, "license");
      const other = await org.license();
      const ip = freshIp();
      await block(org.store, scope, `${ip}/32`);
      const calls = [license, other].map(({ key }) => validate(org.apiKey, key, { ip }));
      expect(
        (await org.store.validateBatch(calls)).map((one) =>
          one.tag === "validated" ? one.verdict.status : "?",
        ),
      ).toEqual(["ip_blocked", "active"]);
    });

    test("an organization's block of a customer does not affect that customer elsewhere", async () => {
      const { org, license, scope } = await arrange(fixture, "customer");
      const elsewhere = await fixture.org();
      const customerId = scope.tier === "customer" ? scope.customerId : "";
      const { key } = await elsewhere.license({ customerId });
      const ip = freshIp();
      await block(org.store, scope, `${ip}/32`);
      expect((await verdict(org.store, validate(org.apiKey, license.key, { ip }))).status).toBe("ip_blocked");
      expect((await verdict(org.store, validate(elsewhere.apiKey, key, { ip }))).status).toBe("active");
    });

    test("an organization's blocks do not affect another organization", async () => {
      const { org, scope } = await arrange(fixture, "organization");
      const elsewhere = await fixture.org();
      const { key } = await elsewhere.license();
      const ip = freshIp();
      await block(org.store, scope, `${ip}/32`);
      expect((await verdict(org.store, validate(elsewhere.apiKey, key, { ip }))).status).toBe("active");
    });

    test("the longer of two blocks of one IP address applies", async () => {
      const nowMs = Date.UTC(2030, 5, 15);
      const { org, license, scope } = await arrange(fixture, "license", () => nowMs);
      const ip = freshIp();
      await block(org.store, scope, `${ip}/32`, nowMs - 1);
      await block(org.store, scope, `${ip}/32`, null);
      expect((await verdict(org.store, validate(org.apiKey, license.key, { ip }))).status).toBe("ip_blocked");
    });
  });
}

async function arrange(fixture: StoreFixture, tier: BlockScope["tier"], now?: () => number) {
  const org = await fixture.org(now === undefined ? {} : { now });
  const { organizationId } = org;
  const who = { email: `${newId()}@example.com`, name: null, discordId: null };
  const customerId = await org.store.transaction((db) => customerFor(db, organizationId, who, newId, 1));
  const license = await org.license({ customerId, maxIps: 100 });
  return { org, license, scope: scopeOf(tier, org, customerId, license.id) };
}

function scopeOf(
  tier: BlockScope["tier"],
  { organizationId }: TestOrganization,
  customerId: string,
  licenseId: string,
): BlockScope {
  switch (tier) {
    case "platform":
      return { tier };
    case "organization":
      return { tier, organizationId };
    case "customer":
      return { tier, organizationId, customerId };
    case "license":
      return { tier, organizationId, licenseId };
  }
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
