import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { registeredIps } from "../support/public-api-fixture.ts";
import { until } from "../support/until.ts";

describe.each(databases)("a license's IP addresses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make, { COUNTERSIGN_TRUSTED_PROXIES: "127.0.0.1/32" });
  });
  afterAll(() => fixture.close());

  const create = async (body: object = {}) =>
    (
      await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
        customer_email: "a@b.c",
        ...body,
      })
    ).body;
  const validateFrom = async (key: string, ip: string) =>
    (await fixture.publicApi.validate({ license_key: key }, { "x-forwarded-for": ip })).body.status;
  const countOf = async (id: string) =>
    (
      await fixture.store.reads
        .selectFrom("licenses")
        .select("ip_count")
        .where("id", "=", id)
        .executeTakeFirstOrThrow()
    ).ip_count;

  test("an added IP address passes validation and is listed with its sightings", async () => {
    await fixture.owner.api.patch(`/products/${fixture.productId}`, { auto_register_ip_on_validate: false });
    const license = await create({ max_ips: 2 });
    const path = `/licenses/${license.id}/ips`;
    expect(await validateFrom(license.license_key, "203.0.113.7")).toBe("ip_not_registered");
    const added = await fixture.owner.api.post(path, { ip: " ::ffff:203.0.113.7 " });
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({ ip: "203.0.113.7" });
    expect(await validateFrom(license.license_key, "203.0.113.7")).toBe("active");
    const listed = async () => (await fixture.owner.api.get(path)).body.data;
    await until("both sightings are stored", async () => (await listed())[0]?.hits === 2);
    const [ip, ...more] = await listed();
    expect(more).toEqual([]);
    expect(ip).toMatchObject({ ip: "203.0.113.7", hits: 2 });
    expect(Date.parse(ip.last_seen_at)).toBeGreaterThanOrEqual(Date.parse(ip.first_seen_at));
    await fixture.owner.api.patch(`/products/${fixture.productId}`, { auto_register_ip_on_validate: true });
  });

  test("the list marks IP addresses that are blocked for this license at any level", async () => {
    const license = await create({ max_ips: 9 });
    const other = await create();
    for (const ip of ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"])
      await fixture.owner.api.post(`/licenses/${license.id}/ips`, { ip });
    const organization = `/organizations/${fixture.organizationId}`;
    const blocks = [
      [`/licenses/${license.id}`, "192.0.2.1"],
      [`${organization}/customers/${license.global_customer_id}`, "192.0.2.2/32"],
      [organization, "192.0.2.3"],
      [`/licenses/${other.id}`, "192.0.2.4"],
    ];
    for (const [scope, cidr] of blocks)
      expect((await fixture.owner.api.post(`${scope}/ip-blocks`, { cidr })).status).toBe(201);
    const { body } = await fixture.owner.api.get(`/licenses/${license.id}/ips`);
    expect(body.data.map((row: { ip: string; blocked: boolean }) => [row.ip, row.blocked])).toEqual([
      ["192.0.2.1", true],
      ["192.0.2.2", true],
      ["192.0.2.3", true],
      ["192.0.2.4", false],
    ]);
  });

  test("an IPv6 address takes one slot for its network", async () => {
    const license = await create({ max_ips: 2 });
    const path = `/licenses/${license.id}/ips`;
    const first = await fixture.owner.api.post(path, { ip: "2001:DB8:0:1::1" });
    expect(first.body.ip).toBe("2001:db8:0:1::/64");
    const second = await fixture.owner.api.post(path, { ip: "2001:db8:0:1::/64" });
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(await validateFrom(license.license_key, "2001:db8:0:1::9")).toBe("active");
    expect(await countOf(license.id)).toBe(1);
    const removed = await fixture.owner.api.delete(`${path}/${encodeURIComponent("2001:db8:0:1::/64")}`);
    expect(removed.status).toBe(204);
    expect(await countOf(license.id)).toBe(0);
  });

  test("when all slots are taken, another IP address is refused with the limit", async () => {
    const license = await create({ max_ips: 1 });
    const path = `/licenses/${license.id}/ips`;
    await fixture.owner.api.post(path, { ip: "203.0.113.1" });
    const { status, body } = await fixture.owner.api.post(path, { ip: "203.0.113.2" });
    expect(status).toBe(409);
    expect(body.errors[0]).toMatchObject({ field: "ip", code: "ip_limit_reached", params: { count: 1 } });
    expect((await fixture.owner.api.post(path, { ip: "203.0.113.1" })).status).toBe(201);
  });

  test.each(["", "localhost", "010.0.0.1", "203.0.113.0/24", "2001:db8::/32"])(
    "%p is not an IP address",
    async (ip) => {
      const license = await create();
      const { status, body } = await fixture.owner.api.post(`/licenses/${license.id}/ips`, { ip });
      expect(status).toBe(422);
      expect(body.errors[0].field).toBe("ip");
    },
  );

  test("removing an IP address frees its slot immediately, and a second removal gets 404", async () => {
    const license = await create({ max_ips: 1 });
    await validateFrom(license.license_key, "203.0.113.1");
    expect(await validateFrom(license.license_key, "203.0.113.2")).toBe("ip_limit_reached");
    const path = `/licenses/${license.id}/ips/203.0.113.1`;
    expect((await fixture.owner.api.delete(path)).status).toBe(204);
    expect((await fixture.owner.api.delete(path)).status).toBe(404);
    expect(await validateFrom(license.license_key, "203.0.113.2")).toBe("active");
  });

  test("a reset frees all slots immediately and is audited with their number", async () => {
    const license = await create({ max_ips: 2 });
    for (const ip of ["203.0.113.1", "203.0.113.2"]) await validateFrom(license.license_key, ip);
    const { body } = await fixture.owner.api.post(`/licenses/${license.id}/reset-ips`);
    expect(body.current_unique_ip_count).toBe(0);
    expect(await validateFrom(license.license_key, "203.0.113.3")).toBe("active");
    expect(await registeredIps(fixture.store, license.id)).toEqual(["203.0.113.3"]);
    const row = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", license.id)
      .where("action", "=", "license.ips_reset")
      .executeTakeFirstOrThrow();
    expect(row.before).toBe('{"current_unique_ip_count":2}');
  });

  test("the list is paginated", async () => {
    const license = await create({ max_ips: 10 });
    const path = `/licenses/${license.id}/ips`;
    const ips = Array.from({ length: 5 }, (_, index) => `203.0.113.${index + 1}`);
    for (const ip of ips) await fixture.owner.api.post(path, { ip });
    const seen: string[] = [];
    for (let cursor = ""; ; ) {
      const { body } = await fixture.owner.api.get(`${path}?limit=2${cursor}`);
      seen.push(...body.data.map((one: { ip: string }) => one.ip));
      if (body.next_cursor === null) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual(ips);
  });

  test("races of validations, additions, removals and resets keep the count right and the limit enforced", async () => {
    const license = await create({ max_ips: 3 });
    const path = `/licenses/${license.id}`;
    const address = (index: number) => `198.51.100.${index % 12}`;
    await Promise.all(
      Array.from({ length: 120 }, async (_, index) => {
        switch (index % 6) {
          case 0:
            return fixture.owner.api.post(`${path}/ips`, { ip: address(index) });
          case 1:
            return fixture.owner.api.delete(`${path}/ips/${address(index - 1)}`);
          case 2:
            return index % 24 === 2 ? fixture.owner.api.post(`${path}/reset-ips`) : null;
          default:
            return validateFrom(license.license_key, address(index));
        }
      }),
    );
    const ips = await registeredIps(fixture.store, license.id);
    expect(await countOf(license.id)).toBe(ips.length);
    expect(ips.length).toBeLessThanOrEqual(3);
  });

  test("each action needs its permission, and outsiders get 404", async () => {
    const license = await create();
    const path = `/licenses/${license.id}/ips`;
    const viewer = await fixture.member(["licenses:view"]);
    expect((await viewer.api.get(path)).status).toBe(200);
    expect((await viewer.api.post(path, { ip: "203.0.113.1" })).status).toBe(403);
    expect((await viewer.api.delete(`${path}/203.0.113.1`)).status).toBe(403);
    const editor = await fixture.member(["licenses:update", "licenses:reset_ips"]);
    expect((await editor.api.get(path)).status).toBe(200);
    const creator = await fixture.member(["licenses:create"]);
    expect((await creator.api.get(path)).status).toBe(403);
    expect((await editor.api.post(path, { ip: "203.0.113.1" })).status).toBe(201);
    expect((await editor.api.delete(`${path}/203.0.113.1`)).status).toBe(204);
    const otherUser = await fixture.person();
    expect((await otherUser.api.get(path)).status).toBe(404);
    expect((await otherUser.api.post(path, { ip: "203.0.113.1" })).status).toBe(404);
    expect((await otherUser.api.delete(`${path}/203.0.113.1`)).status).toBe(404);
  });

  test("updated_at changes when an IP address is registered, removed or reset", async () => {
    await fixture.owner.api.patch(`/products/${fixture.productId}`, { auto_register_ip_on_validate: true });
    const license = await addLicense(fixture, { maxIps: 5 });
    const path = `/licenses/${license.id}`;
    const shown = async () => {
      const { body } = await fixture.publicApi.lookup(license.key);
      const managed = await fixture.owner.api.get(path);
      expect(managed.body.updated_at).toBe(body.updated_at);
      return { at: Date.parse(String(body.updated_at)), count: body.current_unique_ip_count };
    };
    const seen = [await shown()];
    const steps = [
      () => fixture.publicApi.validate({ license_key: license.key }),
      () => fixture.owner.api.post(`${path}/ips`, { ip: "203.0.113.9" }),
      () => fixture.owner.api.delete(`${path}/ips/203.0.113.9`),
      () => fixture.owner.api.post(`${path}/reset-ips`),
    ];
    for (const step of steps) {
      expect((await step()).status).toBeLessThan(300);
      seen.push(await shown());
    }
    expect(seen.map(({ count }) => count)).toEqual([0, 1, 2, 1, 0]);
    for (const [index, { at }] of seen.slice(1).entries()) expect(at).toBeGreaterThan(seen[index]?.at ?? 0);
    await fixture.publicApi.validate({ license_key: "unknown" });
    expect(await shown()).toEqual(seen.at(-1) as never);
  });

  test("registering an IP address does not make an edit stale; another edit does", async () => {
    const license = await addLicense(fixture, { maxIps: 5 });
    const path = `/licenses/${license.id}`;
    const before = await fixture.owner.api.get(path);
    await fixture.owner.api.post(`${path}/ips`, { ip: "203.0.113.9" });
    const between = await fixture.owner.api.get(path);
    await fixture.owner.api.post(`${path}/reset-ips`);
    const etag = String(before.headers.get("etag"));
    const edited = await fixture.owner.api.patch(path, { notes: "one" }, { "if-match": etag });
    expect(edited.status).toBe(200);
    for (const { body, headers } of [before, between]) {
      const late = await fixture.owner.api.patch(path, { notes: "two", updated_at: body.updated_at });
      expect(late.status).toBe(412);
      const byTag = await fixture.owner.api.patch(
        path,
        { notes: "two" },
        { "if-match": String(headers.get("etag")) },
      );
      expect(byTag.status).toBe(412);
    }
    const guarded = { notes: "three", updated_at: edited.body.updated_at };
    await fixture.owner.api.post(`${path}/ips`, { ip: "203.0.113.10" });
    expect((await fixture.owner.api.patch(path, guarded)).status).toBe(200);
  });
});
