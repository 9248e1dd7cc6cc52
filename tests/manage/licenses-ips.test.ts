import { expect, test } from "bun:test";
import { allRows } from "../support/answers.ts";
import { auditOf } from "../support/audit-of.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { registeredIps } from "../support/public-api-fixture.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

testsOn("postgres", "IP addresses of licenses", openManageFixture, (fixture) => {
  const licenses = licensesOf(fixture);
  const api = () => fixture.owner.api;
  const create = async (max_ips = 3, productId?: string) => {
    const license = await licenses.create({ max_ips }, productId);
    return { ...license, path: `/licenses/${license.id}` };
  };
  const add = (path: string, ip: string) => api().post(`${path}/ips`, { ip });
  const remove = async (path: string, ip: string) =>
    (await api().delete(`${path}/ips/${encodeURIComponent(ip)}`)).status;
  const listed = async (path: string) =>
    (await api().get(`${path}/ips`)).body.data.map(({ ip }: { ip: string }) => ip);
  const countOf = async (path: string) => (await api().get(path)).body.current_unique_ip_count;
  const validateFrom = async (key: string, ip: string) => (await licenses.validate(key, ip)).status;

  test("an added IP address passes validation and is listed with its sightings", async () => {
    const product = `/products/${fixture.productId}`;
    await api().patch(product, { auto_register_ip_on_validate: false });
    const { path, license_key: key } = await create();
    expect(await validateFrom(key, "203.0.113.7")).toBe("ip_not_registered");
    const added = await add(path, " ::ffff:203.0.113.7 ");
    expect([added.status, added.body.ip]).toEqual([201, "203.0.113.7"]);
    expect(await validateFrom(key, "203.0.113.7")).toBe("active");
    await api().patch(product, { auto_register_ip_on_validate: true });
    await until("both sightings are stored", async () => {
      const [seen] = (await api().get(`${path}/ips`)).body.data;
      return seen?.hits === 2 && Date.parse(seen.last_seen_at) >= Date.parse(seen.first_seen_at);
    });
  });

  test("the list of a license's IP addresses marks those that are blocked for it at any level, page by page", async () => {
    const [license, other] = [await create(9), await create()];
    const ips = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
    for (const ip of ips) await add(license.path, ip);
    const organization = `/organizations/${fixture.organizationId}`;
    const blocks = [
      [license.path, "192.0.2.1"],
      [`${organization}/customers/${license.global_customer_id}`, "192.0.2.2/32"],
      [organization, "192.0.2.3"],
      [other.path, "192.0.2.4"],
    ];
    for (const [scope, cidr] of blocks) await api().post(`${scope}/ip-blocks`, { cidr });
    const rows = await allRows<{ ip: string; blocked: boolean }>(api(), `${license.path}/ips?limit=3`);
    expect(rows.map((row) => [row.ip, row.blocked])).toEqual(ips.map((ip, index) => [ip, index < 3]));
  });

  test("an IPv6 address takes one slot for its network, and no wider network can be added", async () => {
    const { path, license_key: key } = await create();
    const first = await add(path, "2001:DB8:0:1::1");
    expect(first.body.ip).toBe("2001:db8:0:1::/64");
    expect((await add(path, "2001:db8:0:1::/64")).body).toEqual(first.body);
    expect(await validateFrom(key, "2001:db8:0:1::9")).toBe("active");
    expect(await countOf(path)).toBe(1);
    expect(await remove(path, "2001:db8:0:1::/64")).toBe(204);
    expect(await countOf(path)).toBe(0);
    for (const ip of ["", "localhost", "010.0.0.1", "203.0.113.0/24", "2001:db8::/32"])
      expect([ip, ...refusal(await add(path, ip))]).toEqual([ip, 422, "ip"]);
  });

  test("an IP address beyond the limit is refused, until one is removed or all are reset", async () => {
    const { id, path, license_key: key } = await create(1);
    await validateFrom(key, "203.0.113.1");
    const refused = await add(path, "203.0.113.2");
    expect(refused.status).toBe(409);
    const error = { field: "ip", code: "ip_limit_reached", params: { count: 1 } };
    expect(refused.body.errors[0]).toMatchObject(error);
    expect((await add(path, "203.0.113.1")).status).toBe(201);
    expect(await validateFrom(key, "203.0.113.2")).toBe("ip_limit_reached");
    expect([await remove(path, "203.0.113.1"), await remove(path, "203.0.113.1")]).toEqual([204, 404]);
    expect(await validateFrom(key, "203.0.113.2")).toBe("active");
    expect((await api().post(`${path}/reset-ips`)).body.current_unique_ip_count).toBe(0);
    expect(await validateFrom(key, "203.0.113.3")).toBe("active");
    expect(await listed(path)).toEqual(["203.0.113.3"]);
    const reset = (await auditOf(fixture, id)).find(({ action }) => action === "license.ips_reset");
    expect(reset?.before).toBe('{"current_unique_ip_count":1}');
  });

  test("races of validations, additions, removals and resets keep the count right and the limit enforced", async () => {
    const { id, path, license_key: key } = await create();
    const address = (index: number) => `198.51.100.${index % 12}`;
    const steps = [
      (index: number) => add(path, address(index)),
      (index: number) => remove(path, address(index - 1)),
      (index: number) => (index % 24 === 2 ? api().post(`${path}/reset-ips`) : null),
      ...Array(3).fill((index: number) => validateFrom(key, address(index))),
    ];
    await Promise.all(Array.from({ length: 120 }, async (_, index) => steps[index % 6]?.(index)));
    const ips = await registeredIps(fixture.store, id);
    expect(await countOf(path)).toBe(ips.length);
    expect(ips.length).toBeLessThanOrEqual(3);
  });

  /** That it is later each time: packages/store/queries/licenses/ips.test.ts. */
  test("registering an IP address changes updated_at and does not make an edit stale; another edit does", async () => {
    const { path, license_key: key } = await create(5);
    const edit = (body: object, etag?: string | null) =>
      api().patch(path, body, etag === undefined ? {} : { "if-match": etag ?? "" });
    const before = await api().get(path);
    await add(path, "203.0.113.9");
    const between = await api().get(path);
    expect(Date.parse(between.body.updated_at)).toBeGreaterThan(Date.parse(before.body.updated_at));
    expect((await fixture.publicApi.lookup(key)).body.updated_at).toBe(between.body.updated_at);
    await api().post(`${path}/reset-ips`);
    const edited = await edit({ notes: "one" }, before.headers.get("etag"));
    expect(edited.status).toBe(200);
    for (const { body, headers } of [before, between]) {
      expect((await edit({ notes: "two", updated_at: body.updated_at })).status).toBe(412);
      expect((await edit({ notes: "two" }, headers.get("etag"))).status).toBe(412);
    }
    await add(path, "203.0.113.10");
    expect((await edit({ notes: "three", updated_at: edited.body.updated_at })).status).toBe(200);
  });

  /** How they are merged: apps/server/features/products/merge-ips.test.ts. */
  test("when IPv6 addresses count by /64, those of a license are merged automatically, and each can be removed", async () => {
    const { id: productId } = await licenses.newProduct({ ipv6_prefix: 128 });
    const { path } = await create(3, productId);
    for (const ip of ["2001:db8::1", "2001:db8::2"]) expect((await add(path, ip)).status).toBe(201);
    await api().patch(`/products/${productId}`, { ipv6_prefix: 64 });
    expect((await add(path, "2001:db8::3")).status).toBe(201);
    await until("the IP addresses are merged", async () => (await listed(path)).length === 1);
    expect([await listed(path), await countOf(path)]).toEqual([["2001:db8::/64"], 1]);

    // Back again, a /64 stays, covers new IP addresses and can be removed by its CIDR.
    await api().patch(`/products/${productId}`, { ipv6_prefix: 128 });
    expect((await add(path, "2001:db8::9")).body.ip).toBe("2001:db8::/64");
    expect([await remove(path, "2001:db8::9"), await remove(path, "2001:db8::/64")]).toEqual([404, 204]);
    await add(path, "2001:db8::9");
    expect(await listed(path)).toEqual(["2001:db8::9"]);

    // Before it is merged, a single IP address can be removed.
    await fixture.change("products", { id: productId }, { ipv6_prefix: 64 });
    expect(await remove(path, "2001:db8::9")).toBe(204);
    expect(await listed(path)).toEqual([]);
  });
});
