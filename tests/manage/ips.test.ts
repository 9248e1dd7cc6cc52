import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openJournal } from "@countersign/store/open";
import { addIpBlocks } from "@countersign/store/queries/ip-blocks/blocks";
import { sightingsOf } from "@countersign/store/queries/ips/sightings";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { busiestOrganizations } from "../../apps/server/features/admin/organizations-of-ip.ts";
import { ipPage } from "../../apps/server/features/ips/list.ts";
import { addLicense } from "../support/add-license.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { journalEntry } from "../support/request-log.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { watched } from "../support/watched-queries.ts";

setDefaultTimeout(60_000);

describe.each(databases)("IP addresses on $kind", ({ kind, make }) => {
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
        licenseIds.map((license) =>
          journalEntry({
            ...{ at: atMs, organization_id: organizationId, product_id: fixture.productId },
            ...{ license_id: license, ip, tracked: true },
          }),
        ),
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
    expect(here.body).toEqual({ ip, sightings: [], blocks: [], blocked_by_platform: false, device_ids: [] });
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

  describe("of the whole platform", () => {
    const listed = async (query: string) => {
      const rows: { ip: string; license_count: number; blocked: boolean }[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
        const { body, status, text } = await fixture.admin.api.get(`/admin/ips?limit=2&${query}${next}`);
        expect(status, text).toBe(200);
        rows.push(...body.data);
        cursor = body.next_cursor;
      }
      return rows;
    };

    test("the list sums up all organizations, those with most licenses first", async () => {
      const [one, other] = [await anotherOrganization(), await anotherOrganization()];
      const licenses = Array.from({ length: 120 }, () => newId());
      await see(one.organizationId, "100.64.0.1", licenses.slice(0, 50));
      await see(other.organizationId, "100.64.0.1", licenses.slice(50, 110));
      await see(other.organizationId, "100.64.0.2", licenses.slice(0, 105));
      await see(other.organizationId, "100.64.0.3", licenses.slice(0, 104));
      await see(other.organizationId, "100.64.0.3", licenses.slice(0, 5));
      const { body: block } = await fixture.admin.api.post("/admin/ip-blocks", { cidr: "100.64.0.2/31" });
      expect(await listed("min_licenses=100")).toMatchObject([
        { ip: "100.64.0.1", license_count: 110, blocked: false },
        { ip: "100.64.0.2", license_count: 105, blocked: true },
        { ip: "100.64.0.3", license_count: 104, hits: 109, blocked: true },
      ]);
      await fixture.admin.api.delete(`/admin/ip-blocks/${block.id}`);
      const ips = async (query: string) => (await listed(query)).map(({ ip }) => ip);
      expect(await ips("cidr=100.64.0.0/31")).toEqual(["100.64.0.1"]);
      expect((await ips("sort=ip&cidr=100.64.0.0/24")).length).toBe(3);
      const wrong = await fixture.admin.api.get("/admin/ips?cidr=100.64.0.0/24&sort=license_count");
      expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "sort"]);
    });

    test("one IP address names the organizations of which it used most licenses", async () => {
      const [one, other, deleted] = [
        await anotherOrganization(),
        await anotherOrganization(),
        await anotherOrganization(),
      ];
      const licenses = Array.from({ length: 6 }, () => newId());
      await see(one.organizationId, "2001:db8:64::5", licenses.slice(0, 2), 5_000);
      await see(one.organizationId, "2001:db8:64::/64", licenses.slice(0, 1), 3_000);
      await see(other.organizationId, "2001:db8:64::5", licenses.slice(2, 5), 4_000);
      await see(deleted.organizationId, "2001:db8:64::5", licenses.slice(5), 4_000);
      await fixture.store.transaction((db) =>
        db
          .updateTable("organizations")
          .set({ deleted_at: 1_000 })
          .where("id", "=", deleted.organizationId)
          .execute(),
      );
      const { body } = await fixture.admin.api.get("/admin/ips/2001:DB8:64:0::5");
      const time = (ms: number) => new Date(ms).toISOString();
      expect(body).toMatchObject({ ip: "2001:db8:64::5", blocked: false });
      expect(body.sightings).toMatchObject([
        { ip: "2001:db8:64::/64", license_count: 1, hits: 1 },
        { ip: "2001:db8:64::5", license_count: 6, hits: 6, last_seen_at: time(5_000) },
      ]);
      const seen = { name: "Rival", last_seen_at: time(5_000), first_seen_at: time(3_000), hits: 3 };
      expect(body.organizations).toMatchObject([
        { organization_id: other.organizationId, license_count: 3, hits: 3 },
        { organization_id: one.organizationId, license_count: 2, ...seen },
      ]);
      expect((await fixture.admin.api.get("/admin/ips/2001:db8:ffff::1")).body).toEqual({
        ip: "2001:db8:ffff::1",
        sightings: [],
        blocked: false,
        device_ids: [],
        organizations: [],
      });
      const { body: block } = await fixture.admin.api.post("/admin/ip-blocks", { cidr: "2001:db8:64::/48" });
      expect((await fixture.admin.api.get("/admin/ips/2001:db8:64::5")).body.blocked).toBe(true);
      await fixture.admin.api.delete(`/admin/ip-blocks/${block.id}`);
      expect((await fixture.admin.api.get("/admin/ips/nonsense")).status).toBe(422);
    });

    test("only platform admins read them", async () => {
      for (const path of ["/admin/ips", "/admin/ips/100.64.0.1"]) {
        expect((await fixture.owner.api.get(path)).status).toBe(404);
        expect((await fixture.anonymous.get(path)).status).toBe(401);
      }
    });

    test("no query reads the whole table or sorts it", async () => {
      const own = await anotherOrganization();
      const many = Array.from({ length: 4_000 }, (_, at) => `100.${65 + (at >> 8)}.${at & 255}.1`);
      const journal = await openJournal(fixture.database.location);
      for (let start = 0; start < many.length; start += 1_000)
        await journal.append(
          many.slice(start, start + 1_000).map((ip) =>
            journalEntry({
              ...{ at: 1_000, organization_id: own.organizationId, product_id: own.productId },
              ...{ license_id: newId(), ip, tracked: true },
            }),
          ),
        );
      await journal.close();
      const { store, plans } = watched(fixture.store);
      const scope = { tier: "platform" } as const;
      const page = { min_licenses: 1, limit: 50 };
      const { next_cursor } = await ipPage(store.listReads, scope, page);
      await ipPage(store.listReads, scope, { ...page, cursor: next_cursor ?? "" });
      await ipPage(store.listReads, scope, { ...page, sort: "ip" });
      await ipPage(store.listReads, scope, { ...page, cidr: "100.66.0.0/16" });
      await busiestOrganizations(store.listReads, ["100.65.0.1"]);
      await sightingsOf(store.listReads, scope, ["100.65.0.1"]);
      const found = await plans();
      expect(found.length).toBeGreaterThan(4);
      for (const { text, plan } of found) {
        const bad = kind === "sqlite" ? /SCAN|TEMP B-TREE/ : /Seq Scan|Sort/;
        expect(bad.test(plan) ? `${text}\n${plan}` : "").toBe("");
      }
    });
  });
});
