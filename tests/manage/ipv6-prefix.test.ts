import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";
import { until } from "../support/until.ts";

describe.each(databases)("changing ipv6_prefix on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  const product = async (prefix: 64 | 128) => {
    const { body } = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Prefixed",
      ipv6_prefix: prefix,
    });
    return String(body.id);
  };
  const ips = async (licenseId: string) =>
    (await fixture.owner.api.get(`/licenses/${licenseId}/ips`)).body.data.map(({ ip }: { ip: string }) => ip);
  const add = (licenseId: string, ip: string) => fixture.owner.api.post(`/licenses/${licenseId}/ips`, { ip });
  const remove = (licenseId: string, ip: string) =>
    fixture.owner.api.delete(`/licenses/${licenseId}/ips/${encodeURIComponent(ip)}`);

  test("from 128 to 64 merges single IP addresses into their /64 automatically", async () => {
    const productId = await product(128);
    const license = await addLicense(fixture, { productId, maxIps: 3 });
    for (const ip of ["2001:db8::1", "2001:db8::2"]) expect((await add(license.id, ip)).status).toBe(201);
    await fixture.owner.api.patch(`/products/${productId}`, { ipv6_prefix: 64 });
    expect((await add(license.id, "2001:db8::3")).status).toBe(201);
    await until("the IP addresses are merged", async () => (await ips(license.id)).length === 1, 30_000);
    expect(await ips(license.id)).toEqual(["2001:db8::/64"]);
    const { body } = await fixture.owner.api.get(`/licenses/${license.id}`);
    expect(body.current_unique_ip_count).toBe(1);
  }, 45_000);

  test("from 64 to 128 keeps a /64, which covers new IP addresses and can be removed by its CIDR", async () => {
    const productId = await product(64);
    const license = await addLicense(fixture, { productId, maxIps: 3 });
    await add(license.id, "2001:db8::1");
    await fixture.owner.api.patch(`/products/${productId}`, { ipv6_prefix: 128 });
    const covered = await add(license.id, "2001:db8::9");
    expect([covered.status, covered.body.ip]).toEqual([201, "2001:db8::/64"]);
    expect(await ips(license.id)).toEqual(["2001:db8::/64"]);
    expect((await remove(license.id, "2001:db8::9")).status).toBe(404);
    expect((await remove(license.id, "2001:db8::/64")).status).toBe(204);
    await add(license.id, "2001:db8::9");
    expect(await ips(license.id)).toEqual(["2001:db8::9"]);
  });

  test("keeps a remaining single IP address removable", async () => {
    const productId = await product(128);
    const license = await addLicense(fixture, { productId, maxIps: 3 });
    await add(license.id, "2001:db8::1");
    await fixture.store.transaction((db) =>
      db.updateTable("products").set({ ipv6_prefix: 64 }).where("id", "=", productId).execute(),
    );
    expect((await remove(license.id, "2001:db8::1")).status).toBe(204);
    expect(await ips(license.id)).toEqual([]);
  });
});
