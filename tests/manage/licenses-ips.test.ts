import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { registeredIps } from "../support/public-api-fixture.ts";
import { until } from "../support/until.ts";

describe.each(on("postgres"))("a license's IP addresses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const api = () => fixture.owner.api;
  const create = async (body: object = {}, productId = fixture.productId) => {
    const path = `/products/${productId}/licenses`;
    const { body: license } = await api().post(path, { customer_email: "a@b.c", max_ips: 3, ...body });
    return { ...license, path: `/licenses/${license.id}` };
  };
  const add = (path: string, ip: string) => api().post(`${path}/ips`, { ip });
  const remove = (path: string, ip: string) => api().delete(`${path}/ips/${encodeURIComponent(ip)}`);
  const listed = async (path: string) =>
    (await api().get(`${path}/ips`)).body.data.map(({ ip }: { ip: string }) => ip);
  const countOf = async (path: string) => (await api().get(path)).body.current_unique_ip_count;
  const validateFrom = async (key: string, ip: string) =>
    (await fixture.publicApi.validate({ license_key: key }, { "x-forwarded-for": ip })).body.status;

  test("an added IP address passes validation and is listed with its sightings", async () => {
    const product = `/products/${fixture.productId}`;
    await api().patch(product, { auto_register_ip_on_validate: false });
    const { path, license_key: key } = await create();
    expect(await validateFrom(key, "203.0.113.7")).toBe("ip_not_registered");
    const added = await add(path, " ::ffff:203.0.113.7 ");
    expect([added.status, added.body.ip]).toEqual([201, "203.0.113.7"]);
    expect(await validateFrom(key, "203.0.113.7")).toBe("active");
    await api().patch(product, { auto_register_ip_on_validate: true });
    const first = async () => (await api().get(`${path}/ips`)).body.data[0];
    await until("both sightings are stored", async () => (await first())?.hits === 2);
    const seen = await first();
    expect(Date.parse(seen.last_seen_at)).toBeGreaterThanOrEqual(Date.parse(seen.first_seen_at));
    expect(await listed(path)).toEqual(["203.0.113.7"]);
  });

  test("the list marks IP addresses that are blocked for this license at any level", async () => {
    const [license, other] = [await create({ max_ips: 9 }), await create()];
    const ips = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
    for (const ip of ips) await add(license.path, ip);
    const organization = `/organizations/${fixture.organizationId}`;
    const blocks = [
      [license.path, "192.0.2.1"],
      [`${organization}/customers/${license.global_customer_id}`, "192.0.2.2/32"],
      [organization, "192.0.2.3"],
      [other.path, "192.0.2.4"],
    ];
    for (const [scope, cidr] of blocks)
      expect((await api().post(`${scope}/ip-blocks`, { cidr })).status).toBe(201);
    const { body } = await api().get(`${license.path}/ips`);
    const blocked = body.data.map((row: { ip: string; blocked: boolean }) => [row.ip, row.blocked]);
    expect(blocked).toEqual(ips.map((ip, index) => [ip, index < 3]));
  });

  test("the list is paginated", async () => {
    const { path } = await create();
    for (const ip of ["203.0.113.1", "203.0.113.2", "203.0.113.3"]) await add(path, ip);
    const first = (await api().get(`${path}/ips?limit=2`)).body;
    const rest = (await api().get(`${path}/ips?limit=2&cursor=${first.next_cursor}`)).body;
    expect([first.data.length, rest.data[0].ip, rest.next_cursor]).toEqual([2, "203.0.113.3", null]);
  });

  test("an IPv6 address takes one slot for its network", async () => {
    const { path, license_key: key } = await create();
    const first = await add(path, "2001:DB8:0:1::1");
    expect(first.body.ip).toBe("2001:db8:0:1::/64");
    const second = await add(path, "2001:db8:0:1::/64");
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(await validateFrom(key, "2001:db8:0:1::9")).toBe("active");
    expect(await countOf(path)).toBe(1);
    expect((await remove(path, "2001:db8:0:1::/64")).status).toBe(204);
    expect(await countOf(path)).toBe(0);
  });

  test("when all slots are taken, another IP address is refused with the limit", async () => {
    const { path } = await create({ max_ips: 1 });
    await add(path, "203.0.113.1");
    const { status, body } = await add(path, "203.0.113.2");
    expect(status).toBe(409);
    expect(body.errors[0]).toMatchObject({ field: "ip", code: "ip_limit_reached", params: { count: 1 } });
    expect((await add(path, "203.0.113.1")).status).toBe(201);
  });

  test("anything but a single IP address or a /64 is refused", async () => {
    const { path } = await create();
    for (const ip of ["", "localhost", "1.2.3", "010.0.0.1", "203.0.113.0/24", "2001:db8::/32"]) {
      const { status, body } = await add(path, ip);
      expect([ip, status, body.errors[0].field]).toEqual([ip, 422, "ip"]);
    }
  });

  test("removing an IP address frees its slot immediately, and a second removal gets 404", async () => {
    const { path, license_key: key } = await create({ max_ips: 1 });
    await validateFrom(key, "203.0.113.1");
    expect(await validateFrom(key, "203.0.113.2")).toBe("ip_limit_reached");
    expect((await remove(path, "203.0.113.1")).status).toBe(204);
    expect((await remove(path, "203.0.113.1")).status).toBe(404);
    expect(await validateFrom(key, "203.0.113.2")).toBe("active");
  });

  test("a reset frees all slots immediately and is audited with their number", async () => {
    const { id, path, license_key: key } = await create({ max_ips: 2 });
    for (const ip of ["203.0.113.1", "203.0.113.2"]) await validateFrom(key, ip);
    expect((await api().post(`${path}/reset-ips`)).body.current_unique_ip_count).toBe(0);
    expect(await validateFrom(key, "203.0.113.3")).toBe("active");
    expect(await listed(path)).toEqual(["203.0.113.3"]);
    const row = await fixture.store.reads
      .selectFrom("audit_log")
      .select("before")
      .where("subject_id", "=", id)
      .where("action", "=", "license.ips_reset")
      .executeTakeFirstOrThrow();
    expect(row.before).toBe('{"current_unique_ip_count":2}');
  });

  test("races of validations, additions, removals and resets keep the count right and the limit enforced", async () => {
    const { id, path, license_key: key } = await create();
    const address = (index: number) => `198.51.100.${index % 12}`;
    await Promise.all(
      Array.from({ length: 120 }, async (_, index) => {
        switch (index % 6) {
          case 0:
            return add(path, address(index));
          case 1:
            return remove(path, address(index - 1));
          case 2:
            return index % 24 === 2 ? api().post(`${path}/reset-ips`) : null;
          default:
            return validateFrom(key, address(index));
        }
      }),
    );
    const ips = await registeredIps(fixture.store, id);
    expect(await countOf(path)).toBe(ips.length);
    expect(ips.length).toBeLessThanOrEqual(3);
  });

  test("updated_at changes when an IP address is registered, removed or reset", async () => {
    const { path, license_key: key } = await create({ max_ips: 5 });
    const shown = async () => {
      const { body } = await fixture.publicApi.lookup(key);
      expect((await api().get(path)).body.updated_at).toBe(body.updated_at);
      return { at: Date.parse(String(body.updated_at)), count: body.current_unique_ip_count };
    };
    const seen = [await shown()];
    const steps = [
      () => fixture.publicApi.validate({ license_key: key }),
      () => add(path, "203.0.113.9"),
      () => remove(path, "203.0.113.9"),
      () => api().post(`${path}/reset-ips`),
    ];
    for (const step of steps) {
      expect((await step()).status).toBeLessThan(300);
      seen.push(await shown());
    }
    expect(seen.map(({ count }) => count)).toEqual([0, 1, 2, 1, 0]);
    const times = seen.map(({ at }) => at);
    expect(times).toEqual([...new Set(times)].sort());
    await fixture.publicApi.validate({ license_key: "unknown" });
    expect((await shown()).at).toBe(times.at(-1) ?? 0);
  });

  test("registering an IP address does not make an edit stale; another edit does", async () => {
    const { path } = await create({ max_ips: 5 });
    const edit = (body: object, etag?: string | null) =>
      api().patch(path, body, etag === undefined ? {} : { "if-match": etag ?? "" });
    const before = await api().get(path);
    await add(path, "203.0.113.9");
    const between = await api().get(path);
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

  describe("after a change of ipv6_prefix", () => {
    const licenseWith = async (prefix: 64 | 128) => {
      const products = `/organizations/${fixture.organizationId}/products`;
      const { body } = await api().post(products, { name: "Prefixed", ipv6_prefix: prefix });
      const productId = String(body.id);
      return { productId, path: (await create({}, productId)).path };
    };

    test("from 128 to 64, single IP addresses are merged into their /64 automatically", async () => {
      const { productId, path } = await licenseWith(128);
      for (const ip of ["2001:db8::1", "2001:db8::2"]) expect((await add(path, ip)).status).toBe(201);
      await api().patch(`/products/${productId}`, { ipv6_prefix: 64 });
      expect((await add(path, "2001:db8::3")).status).toBe(201);
      await until("the IP addresses are merged", async () => (await listed(path)).length === 1);
      expect([await listed(path), await countOf(path)]).toEqual([["2001:db8::/64"], 1]);
    });

    test("from 64 to 128, a /64 stays, covers new IP addresses and can be removed by its CIDR", async () => {
      const { productId, path } = await licenseWith(64);
      await add(path, "2001:db8::1");
      await api().patch(`/products/${productId}`, { ipv6_prefix: 128 });
      const covered = await add(path, "2001:db8::9");
      expect([covered.status, covered.body.ip]).toEqual([201, "2001:db8::/64"]);
      expect((await remove(path, "2001:db8::9")).status).toBe(404);
      expect((await remove(path, "2001:db8::/64")).status).toBe(204);
      await add(path, "2001:db8::9");
      expect(await listed(path)).toEqual(["2001:db8::9"]);
    });

    test("a remaining single IP address can be removed", async () => {
      const { productId, path } = await licenseWith(128);
      await add(path, "2001:db8::1");
      await fixture.store.transaction((db) =>
        db.updateTable("products").set({ ipv6_prefix: 64 }).where("id", "=", productId).execute(),
      );
      expect((await remove(path, "2001:db8::1")).status).toBe(204);
      expect(await listed(path)).toEqual([]);
    });
  });
});
