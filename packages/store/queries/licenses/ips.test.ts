import { expect, test } from "bun:test";
import { onBothDatabases, pages } from "../../../../tests/support/query-tests.ts";
import { registerIp } from "./create.ts";
import * as draining from "./ips.ts";
import * as queries from "./ips.ts";
import * as tagsAndIps from "./ips.ts";

const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ ip: `10.1.${index >> 8}.${index & 255}`, registeredAt: 1 }));

onBothDatabases("the IP addresses of a license", (fixture) => {
  const { read, write } = fixture.queries({ ...draining, ...queries, ...tagsAndIps });
  const license = async (maxIps: number) => (await (await fixture.organization()).license({ maxIps })).id;
  const register = (id: string, ip: string, nowMs = 1) =>
    fixture.write((db) => registerIp(db, id, ip, nowMs));
  const texts = async (id: string) => (await read.registeredIps(id, 100)).map(({ ip }) => ip);
  const rowOf = (id: string) => fixture.row("licenses", { id });

  test("IP addresses are registered up to the limit, each once, even at the same time", async () => {
    const id = await license(3);
    const ips = Array.from({ length: 12 }, (_, index) => `203.0.113.${10 + (index % 6)}`);
    const registered = await Promise.all(ips.map((ip) => register(id, ip)));
    expect(registered.filter((isNew) => isNew)).toHaveLength(3);
    expect(await texts(id)).toHaveLength(3);
    expect((await rowOf(id)).ip_count).toBe(3);
  });

  test("a removed IP address frees its slot once, and those of other licenses stay", async () => {
    const [id, other] = [await license(1), await license(1)];
    for (const one of [id, other]) await register(one, "203.0.113.1");
    const remove = (ip: string) => write.unregisterIp(id, ip, 1);
    const removed = [await remove("203.0.113.2"), await remove("203.0.113.1"), await remove("203.0.113.1")];
    expect(removed).toEqual([false, true, false]);
    expect([await register(id, "203.0.113.2"), await register(other, "203.0.113.2")]).toEqual([true, false]);
    expect([await texts(id), await texts(other)]).toEqual([["203.0.113.2"], ["203.0.113.1"]]);
  });

  test("registering or removing an IP address is no edit, but is dated later than anything that was shown", async () => {
    const id = await license(2);
    const { updated_at: editedMs } = await rowOf(id);
    const expectAfter = async (work: Promise<boolean>, ms: number, count: number) => {
      await work;
      expect(await rowOf(id)).toMatchObject({ updated_at: editedMs, ips_updated_at: ms, ip_count: count });
    };
    // By a slow clock, and by a fast one.
    await expectAfter(register(id, "203.0.113.1", 1), editedMs + 1, 1);
    await expectAfter(register(id, "203.0.113.2", editedMs + 50), editedMs + 50, 2);
    await expectAfter(write.unregisterIp(id, "203.0.113.1", editedMs), editedMs + 51, 1);
  });

  const covering: [registered: string, asked: string, found: string | null][] = [
    ["203.0.113.1", "203.0.113.1", "203.0.113.1"],
    ["203.0.113.1", "203.0.113.2", null],
    ["2001:db8::/64", "2001:db8::9", "2001:db8::/64"],
    ["2001:db8::/64", "2001:db8:0:1::9", null],
    ["2001:db8::9", "2001:db8::/64", "2001:db8::9"],
    ["2001:db8::9", "2001:db8::8", null],
  ];
  test.each(covering)("if %s is registered, %s is covered by %p", async (registered, asked, found) => {
    const [id, other] = [await license(2), await license(2)];
    await register(id, registered);
    expect((await read.licenseIp(id, asked))?.ip ?? null).toBe(found);
    expect(await read.licenseIp(other, asked)).toBeUndefined();
    expect(await register(id, asked)).toBe(found === null);
  });

  test("IP addresses are listed in text order, in pages, with the sightings of this license", async () => {
    const { organizationId, productId, license: add } = await fixture.organization();
    const [{ id }, other] = [await add({ maxIps: 9 }), await add({ maxIps: 9 })];
    const ips = ["198.51.100.7", "203.0.113.1", "203.0.113.10", "203.0.113.9"];
    for (const [index, ip] of ips.toReversed().entries()) await register(id, ip, index);
    await register(other.id, "203.0.113.5");
    const seen = { organization_id: organizationId, product_id: productId, tracked: true };
    const at = Date.UTC(2030, 0, 1);
    await fixture.log([
      { ...seen, license_id: id, ip: "203.0.113.1", at },
      { ...seen, license_id: id, ip: "203.0.113.1", at: at + 5 },
      { ...seen, license_id: other.id, ip: "203.0.113.9", at },
    ]);
    type Last = { ip: string } | null;
    const found = await pages((last: Last) => read.licenseIps(id, { afterIp: last?.ip ?? null, limit: 2 }));
    expect(found.map((page) => page.map(({ ip }) => ip))).toEqual([ips.slice(0, 2), ips.slice(2)]);
    const sightings = { first_seen_at: at, last_seen_at: at + 5, hits: 2 };
    const never = { first_seen_at: null, last_seen_at: null, hits: null };
    expect(found[0]).toEqual([
      { ip: "198.51.100.7", registered_at: 3, ...never },
      { ip: "203.0.113.1", registered_at: 2, ...sightings },
    ] as never);
    expect(found[1]?.[1]).toMatchObject({ ip: "203.0.113.9", hits: null });
    expect(await read.sighting(id, "203.0.113.1")).toEqual(sightings);
    expect(await read.sighting(id, "203.0.113.9")).toBeUndefined();
    expect(await read.registeredIps(id, 1)).toEqual([{ ip: "198.51.100.7", registered_at: 3 }]);
  });

  test("IP addresses of several licenses are read in the order of registration, and replaced one by one", async () => {
    const [id, other] = [await license(9), await license(9)];
    await register(id, "203.0.113.1", 20);
    await register(id, "203.0.113.2", 10);
    await register(other, "203.0.113.1", 30);
    const ipsNow = async () => Object.fromEntries(await read.ipsOf([id, other]));
    const kept = { [other]: [{ ip: "203.0.113.1", registeredAt: 30 }] };
    const first = { ip: "203.0.113.1", registeredAt: 20 };
    expect(await ipsNow()).toEqual({ ...kept, [id]: [{ ip: "203.0.113.2", registeredAt: 10 }, first] });
    await write.replaceIps(id, addresses(600));
    expect((await ipsNow())[id]).toHaveLength(600);
    await write.replaceIps(id, []);
    expect(await ipsNow()).toEqual(kept);
    expect(await read.ipsOf([])).toEqual(new Map());
  });

  test("licenses with too many IP addresses for a transaction lose some of them first, the largest at once", async () => {
    const sizes = [draining.ipsAtOnce - 5, 10, 0];
    const ids: string[] = [];
    for (const size of sizes) {
      const id = await license(9);
      ids.push(id);
      await write.replaceIps(id, addresses(size));
      await fixture.change("licenses", id, { ip_count: size });
    }
    expect(await read.licenseToDrain(ids.slice(0, 1))).toBeNull();
    expect(await read.licenseToDrain([])).toBeNull();
    const [largest = ""] = ids;
    expect(await read.licenseToDrain(ids)).toEqual({ id: largest, tooMany: 5 });
    expect(await write.drainIps(largest, 5)).toBe(5);
    const left = [(await rowOf(largest)).ip_count, (await texts(largest))[0]];
    expect(left).toEqual([draining.ipsAtOnce - 10, "10.1.0.102"]);
    expect(await read.licenseToDrain(ids)).toBeNull();
    expect(await write.drainIps(ids[1] ?? "", 100)).toBe(10);
  });
});
