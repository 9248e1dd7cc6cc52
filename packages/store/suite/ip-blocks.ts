import { describe, expect, test } from "bun:test";
import { newId, type Seller } from "../../../tests/support/seller.ts";
import { customerFor } from "../queries/customers.ts";
import { addIpBlocks, type BlockScope, removeIpBlock } from "../queries/ip-blocks.ts";
import { registerIp } from "../queries/licenses.ts";
import type { Store } from "../store.ts";
import { validate, verdict } from "./calls.ts";
import { changeProduct } from "./changes.ts";
import type { Stage } from "./stage.ts";

export function ipBlocks(stage: Stage) {
  describe("IP blocks", () => {
    for (const tier of ["platform", "organization", "customer", "license"] as const) {
      describe(`of the ${tier}`, () => {
        test("hold from the next call on, on every node, until they are removed on any", async () => {
          const { seller, license, scope } = await arrange(stage, tier);
          const other = await stage.node();
          const ip = freshAddress();
          const statuses = async () => [
            (await verdict(seller.store, validate(seller.apiKey, license.key, { ip }))).status,
            (await verdict(other, validate(seller.apiKey, license.key, { ip }))).status,
          ];
          expect(await statuses()).toEqual(["active", "active"]);
          const id = await block(other, scope, `${ip}/32`);
          expect(await statuses()).toEqual(["ip_blocked", "ip_blocked"]);
          await seller.store.transaction((db) => removeIpBlock(db, id, scope));
          expect(await statuses()).toEqual(["active", "active"]);
        });

        test("end at the moment they were given", async () => {
          let nowMs = Date.UTC(2030, 5, 15);
          const { seller, license, scope } = await arrange(stage, tier, () => nowMs);
          const ip = freshAddress();
          await block(seller.store, scope, `${ip}/32`, nowMs + 60_000);
          const status = async () =>
            (await verdict(seller.store, validate(seller.apiKey, license.key, { ip }))).status;
          nowMs += 59_999;
          expect(await status()).toBe("ip_blocked");
          nowMs += 1;
          expect(await status()).toBe("active");
        });

        test("hold for a registered address, and where tracking and the IP system are off", async () => {
          const { seller, license, scope } = await arrange(stage, tier);
          const ip = freshAddress();
          await seller.store.transaction((db) => registerIp(db, license.id, ip, 1));
          await block(seller.store, scope, `${ip}/32`);
          const call = validate(seller.apiKey, license.key, { ip });
          expect((await verdict(seller.store, call)).status).toBe("ip_blocked");
          await changeProduct(seller, { track_ip_on_validate: 0 });
          expect((await verdict(seller.store, call)).status).toBe("ip_blocked");
          await seller.store.transaction((db) =>
            db.updateTable("licenses").set({ ip_system_enabled: 0 }).where("id", "=", license.id).execute(),
          );
          expect(await verdict(seller.store, call)).toMatchObject({
            status: "ip_blocked",
            ipRegistered: null,
          });
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
      const { seller, license, scope } = await arrange(stage, "organization");
      await block(seller.store, scope, cidr);
      expect(await verdict(seller.store, validate(seller.apiKey, license.key, { ip }))).toMatchObject({
        status,
      });
    });

    test("a block against one license leaves the others alone", async () => {
      const { seller, license, scope } = await arrange(stage, "license");
      const other = await seller.license();
      const ip = freshAddress();
      await block(seller.store, scope, `${ip}/32`);
      const calls = [license, other].map(({ key }) => validate(seller.apiKey, key, { ip }));
      expect(
        (await seller.store.judge(calls)).map((one) => (one.tag === "validated" ? one.verdict.status : "?")),
      ).toEqual(["ip_blocked", "active"]);
    });

    test("one organization's block against a customer does not reach the customer elsewhere", async () => {
      const { seller, license, scope } = await arrange(stage, "customer");
      const elsewhere = await stage.seller();
      const customerId = scope.tier === "customer" ? scope.customerId : "";
      const { key } = await elsewhere.license({ customerId });
      const ip = freshAddress();
      await block(seller.store, scope, `${ip}/32`);
      expect((await verdict(seller.store, validate(seller.apiKey, license.key, { ip }))).status).toBe(
        "ip_blocked",
      );
      expect((await verdict(seller.store, validate(elsewhere.apiKey, key, { ip }))).status).toBe("active");
    });

    test("one organization's blocks do not reach another's", async () => {
      const { seller, scope } = await arrange(stage, "organization");
      const elsewhere = await stage.seller();
      const { key } = await elsewhere.license();
      const ip = freshAddress();
      await block(seller.store, scope, `${ip}/32`);
      expect((await verdict(seller.store, validate(elsewhere.apiKey, key, { ip }))).status).toBe("active");
    });

    test("the longer of two blocks of one address counts", async () => {
      const nowMs = Date.UTC(2030, 5, 15);
      const { seller, license, scope } = await arrange(stage, "license", () => nowMs);
      const ip = freshAddress();
      await block(seller.store, scope, `${ip}/32`, nowMs - 1);
      await block(seller.store, scope, `${ip}/32`, null);
      expect((await verdict(seller.store, validate(seller.apiKey, license.key, { ip }))).status).toBe(
        "ip_blocked",
      );
    });
  });
}

async function arrange(stage: Stage, tier: BlockScope["tier"], now?: () => number) {
  const seller = await stage.seller(now === undefined ? {} : { now });
  const { organizationId } = seller;
  const who = { email: `${newId()}@example.com`, name: null, discordId: null };
  const customerId = await seller.store.transaction((db) => customerFor(db, organizationId, who, newId, 1));
  const license = await seller.license({ customerId, maxIps: 100 });
  return { seller, license, scope: scopeOf(tier, seller, customerId, license.id) };
}

function scopeOf(
  tier: BlockScope["tier"],
  { organizationId }: Seller,
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

/** Never the same twice, because a platform's block reaches every test on the database. */
function freshAddress(): string {
  addresses += 1;
  return `198.19.${addresses >> 8}.${addresses & 255}`;
}
