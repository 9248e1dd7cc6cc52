import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { validate, verdict } from "@countersign/store/suite/calls";
import { yieldToEventLoop } from "@countersign/store/yield-to-event-loop";
import { databases, type TestDatabase } from "../../../../tests/support/databases.ts";
import { registeredIps } from "../../../../tests/support/public-api-fixture.ts";
import { openTestOrganization, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { IpMerging } from "./merge-ips.ts";

describe.each(databases)("merging registered IPv6 addresses on $kind", ({ make }) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await make();
  }, 60_000);
  afterAll(() => database.remove());

  const selling = async (work: (org: TestOrganization) => Promise<void>) => {
    const org = await openTestOrganization(database.location, { settings: { ipv6_prefix: 128 } });
    try {
      await work(org);
    } finally {
      await org.store.close();
    }
  };
  const countBy64 = (org: TestOrganization) =>
    org.store.transaction((db) =>
      db
        .updateTable("products")
        .set({ ipv6_prefix: 64, merge_ips_after: "" })
        .where("id", "=", org.productId)
        .execute(),
    );
  const ipCount = async (org: TestOrganization, id: string) =>
    (
      await org.store.reads
        .selectFrom("licenses")
        .select("ip_count")
        .where("id", "=", id)
        .executeTakeFirstOrThrow()
    ).ip_count;
  const registered = (org: TestOrganization, id: string) =>
    org.store.reads
      .selectFrom("license_ips")
      .select(["ip", "network", "registered_at"])
      .where("license_id", "=", id)
      .orderBy("ip")
      .execute();

  test("addresses of one /64 become one registration with the oldest time, and free their slots", async () => {
    await selling(async (org) => {
      const { id, key } = await org.license({ maxIps: 4 });
      const other = await org.license({ maxIps: 1 });
      const ask = (ip: string) => verdict(org.store, validate(org.apiKey, key, { ip }));
      for (const ip of ["2001:db8:0:1::1", "2001:db8:0:1::2", "10.0.0.1", "2001:db8:0:2::1"]) await ask(ip);
      await verdict(org.store, validate(org.apiKey, other.key, { ip: "2001:db8:0:7::1" }));
      await org.store.transaction((db) =>
        db
          .updateTable("license_ips")
          .set({ registered_at: 1_000 })
          .where("license_id", "=", id)
          .where("ip", "=", "2001:db8:0:1::2")
          .execute(),
      );
      await countBy64(org);
      expect((await ask("2001:db8:0:3::1")).status).toBe("ip_limit_reached");
      await new IpMerging(org.store).run();
      expect(await registeredIps(org.store, id)).toEqual([
        "10.0.0.1",
        "2001:db8:0:1::/64",
        "2001:db8:0:2::/64",
      ]);
      expect((await registered(org, id))[1]).toEqual({
        ip: "2001:db8:0:1::/64",
        network: null,
        registered_at: 1_000,
      });
      expect(await ipCount(org, id)).toBe(3);
      expect(await registeredIps(org.store, other.id)).toEqual(["2001:db8:0:7::/64"]);
      expect(await ask("2001:db8:0:3::1")).toMatchObject({ status: "active", ipCount: 4 });
      const { merge_ips_after: after } = await org.store.reads
        .selectFrom("products")
        .select("merge_ips_after")
        .where("id", "=", org.productId)
        .executeTakeFirstOrThrow();
      expect(after).toBeNull();
    });
  });

  test("a license with too many addresses for one transaction is merged in several", async () => {
    await selling(async (org) => {
      const { id, key } = await org.license({ maxIps: 1_000 });
      const calls = Array.from({ length: 450 }, (_, index) =>
        validate(org.apiKey, key, { ip: `2001:db8:0:${index % 3}::${index + 1}` }),
      );
      await org.store.validateBatch(calls);
      expect(await ipCount(org, id)).toBe(450);
      await countBy64(org);
      await new IpMerging(org.store).run();
      expect(await ipCount(org, id)).toBe(3);
      expect(await registeredIps(org.store, id)).toHaveLength(3);
    });
  });

  test("nothing is merged if the setting was changed back, or in other products", async () => {
    await selling(async (org) => {
      const { id, key } = await org.license({ maxIps: 4 });
      for (const ip of ["2001:db8:0:1::1", "2001:db8:0:1::2"])
        await verdict(org.store, validate(org.apiKey, key, { ip }));
      await new IpMerging(org.store).run();
      expect(await ipCount(org, id)).toBe(2);
    });
  });

  test("during the merge, validations neither reject a registered address nor exceed max_ips", async () => {
    await selling(async (org) => {
      const licenses = await Promise.all(Array.from({ length: 20 }, () => org.license({ maxIps: 4 })));
      const known = ["2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1::3"];
      for (const { key } of licenses)
        await org.store.validateBatch(known.map((ip) => validate(org.apiKey, key, { ip })));
      await countBy64(org);
      let isOver = false;
      const asking = (async () => {
        const refused: unknown[] = [];
        for (let round = 0; round < (isOver ? 40 : 2_000); round += 1) {
          await yieldToEventLoop();
          const { key } = licenses[round % 20] ?? { key: "" };
          const one = await verdict(org.store, validate(org.apiKey, key, { ip: known[round % 3] ?? "" }));
          if (one.status !== "active") refused.push(one);
          await verdict(org.store, validate(org.apiKey, key, { ip: `2001:db8:1:${round % 9}::1` }));
        }
        return refused;
      })();
      await new IpMerging(org.store).run();
      isOver = true;
      expect(await asking).toEqual([]);
      for (const { id } of licenses) {
        const ips = await registeredIps(org.store, id);
        expect(ips.length).toBeLessThanOrEqual(4);
        expect(await ipCount(org, id)).toBe(ips.length);
      }
    });
  });
});
