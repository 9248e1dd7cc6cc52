import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openJournal } from "@countersign/store/open";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

describe.each(databases)("IP addresses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    path = `/organizations/${fixture.organizationId}/ips`;
  });
  afterAll(() => fixture.close());

  const see = async (
    organizationId: string,
    ip: string,
    licenseIds: readonly string[],
    atMs = Date.now(),
  ) => {
    const journal = await openJournal(fixture.database.location);
    try {
      await journal.append(
        licenseIds.map((license) => [
          newId(),
          atMs,
          organizationId,
          fixture.productId,
          license,
          "validate",
          "active",
          ip,
          null,
          null,
          null,
          true,
        ]),
      );
    } finally {
      await journal.close();
    }
  };
  const anotherOrganization = async () => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name: "Rival" });
    const product = await owner.api.post(`/organizations/${body.id}/products`, { name: "Theirs" });
    const ids = { organizationId: String(body.id), productId: String(product.body.id) };
    return { owner, ...ids, addLicense: () => addLicense({ store: fixture.store, ...ids }) };
  };

  test("an IP address shows its validations and the licenses it used", async () => {
    const license = await addLicense(fixture, { customer: { email: "ada@example.org", name: "Ada" } });
    await fixture.publicApi.validate({ license_key: license.key });
    await fixture.publicApi.validate({ license_key: license.key });
    const one = `${path}/127.0.0.1`;
    await until("both are recorded", async () => {
      const { body } = await fixture.owner.api.get(one);
      return body.sightings[0]?.hits === 2;
    });
    const { body } = await fixture.owner.api.get(one);
    expect(body).toMatchObject({ ip: "127.0.0.1", blocks: [], blocked_by_platform: false });
    expect(body.sightings).toHaveLength(1);
    expect(body.sightings[0]).toMatchObject({ ip: "127.0.0.1", license_count: 1 });
    const licenses = (await fixture.owner.api.get(`${one}/licenses`)).body;
    expect(licenses.data).toHaveLength(1);
    expect(licenses.data[0]).toMatchObject({
      license_id: license.id,
      license_key: license.key,
      global_customer_id: license.customerId,
      customer_email: "ada@example.org",
      customer_name: "Ada",
      status: "active",
      hits: 2,
    });
    expect(licenses.data[0].registered_at).not.toBeNull();
  });

  test("licenses are paginated and include those registered by API and never seen", async () => {
    const ip = "198.51.100.40";
    const added = [];
    for (let index = 0; index < 5; index++) added.push(await addLicense(fixture));
    const ids = added.map((license) => license.id);
    await see(fixture.organizationId, ip, ids.slice(0, 4));
    await fixture.store.transaction((db) => registerIp(db, ids[4] ?? "", ip, 1_000));
    const listed: { license_id: string; hits: number; registered_at: string | null }[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = `${path}/${ip}/licenses?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const { body } = await fixture.owner.api.get(page);
      listed.push(...body.data);
      cursor = body.next_cursor;
    }
    expect(listed.map((license) => license.license_id)).toEqual([...ids].sort());
    const byHand = listed.find((license) => license.license_id === ids[4]);
    expect(byHand).toMatchObject({ hits: 0, registered_at: new Date(1_000).toISOString() });
  });

  test("sorting by license count puts the IP addresses with most licenses first, in pages", async () => {
    const own = await anotherOrganization();
    const licenses = Array.from({ length: 40 }, () => newId());
    await see(own.organizationId, "203.0.113.1", licenses.slice(0, 3));
    await see(own.organizationId, "203.0.113.2", licenses);
    await see(own.organizationId, "203.0.113.3", licenses.slice(0, 3));
    await see(own.organizationId, "203.0.113.4", licenses.slice(0, 1));
    await see(own.organizationId, "203.0.113.2", licenses.slice(0, 5));
    const ips = `/organizations/${own.organizationId}/ips`;
    const listed: [string, number][] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = `${ips}?sort=license_count&limit=1${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const { body } = await own.owner.api.get(page);
      listed.push(
        ...body.data.map((row: { ip: string; license_count: number }) => [row.ip, row.license_count]),
      );
      cursor = body.next_cursor;
    }
    expect(listed).toEqual([
      ["203.0.113.2", 40],
      ["203.0.113.3", 3],
      ["203.0.113.1", 3],
      ["203.0.113.4", 1],
    ]);
    expect((await own.owner.api.get(`${ips}?min_licenses=4`)).body.data).toHaveLength(1);
    expect((await own.owner.api.get(`${ips}?sort=hits`)).status).toBe(422);
  });

  test("the list can be filtered by network and by minimum number of licenses", async () => {
    const { organizationId, owner } = await anotherOrganization();
    const inside = ["203.0.113.7", "203.0.113.77", "203.0.113.130", "203.0.113.9"];
    const outside = ["203.0.11.3", "203.0.114.7", "203.0.1.1", "2001:db8:7::/64", "30.0.113.7"];
    for (const ip of [...inside, ...outside]) await see(organizationId, ip, [newId()]);
    await see(organizationId, "203.0.113.9", [newId(), newId()]);
    const list = async (query: string) => {
      const ips: string[] = [];
      let cursor: string | null = null;
      do {
        const next: string = cursor === null ? "" : `&cursor=${cursor}`;
        const { body } = await owner.api.get(`/organizations/${organizationId}/ips?limit=2&${query}${next}`);
        ips.push(...body.data.map((row: { ip: string }) => row.ip));
        cursor = body.next_cursor;
      } while (cursor !== null);
      return ips;
    };
    expect(await list("cidr=203.0.113.0/24")).toEqual([...inside].sort());
    expect(await list("cidr=203.0.113.0/25")).toEqual(["203.0.113.7", "203.0.113.77", "203.0.113.9"]);
    expect(await list("cidr=203.0.113.7")).toEqual(["203.0.113.7"]);
    expect(await list("cidr=2001:db8::/32")).toEqual(["2001:db8:7::/64"]);
    expect(await list("cidr=203.0.113.0/24&min_licenses=2")).toEqual(["203.0.113.9"]);
    expect(await list("sort=ip")).toEqual([...inside, ...outside].sort());
    expect((await list("sort=license_count"))[0]).toBe("203.0.113.9");
    const path = `/organizations/${organizationId}/ips`;
    const wrong = await owner.api.get(`${path}?cidr=203.0.113.0/24&sort=license_count`);
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "sort"]);
    expect((await owner.api.get(`${path}?cidr=203.0.113`)).body.errors[0].field).toBe("cidr");
  });

  test("an IPv6 address is found by itself and by its /64", async () => {
    const [single, household] = [await addLicense(fixture), await addLicense(fixture)];
    await see(fixture.organizationId, "2001:db8:7::5", [single.id]);
    await see(fixture.organizationId, "2001:db8:7::/64", [household.id, single.id]);
    const { body } = await fixture.owner.api.get(`${path}/2001:DB8:7:0::5`);
    expect(body.ip).toBe("2001:db8:7::5");
    expect(body.sightings.map((row: { ip: string }) => row.ip)).toEqual(["2001:db8:7::/64", "2001:db8:7::5"]);
    const licenses = (await fixture.owner.api.get(`${path}/2001:db8:7::5/licenses`)).body.data;
    expect(
      licenses.map((row: { license_id: string; hits: number }) => [row.license_id, row.hits]).sort(),
    ).toEqual(
      [
        [single.id, 2],
        [household.id, 1],
      ].sort(),
    );
    const whole = await fixture.owner.api.get(`${path}/${encodeURIComponent("2001:db8:7::/64")}`);
    expect(whole.body.sightings).toHaveLength(1);
  });

  test("the list marks IP addresses that are blocked for every license", async () => {
    const own = await anotherOrganization();
    const here = `/organizations/${own.organizationId}`;
    const addresses = ["203.0.113.7", "203.0.113.8", "198.51.100.1", "2001:db8:1::/64", "2001:db8:2::/64"];
    for (const ip of addresses) await see(own.organizationId, ip, [newId()]);
    const license = await own.addLicense();
    const block = (scope: string, cidr: string, expires_at: string | null = null) =>
      own.owner.api.post(`${scope}/ip-blocks`, { cidr, expires_at });
    await block(here, "203.0.113.7");
    await block(here, "203.0.113.8", "2020-01-01T00:00:00Z");
    await block(here, "2001:db8:1::/48");
    await block(here, "2001:db8:2::1");
    await block(`/licenses/${license.id}`, "198.51.100.1");
    const blocked = async (query: string) => {
      const { body } = await own.owner.api.get(`${here}/ips${query}`);
      return body.data
        .filter((row: { blocked: boolean }) => row.blocked)
        .map((row: { ip: string }) => row.ip)
        .sort();
    };
    for (const query of ["", "?sort=ip"])
      expect(await blocked(query)).toEqual(["2001:db8:1::/64", "203.0.113.7"]);
    expect(await blocked("?cidr=203.0.113.0/24")).toEqual(["203.0.113.7"]);
  });

  test("an IP address shows every block that covers it, except expired ones", async () => {
    const license = await addLicense(fixture, { customer: { email: `${crypto.randomUUID()}@example.com` } });
    const organization = `/organizations/${fixture.organizationId}`;
    const add = (list: string, cidr: string) => fixture.owner.api.post(`${list}/ip-blocks`, { cidr });
    await add(organization, "192.0.2.0/24");
    await add(`${organization}/customers/${license.customerId}`, "192.0.0.0/8");
    await add(`/licenses/${license.id}`, "192.0.2.77");
    await add(`/licenses/${license.id}`, "192.0.2.78");
    const scope = { tier: "organization", organizationId: fixture.organizationId } as const;
    await fixture.store.transaction((db) =>
      addIpBlocks(db, [{ id: newId(), scope, cidr: "192.0.2.77/32", note: null, expiresAtMs: 5 }], 1),
    );
    const { body } = await fixture.owner.api.get(`${path}/192.0.2.77`);
    expect(
      body.blocks.map((block: { level: string; cidr: string }) => [block.level, block.cidr]).sort(),
    ).toEqual([
      ["customer", "192.0.0.0/8"],
      ["license", "192.0.2.77/32"],
      ["organization", "192.0.2.0/24"],
    ]);
    const byLevel = (level: string) => body.blocks.find((block: { level: string }) => block.level === level);
    expect(byLevel("customer").customer_id).toBe(license.customerId);
    expect(byLevel("license").license_id).toBe(license.id);
    expect(body.blocked_by_platform).toBe(false);
    await fixture.store.transaction((db) =>
      addIpBlocks(
        db,
        [
          {
            id: newId(),
            scope: { tier: "platform" },
            cidr: "192.0.2.0/25",
            note: "Hidden",
            expiresAtMs: null,
          },
        ],
        1,
      ),
    );
    const again = await fixture.owner.api.get(`${path}/192.0.2.77`);
    expect(again.body.blocked_by_platform).toBe(true);
    expect(again.text).not.toContain("Hidden");
  });

  test("nothing of another organization is shown", async () => {
    const rival = await anotherOrganization();
    const theirs = await rival.addLicense();
    const ip = "198.51.100.99";
    await see(rival.organizationId, ip, [theirs.id]);
    await fixture.store.transaction((db) => registerIp(db, theirs.id, ip, 1));
    await rival.owner.api.post(`/organizations/${rival.organizationId}/ip-blocks`, { cidr: ip });
    const here = await fixture.owner.api.get(`${path}/${ip}`);
    expect(here.body).toEqual({ ip, sightings: [], blocks: [], blocked_by_platform: false });
    expect((await fixture.owner.api.get(`${path}/${ip}/licenses`)).body.data).toEqual([]);
    const list = await fixture.owner.api.get(`${path}?limit=200`);
    expect(list.text).not.toContain(ip);
    const there = await rival.owner.api.get(`/organizations/${rival.organizationId}/ips/${ip}`);
    expect(there.body.sightings).toHaveLength(1);
    expect(there.body.blocks).toHaveLength(1);
  });

  test("reading needs licenses:view, and outsiders get 404", async () => {
    const other = await fixture.member(["products:view", "ip_blocks:manage"]);
    const outsider = await fixture.person();
    for (const address of [path, `${path}/127.0.0.1`, `${path}/127.0.0.1/licenses`]) {
      expect((await other.api.get(address)).status).toBe(403);
      expect((await outsider.api.get(address)).status).toBe(404);
      expect((await fixture.anonymous.get(address)).status).toBe(401);
    }
  });

  test.each(["x", "1.2.3", "10.0.0.0%2F8", "2001:db8::%2F48"])("%s is not an IP address", async (ip) => {
    const { status, body } = await fixture.owner.api.get(`${path}/${ip}`);
    expect(status).toBe(422);
    expect(body.errors[0].field).toBe("ip");
  });
});
