import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { validate, verdict } from "@countersign/store/suite/calls";
import { yieldToEventLoop } from "@countersign/store/yield-to-event-loop";
import { databases, type TestDatabase } from "../../../../tests/support/databases.ts";
import { registeredIps } from "../../../../tests/support/scene.ts";
import { openSeller, type Seller } from "../../../../tests/support/seller.ts";
import { IpMerging } from "./merge-ips.ts";

describe.each(databases)("merging registered IPv6 addresses on $kind", ({ make }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await make();
  }, 60_000);
  afterAll(() => database.remove());

  const selling = async (work: (seller: Seller) => Promise<void>) => {
    const seller = await openSeller(database.location, { settings: { ipv6_prefix: 128 } });
    try {
      await work(seller);
    } finally {
      await seller.store.close();
    }
  };
  const countBy64 = (seller: Seller) =>
    seller.store.transaction((db) =>
      db
        .updateTable("products")
        .set({ ipv6_prefix: 64, merge_ips_after: "" })
        .where("id", "=", seller.productId)
        .execute(),
    );
  const ipCount = async (seller: Seller, id: string) =>
    (
      await seller.store.reads
        .selectFrom("licenses")
        .select("ip_count")
        .where("id", "=", id)
        .executeTakeFirstOrThrow()
    ).ip_count;
  const registered = (seller: Seller, id: string) =>
    seller.store.reads
      .selectFrom("license_ips")
      .select(["ip", "network", "registered_at"])
      .where("license_id", "=", id)
      .orderBy("ip")
      .execute();

  test("addresses of one /64 become one registration, as old as the oldest, and free places", async () => {
    await selling(async (seller) => {
      const { id, key } = await seller.license({ maxIps: 4 });
      const other = await seller.license({ maxIps: 1 });
      const ask = (ip: string) => verdict(seller.store, validate(seller.apiKey, key, { ip }));
      for (const ip of ["2001:db8:0:1::1", "2001:db8:0:1::2", "10.0.0.1", "2001:db8:0:2::1"]) await ask(ip);
      await verdict(seller.store, validate(seller.apiKey, other.key, { ip: "2001:db8:0:7::1" }));
      await seller.store.transaction((db) =>
        db
          .updateTable("license_ips")
          .set({ registered_at: 1_000 })
          .where("license_id", "=", id)
          .where("ip", "=", "2001:db8:0:1::2")
          .execute(),
      );
      await countBy64(seller);
      expect((await ask("2001:db8:0:3::1")).status).toBe("ip_limit_reached");
      await new IpMerging(seller.store).run();
      expect(await registeredIps(seller.store, id)).toEqual([
        "10.0.0.1",
        "2001:db8:0:1::/64",
        "2001:db8:0:2::/64",
      ]);
      expect((await registered(seller, id))[1]).toEqual({
        ip: "2001:db8:0:1::/64",
        network: null,
        registered_at: 1_000,
      });
      expect(await ipCount(seller, id)).toBe(3);
      expect(await registeredIps(seller.store, other.id)).toEqual(["2001:db8:0:7::/64"]);
      expect(await ask("2001:db8:0:3::1")).toMatchObject({ status: "active", ipCount: 4 });
      const { merge_ips_after: after } = await seller.store.reads
        .selectFrom("products")
        .select("merge_ips_after")
        .where("id", "=", seller.productId)
        .executeTakeFirstOrThrow();
      expect(after).toBeNull();
    });
  });

  test("a license with more addresses than one transaction takes is merged in several", async () => {
    await selling(async (seller) => {
      const { id, key } = await seller.license({ maxIps: 1_000 });
      const calls = Array.from({ length: 450 }, (_, index) =>
        validate(seller.apiKey, key, { ip: `2001:db8:0:${index % 3}::${index + 1}` }),
      );
      await seller.store.judge(calls);
      expect(await ipCount(seller, id)).toBe(450);
      await countBy64(seller);
      await new IpMerging(seller.store).run();
      expect(await ipCount(seller, id)).toBe(3);
      expect(await registeredIps(seller.store, id)).toHaveLength(3);
    });
  });

  test("nothing is merged where the setting was changed back, nor of other products", async () => {
    await selling(async (seller) => {
      const { id, key } = await seller.license({ maxIps: 4 });
      for (const ip of ["2001:db8:0:1::1", "2001:db8:0:1::2"])
        await verdict(seller.store, validate(seller.apiKey, key, { ip }));
      await new IpMerging(seller.store).run();
      expect(await ipCount(seller, id)).toBe(2);
    });
  });

  test("while it merges, validations neither refuse a registered address nor pass max_ips", async () => {
    await selling(async (seller) => {
      const licenses = await Promise.all(Array.from({ length: 20 }, () => seller.license({ maxIps: 4 })));
      const known = ["2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1::3"];
      for (const { key } of licenses)
        await seller.store.judge(known.map((ip) => validate(seller.apiKey, key, { ip })));
      await countBy64(seller);
      let isOver = false;
      const asking = (async () => {
        const refused: unknown[] = [];
        for (let turn = 0; turn < (isOver ? 40 : 2_000); turn += 1) {
          await yieldToEventLoop();
          const { key } = licenses[turn % 20] ?? { key: "" };
          const one = await verdict(
            seller.store,
            validate(seller.apiKey, key, { ip: known[turn % 3] ?? "" }),
          );
          if (one.status !== "active") refused.push(one);
          await verdict(seller.store, validate(seller.apiKey, key, { ip: `2001:db8:1:${turn % 9}::1` }));
        }
        return refused;
      })();
      await new IpMerging(seller.store).run();
      isOver = true;
      expect(await asking).toEqual([]);
      for (const { id } of licenses) {
        const ips = await registeredIps(seller.store, id);
        expect(ips.length).toBeLessThanOrEqual(4);
        expect(await ipCount(seller, id)).toBe(ips.length);
      }
    });
  });
});
