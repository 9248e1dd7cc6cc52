import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openJournal } from "@countersign/store/open";
import { addIpBlocks, removeIpBlock } from "@countersign/store/queries/ip-blocks/blocks";
import { registerIp } from "@countersign/store/queries/licenses/create";
import type { Journal } from "@countersign/store/store";
import { addLicense } from "../support/add-license.ts";
import { on } from "../support/databases.ts";
import type { ManageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { journalEntry } from "../support/request-log.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

interface Listed {
  readonly ip: string;
  readonly license_count: number;
  readonly blocked: boolean;
}

/** The queries themselves are tested in packages/store/queries/ips. */
describe.each(on("sqlite"))("IP addresses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let journal: Journal;
  let path: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    journal = await openJournal(fixture.database.location);
    path = `/organizations/${fixture.organizationId}/ips`;
  });
  afterAll(async () => {
    await journal.close();
    await fixture.close();
  });

  const see = (organizationId: string, ip: string, licenseIds: readonly string[], at = Date.now()) => {
    const common = { at, organization_id: organizationId, product_id: fixture.productId, ip, tracked: true };
    return journal.append(licenseIds.map((license_id) => journalEntry({ ...common, license_id })));
  };
  const newIds = (count: number) => Array.from({ length: count }, () => newId());
  const anotherOrganization = async () => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name: "Rival" });
    const product = await owner.api.post(`/organizations/${body.id}/products`, { name: "Theirs" });
    const ids = { organizationId: String(body.id), productId: String(product.body.id) };
    const here = `/organizations/${ids.organizationId}`;
    return { ...ids, here, api: owner.api, addLicense: () => addLicense({ store: fixture.store, ...ids }) };
  };
  /** All pages of a list, of two each. */
  const listed = async <Row = Listed>(api: ManageClient, at: string, query = "") => {
    const rows: Row[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const next: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const { body, status, text } = await api.get(`${at}?limit=2&${query}${next}`);
      expect(status, text).toBe(200);
      rows.push(...body.data);
      cursor = body.next_cursor;
    }
    return rows;
  };
  const ipsOf = (rows: readonly Listed[]) => rows.map(({ ip }) => ip);

  test("an IP address shows its validations and the licenses it used", async () => {
    const license = await addLicense(fixture, { customer: { email: "ada@example.org", name: "Ada" } });
    for (const _ of [1, 2]) await fixture.publicApi.validate({ license_key: license.key });
    const one = `${path}/127.0.0.1`;
    const read = async () => (await fixture.owner.api.get(one)).body;
    await until("both are recorded", async () => (await read()).sightings[0]?.hits === 2);
    expect(await read()).toMatchObject({
      ...{ ip: "127.0.0.1", blocks: [], blocked_by_platform: false },
      sightings: [{ ip: "127.0.0.1", license_count: 1 }],
    });
    expect((await fixture.owner.api.get(`${one}/licenses`)).body.data).toMatchObject([
      {
        license_id: license.id,
        license_key: license.key,
        global_customer_id: license.customerId,
        customer_email: "ada@example.org",
        customer_name: "Ada",
        status: "active",
        hits: 2,
        registered_at: expect.any(String),
      },
    ]);
  });

  test("licenses are paginated and include those registered by API and never seen", async () => {
    const ip = "198.51.100.40";
    const ids = [await addLicense(fixture), await addLicense(fixture), await addLicense(fixture)].map(
      ({ id }) => id,
    );
    await see(fixture.organizationId, ip, ids.slice(0, 2));
    await fixture.store.transaction((db) => registerIp(db, ids[2] ?? "", ip, 1_000));
    const rows = await listed<{ license_id: string }>(fixture.owner.api, `${path}/${ip}/licenses`);
    expect(rows.map((row) => row.license_id)).toEqual([...ids].sort());
    const byHand = rows.find((row) => row.license_id === ids[2]);
    expect(byHand).toMatchObject({ hits: 0, registered_at: new Date(1_000).toISOString() });
  });

  test("the list starts with most licenses, and can be filtered by network and number of licenses", async () => {
    const { api, here, organizationId } = await anotherOrganization();
    const inside = ["203.0.113.130", "203.0.113.7", "203.0.113.77", "203.0.113.9"];
    const outside = ["203.0.11.3", "203.0.114.7", "2001:db8:7::/64", "30.0.113.7"];
    for (const ip of [...inside, ...outside]) await see(organizationId, ip, newIds(1));
    await see(organizationId, "203.0.113.9", newIds(2));
    const list = async (query: string) => ipsOf(await listed(api, `${here}/ips`, query));
    expect((await listed(api, `${here}/ips`))[0]).toMatchObject({ ip: "203.0.113.9", license_count: 3 });
    const filters: [query: string, found: string[]][] = [
      ["min_licenses=2", ["203.0.113.9"]],
      ["sort=ip", [...inside, ...outside].sort()],
      ["cidr=203.0.113.0/24", inside],
      ["cidr=203.0.113.0/25", inside.slice(1)],
      ["cidr=203.0.113.7", ["203.0.113.7"]],
      ["cidr=2001:db8::/32", ["2001:db8:7::/64"]],
      ["cidr=203.0.113.0/24&min_licenses=2", ["203.0.113.9"]],
    ];
    for (const [query, found] of filters) expect([query, await list(query)]).toEqual([query, found]);
    for (const [query, field] of [
      ["sort=hits", "sort"],
      ["cidr=203.0.113", "cidr"],
      ["cidr=203.0.113.0/24&sort=license_count", "sort"],
    ]) {
      const { status, body } = await api.get(`${here}/ips?${query}`);
      expect([query, status, body.errors[0].field]).toEqual([query, 422, field]);
    }
  });

  test("an IPv6 address is found by itself and by its /64", async () => {
    const [single, household] = [await addLicense(fixture), await addLicense(fixture)];
    await see(fixture.organizationId, "2001:db8:7::5", [single.id]);
    await see(fixture.organizationId, "2001:db8:7::/64", [household.id, single.id]);
    const { body } = await fixture.owner.api.get(`${path}/2001:DB8:7:0::5`);
    expect([body.ip, ipsOf(body.sightings)]).toEqual(["2001:db8:7::5", ["2001:db8:7::/64", "2001:db8:7::5"]]);
    const rows = await listed<{ license_id: string; hits: number }>(
      fixture.owner.api,
      `${path}/2001:db8:7::5/licenses`,
    );
    const hits = new Map(rows.map((row) => [row.license_id, row.hits]));
    expect([hits.get(single.id), hits.get(household.id), hits.size]).toEqual([2, 1, 2]);
    const whole = await fixture.owner.api.get(`${path}/${encodeURIComponent("2001:db8:7::/64")}`);
    expect(whole.body.sightings).toHaveLength(1);
  });

  test("the list marks IP addresses that are blocked for every license", async () => {
    const { api, here, organizationId, addLicense: add } = await anotherOrganization();
    const addresses = ["203.0.113.7", "203.0.113.8", "198.51.100.1", "2001:db8:1::/64", "2001:db8:2::/64"];
    for (const ip of addresses) await see(organizationId, ip, newIds(1));
    const scope = { tier: "organization", organizationId } as const;
    const expired = { id: newId(), scope, cidr: "203.0.113.8/32", note: null, expiresAtMs: 5 };
    await fixture.store.transaction((db) => addIpBlocks(db, [expired], 1));
    for (const cidr of ["203.0.113.7", "2001:db8:1::/48", "2001:db8:2::1"])
      await api.post(`${here}/ip-blocks`, { cidr });
    await api.post(`/licenses/${(await add()).id}/ip-blocks`, { cidr: "198.51.100.1" });
    const blocked = async (query: string) =>
      ipsOf((await listed(api, `${here}/ips`, query)).filter((row) => row.blocked)).sort();
    for (const query of ["", "sort=ip"])
      expect(await blocked(query)).toEqual(["2001:db8:1::/64", "203.0.113.7"]);
    expect(await blocked("cidr=203.0.113.0/24")).toEqual(["203.0.113.7"]);
  });

  test("an IP address shows every block that covers it, except expired ones", async () => {
    const license = await addLicense(fixture, { customer: { email: `${newId()}@example.com` } });
    const organization = `/organizations/${fixture.organizationId}`;
    const add = (list: string, cidr: string) => fixture.owner.api.post(`${list}/ip-blocks`, { cidr });
    await add(organization, "198.19.77.0/24");
    await add(`${organization}/customers/${license.customerId}`, "198.16.0.0/12");
    await add(`/licenses/${license.id}`, "198.19.77.77");
    await add(`/licenses/${license.id}`, "198.19.77.78");
    const block = { id: newId(), note: "Hidden", expiresAtMs: null };
    const scope = { tier: "organization", organizationId: fixture.organizationId } as const;
    const expired = { ...block, id: newId(), scope, cidr: "198.19.77.77/32", expiresAtMs: 5 };
    await fixture.store.transaction((db) => addIpBlocks(db, [expired], 1));
    const read = () => fixture.owner.api.get(`${path}/198.19.77.77`);
    const { body } = await read();
    const blocks = body.blocks.toSorted((one: { level: string }, other: { level: string }) =>
      one.level < other.level ? -1 : 1,
    );
    expect(blocks).toMatchObject([
      { level: "customer", cidr: "198.16.0.0/12", customer_id: license.customerId },
      { level: "license", cidr: "198.19.77.77/32", license_id: license.id },
      { level: "organization", cidr: "198.19.77.0/24" },
    ]);
    expect([blocks.length, body.blocked_by_platform]).toEqual([3, false]);
    const platform = { tier: "platform" } as const;
    const hidden = { ...block, scope: platform, cidr: "198.19.77.0/25" };
    await fixture.store.transaction((db) => addIpBlocks(db, [hidden], 1));
    const again = await read();
    await fixture.store.transaction((db) => removeIpBlock(db, hidden.id, platform));
    expect(again.body.blocked_by_platform).toBe(true);
    expect(again.text).not.toContain("Hidden");
  });

  test("nothing of another organization is shown", async () => {
    const rival = await anotherOrganization();
    const theirs = await rival.addLicense();
    const ip = "198.51.100.99";
    await see(rival.organizationId, ip, [theirs.id]);
    await fixture.store.transaction((db) => registerIp(db, theirs.id, ip, 1));
    await rival.api.post(`${rival.here}/ip-blocks`, { cidr: ip });
    const ours = await fixture.owner.api.get(`${path}/${ip}`);
    expect(ours.body).toEqual({ ip, sightings: [], blocks: [], blocked_by_platform: false, device_ids: [] });
    expect((await fixture.owner.api.get(`${path}/${ip}/licenses`)).body.data).toEqual([]);
    expect((await fixture.owner.api.get(`${path}?limit=200`)).text).not.toContain(ip);
    const { body } = await rival.api.get(`${rival.here}/ips/${ip}`);
    expect([body.sightings.length, body.blocks.length]).toEqual([1, 1]);
  });

  test("only an IP address or a /64 is one, for organizations and for the platform", async () => {
    for (const ip of ["x", "1.2.3", "10.0.0.0%2F8", "2001:db8::%2F48"]) {
      const answers = [
        await fixture.owner.api.get(`${path}/${ip}`),
        await fixture.admin.api.get(`/admin/ips/${ip}`),
      ];
      for (const { status, body } of answers) expect([status, body.errors[0].field]).toEqual([422, "ip"]);
    }
  });

  test("the platform's list sums up all organizations, those with most licenses first", async () => {
    const [one, other] = [await anotherOrganization(), await anotherOrganization()];
    const licenses = newIds(620);
    await see(one.organizationId, "100.64.0.1", licenses.slice(0, 50));
    await see(other.organizationId, "100.64.0.1", licenses.slice(50, 610));
    await see(other.organizationId, "100.64.0.2", licenses.slice(0, 605));
    await see(other.organizationId, "100.64.0.3", licenses.slice(0, 604));
    await see(other.organizationId, "100.64.0.3", licenses.slice(0, 5));
    const { body: block } = await fixture.admin.api.post("/admin/ip-blocks", { cidr: "100.64.0.2/31" });
    const list = (query: string) => listed(fixture.admin.api, "/admin/ips", query);
    expect(await list("min_licenses=600")).toMatchObject([
      { ip: "100.64.0.1", license_count: 610, blocked: false },
      { ip: "100.64.0.2", license_count: 605, blocked: true },
      { ip: "100.64.0.3", license_count: 604, hits: 609, blocked: true },
    ]);
    await fixture.admin.api.delete(`/admin/ip-blocks/${block.id}`);
    expect(ipsOf(await list("cidr=100.64.0.0/31"))).toEqual(["100.64.0.1"]);
    expect(await list("sort=ip&cidr=100.64.0.0/24")).toHaveLength(3);
  });

  test("an IP address of the platform names the organizations of which it used most licenses", async () => {
    const [one, other, deleted] = [
      await anotherOrganization(),
      await anotherOrganization(),
      await anotherOrganization(),
    ];
    const licenses = newIds(6);
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
    const { body: block } = await fixture.admin.api.post("/admin/ip-blocks", { cidr: "2001:db8:64::/48" });
    const { body } = await fixture.admin.api.get("/admin/ips/2001:DB8:64:0::5");
    await fixture.admin.api.delete(`/admin/ip-blocks/${block.id}`);
    const time = (ms: number) => new Date(ms).toISOString();
    const seen = { name: "Rival", last_seen_at: time(5_000), first_seen_at: time(3_000), hits: 3 };
    expect(body).toMatchObject({
      ip: "2001:db8:64::5",
      blocked: true,
      sightings: [
        { ip: "2001:db8:64::/64", license_count: 1, hits: 1 },
        { ip: "2001:db8:64::5", license_count: 6, hits: 6, last_seen_at: time(5_000) },
      ],
      organizations: [
        { organization_id: other.organizationId, license_count: 3, hits: 3 },
        { organization_id: one.organizationId, license_count: 2, ...seen },
      ],
    });
    const none = { sightings: [], blocked: false, device_ids: [], organizations: [] };
    const unseen = await fixture.admin.api.get("/admin/ips/2001:db8:ffff::1");
    expect(unseen.body).toEqual({ ip: "2001:db8:ffff::1", ...none });
  });
});
