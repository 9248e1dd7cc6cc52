import { expect, test } from "bun:test";
import { times, validate, validateAll, verdict } from "@countersign/store/suite/calls";
import { yieldToEventLoop } from "@countersign/store/threads/yield-to-event-loop";
import { registeredIps } from "../../../../tests/support/public-api-fixture.ts";
import { onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { changeRows } from "../../../../tests/support/stored-rows.ts";
import { ipMerging } from "./merge-ips.ts";

onBothDatabases("merging registered IPv6 addresses", (fixture) => {
  const open = async () => {
    const { productId, apiKey, license } = await fixture.organization({ settings: { ipv6_prefix: 128 } });
    return {
      productId,
      license,
      ask: (key: string, ip: string) => verdict(fixture.store, validate(apiKey, key, { ip })),
      /** A few at a time, because a batch has a time limit. */
      askAll: async (key: string, ips: readonly string[]) => {
        for (let start = 0; start < ips.length; start += 50) {
          const some = ips.slice(start, start + 50);
          await validateAll(
            fixture.store,
            some.map((ip) => validate(apiKey, key, { ip })),
          );
        }
      },
      countBy64: () => fixture.change("products", productId, { ipv6_prefix: 64, merge_ips_after: "" }),
    };
  };
  const merge = () => ipMerging(fixture.store).run();
  const ipCount = async (id: string) => (await fixture.row("licenses", { id })).ip_count;

  test("IPv6 addresses of one /64 become one registration with the oldest time, and free their slots", async () => {
    const { productId, license, ask, countBy64 } = await open();
    const [{ id, key }, other] = [await license({ maxIps: 4 }), await license({ maxIps: 1 })];
    for (const ip of ["2001:db8:0:1::1", "2001:db8:0:1::2", "10.0.0.1", "2001:db8:0:2::1"])
      await ask(key, ip);
    await ask(other.key, "2001:db8:0:7::1");
    const older = { license_id: id, ip: "2001:db8:0:1::2" };
    await fixture.write((db) => changeRows(db, "license_ips", older, { registered_at: 1_000 }));
    await countBy64();
    expect((await ask(key, "2001:db8:0:3::1")).status).toBe("ip_limit_reached");
    await merge();
    const networks = ["10.0.0.1", "2001:db8:0:1::/64", "2001:db8:0:2::/64"];
    expect(await registeredIps(fixture.store, id)).toEqual(networks);
    const merged = await fixture.row("license_ips", { license_id: id, ip: networks[1] ?? "" });
    expect(merged).toMatchObject({ network: null, registered_at: 1_000 });
    expect(await ipCount(id)).toBe(3);
    expect(await registeredIps(fixture.store, other.id)).toEqual(["2001:db8:0:7::/64"]);
    expect(await ask(key, "2001:db8:0:3::1")).toMatchObject({ status: "active", ipCount: 4 });
    expect(await fixture.rows("products", { id: productId })).toMatchObject([{ merge_ips_after: null }]);
  });

  test("too many IP addresses for one transaction are merged in several, once the setting is changed", async () => {
    const { license, askAll, countBy64 } = await open();
    const { id, key } = await license({ maxIps: 1_000 });
    const many = times(450, (index) => `2001:db8:0:${index % 3}::${index + 1}`);
    await askAll(key, many);
    await merge();
    expect(await ipCount(id)).toBe(450);
    await countBy64();
    await merge();
    expect([await ipCount(id), (await registeredIps(fixture.store, id)).length]).toEqual([3, 3]);
  });

  test("validations during a merge neither refuse a registered IP address nor exceed max_ips", async () => {
    const { license, ask, askAll, countBy64 } = await open();
    const licenses = await Promise.all(times(20, () => license({ maxIps: 4 })));
    const known = ["2001:db8:0:1::1", "2001:db8:0:1::2", "2001:db8:0:1::3"];
    for (const { key } of licenses) await askAll(key, known);
    await countBy64();
    let isOver = false;
    const asking = (async () => {
      const refused: unknown[] = [];
      for (let round = 0; round < (isOver ? 40 : 2_000); round += 1) {
        await yieldToEventLoop();
        const { key } = licenses[round % 20] ?? { key: "" };
        const one = await ask(key, known[round % 3] ?? "");
        if (one.status !== "active") refused.push(one);
        await ask(key, `2001:db8:1:${round % 9}::1`);
      }
      return refused;
    })();
    await merge();
    isOver = true;
    expect(await asking).toEqual([]);
    for (const { id } of licenses) {
      const ips = await registeredIps(fixture.store, id);
      expect(ips.length).toBeLessThanOrEqual(4);
      expect(await ipCount(id)).toBe(ips.length);
    }
  });
});
