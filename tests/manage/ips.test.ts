import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { addIpBlocks, type BlockScope, removeIpBlock } from "@countersign/store/queries/ip-blocks/blocks";
import { registerIp } from "@countersign/store/queries/licenses/create";
import { type AddedLicense, addLicense } from "../support/add-license.ts";
import { allRows, statusesAtOnce } from "../support/answers.ts";
import { auditOf, recorded } from "../support/audit-of.ts";
import { openTestJournal } from "../support/journal.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import type { ManageClient } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { several } from "../support/query-tests.ts";
import { journalEntry } from "../support/request-log.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

interface Listed {
  readonly ip: string;
  readonly license_count: number;
  readonly blocked: boolean;
}

/** The queries, and that they find nothing of other organizations: packages/store/queries/ips. */
testsOn("sqlite", "IP addresses", openManageFixture, (fixture) => {
  const see = async (organizationId: string, ip: string, licenseIds: readonly string[], at = Date.now()) => {
    const common = { at, organization_id: organizationId, product_id: fixture.productId, ip, tracked: true };
    const { journal, close } = await openTestJournal(fixture.database.location);
    await journal.append(licenseIds.map((license_id) => journalEntry({ ...common, license_id })));
    await close();
  };
  const newIds = (count: number) => Array.from({ length: count }, () => newId());
  const pathOf = (organizationId = fixture.organizationId) => `/organizations/${organizationId}/ips`;
  const anotherOrganization = async () => {
    const { api } = await fixture.person();
    const { body } = await api.post("/organizations", { name: "Rival" });
    return { organizationId: String(body.id), path: pathOf(body.id), api };
  };
  const listed = <Row = Listed>(api: ManageClient, at: string, query = "") =>
    allRows<Row>(api, `${at}?${query}`);
  const ipsOf = (rows: readonly Listed[]) => rows.map(({ ip }) => ip);
  const block = async (scope: BlockScope, cidr: string, expiresAtMs: number | null) => {
    const id = newId();
    await fixture.store.transaction((db) =>
      addIpBlocks(db, [{ id, scope, cidr, note: "Hidden", expiresAtMs }], 1),
    );
    return id;
  };

  test("an IP address shows its sightings, also in its /64, and the licenses that it used or is registered to", async () => {
    const license = await addLicense(fixture, { customer: { email: "ada@example.org", name: "Ada" } });
    const [registered, household] = [await addLicense(fixture), await addLicense(fixture)];
    await see(fixture.organizationId, "2001:db8:7::5", [license.id]);
    await see(fixture.organizationId, "2001:db8:7::/64", [household.id, license.id]);
    await fixture.store.transaction((db) => registerIp(db, registered.id, "2001:db8:7::/64", 1_000));
    const one = `${pathOf()}/2001:DB8:7:0::5`;
    expect((await fixture.owner.api.get(one)).body).toMatchObject({
      ...{ ip: "2001:db8:7::5", blocks: [], blocked_by_platform: false },
      sightings: [
        { ip: "2001:db8:7::/64", license_count: 2 },
        { ip: "2001:db8:7::5", license_count: 1, hits: 1 },
      ],
    });
    const none = { customer_email: null, customer_name: null, registered_at: null };
    const shown = [
      { ...none, license_id: household.id, license_key: household.key, hits: 1 },
      { ...none, license_id: registered.id, hits: 0, registered_at: new Date(1_000).toISOString() },
      {
        ...{ license_id: license.id, license_key: license.key, global_customer_id: license.customerId },
        ...{ customer_email: "ada@example.org", customer_name: "Ada", status: "active", hits: 2 },
      },
    ];
    const byId = (a: { license_id: string }, b: { license_id: string }) =>
      a.license_id < b.license_id ? -1 : 1;
    expect(await listed<object>(fixture.owner.api, `${one}/licenses`)).toMatchObject(shown.toSorted(byId));
    const whole = await fixture.owner.api.get(`${pathOf()}/${encodeURIComponent("2001:db8:7::/64")}`);
    expect(whole.body.sightings).toHaveLength(1);
    for (const ip of ["x", "10.0.0.0%2F8", "2001:db8::%2F48"])
      for (const answer of [
        await fixture.owner.api.get(`${pathOf()}/${ip}`),
        await fixture.admin.api.get(`/admin/ips/${ip}`),
      ])
        expect(refusal(answer)).toEqual([422, "ip"]);
  });

  test("the list of IP addresses starts with most licenses, has filters, and marks those blocked for all licenses", async () => {
    const { api, path, organizationId } = await anotherOrganization();
    const inside = ["203.0.113.130", "203.0.113.7", "203.0.113.77", "203.0.113.9"];
    const outside = ["203.0.11.3", "203.0.114.7", "2001:db8:7::/64", "2001:db8:8::/64", "30.0.113.7"];
    for (const ip of [...inside, ...outside]) await see(organizationId, ip, newIds(1));
    await see(organizationId, "203.0.113.9", newIds(2));
    expect((await listed(api, path))[0]).toMatchObject({ ip: "203.0.113.9", license_count: 3 });
    const filters: [query: string, found: string[]][] = [
      ["min_licenses=2", ["203.0.113.9"]],
      ["sort=ip", [...inside, ...outside].sort()],
      ["cidr=203.0.113.0/24", inside],
      ["cidr=203.0.113.0/25", inside.slice(1)],
      ["cidr=2001:db8:7::/48", ["2001:db8:7::/64"]],
      ["cidr=203.0.113.0/24&min_licenses=2", ["203.0.113.9"]],
    ];
    for (const [query, found] of filters)
      expect([query, ipsOf(await listed(api, path, query))]).toEqual([query, found]);
    for (const [query, field] of [
      ["cidr=203.0.113", "cidr"],
      ["cidr=203.0.113.0/24&sort=license_count", "sort"],
    ])
      expect([query, ...refusal(await api.get(`${path}?${query}`))]).toEqual([query, 422, field]);

    await block({ tier: "organization", organizationId }, "203.0.113.9/32", 5);
    for (const cidr of ["203.0.113.7", "2001:db8:7::/48", "2001:db8:8::1"])
      await api.post(`/organizations/${organizationId}/ip-blocks`, { cidr });
    await block({ tier: "license", organizationId, licenseId: newId() }, "203.0.113.77/32", null);
    const blocked = async (query: string) =>
      ipsOf((await listed(api, path, query)).filter((row) => row.blocked)).sort();
    for (const query of ["", "sort=ip"])
      expect(await blocked(query)).toEqual(["2001:db8:7::/64", "203.0.113.7"]);
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
    const { organizationId } = fixture;
    await block({ tier: "organization", organizationId }, "198.19.77.77/32", 5);
    const read = () => fixture.owner.api.get(`${pathOf()}/198.19.77.77`);
    const { blocks, blocked_by_platform } = (await read()).body;
    const byLevel = (one: { level: string }, other: { level: string }) => (one.level < other.level ? -1 : 1);
    expect([...blocks.toSorted(byLevel), blocked_by_platform]).toMatchObject([
      { level: "customer", cidr: "198.16.0.0/12", customer_id: license.customerId },
      { level: "license", cidr: "198.19.77.77/32", license_id: license.id },
      { level: "organization", cidr: "198.19.77.0/24" },
      false,
    ]);
    const platform = { tier: "platform" } as const;
    const hidden = await block(platform, "198.19.77.0/25", null);
    const again = await read();
    await fixture.store.transaction((db) => removeIpBlock(db, hidden, platform));
    expect(again.body.blocked_by_platform).toBe(true);
    expect(again.text).not.toContain("Hidden");
  });

  test("the platform's lists sum up all organizations, and name those of which an IP address used most licenses", async () => {
    const [one, other, deleted] = await several(3, anotherOrganization);
    const [single, network, time] = [
      "2001:db8:64::5",
      "2001:db8:64::/64",
      (ms: number) => new Date(ms).toISOString(),
    ];
    const licenses = newIds(610);
    await see(one.organizationId, single, licenses.slice(0, 50), 5_000);
    await see(one.organizationId, network, licenses.slice(0, 1), 3_000);
    await see(other.organizationId, single, licenses.slice(50, 605), 4_000);
    await see(deleted.organizationId, single, licenses.slice(605), 4_000);
    await see(other.organizationId, "100.64.0.2", licenses.slice(0, 605));
    await fixture.change("organizations", { id: deleted.organizationId }, { deleted_at: 1_000 });
    const list = (query: string) => listed(fixture.admin.api, "/admin/ips", query);
    const { body: block } = await fixture.admin.api.post("/admin/ip-blocks", { cidr: "2001:db8:64::/48" });
    const [most, shown] = [
      await list("min_licenses=600"),
      await fixture.admin.api.get(`/admin/ips/${single}`),
    ];
    await fixture.admin.api.delete(`/admin/ip-blocks/${block.id}`);
    expect(most).toMatchObject([
      { ip: single, license_count: 610, hits: 610, blocked: true },
      { ip: "100.64.0.2", license_count: 605, blocked: false },
    ]);
    const ofOne = { name: "Rival", last_seen_at: time(5_000), first_seen_at: time(3_000), hits: 51 };
    expect(shown.body).toMatchObject({
      ...{ ip: single, blocked: true },
      sightings: [
        { ip: network, license_count: 1, hits: 1 },
        { ip: single, license_count: 610, hits: 610, last_seen_at: time(5_000) },
      ],
      organizations: [
        { organization_id: other.organizationId, license_count: 555, hits: 555 },
        { organization_id: one.organizationId, license_count: 50, ...ofOne },
      ],
    });
    expect(ipsOf(await list("sort=ip&cidr=2001:db8:64::/64"))).toEqual([network, single]);
    const none = { sightings: [], blocked: false, device_ids: [], organizations: [] };
    const unseen = await fixture.admin.api.get("/admin/ips/2001:db8:ffff::1");
    expect(unseen.body).toEqual({ ip: "2001:db8:ffff::1", ...none });
  });
});

const levels = ["organization", "customer", "license"] as const;

/**
 * That a block is found in its scope only: packages/store/queries/ip-blocks/blocks.test.ts. When it applies:
 * packages/store/suite/ip-blocks.ts.
 */
testsOn("sqlite", "blocks of IP addresses", openManageFixture, (fixture) => {
  const api = () => fixture.owner.api;
  const licensed = () => addLicense(fixture, { customer: { email: `${newId()}@example.com` } });
  const pathOf = (level: (typeof levels)[number], license: AddedLicense) => {
    const organization = `/organizations/${fixture.organizationId}`;
    if (level === "organization") return `${organization}/ip-blocks`;
    if (level === "customer") return `${organization}/customers/${license.customerId}/ip-blocks`;
    return `/licenses/${license.id}/ip-blocks`;
  };
  const statusOf = async ({ key }: AddedLicense) => (await licensesOf(fixture).validate(key)).status;

  describe.each(levels)("level %s", (level) => {
    test("IP blocks apply from the next request until they are removed, can be changed, and are audited", async () => {
      const [license, bystander] = [await licensed(), await licensed()];
      const path = pathOf(level, license);
      expect(await statusOf(license)).toBe("active");
      const later = new Date(Date.now() + hourMs).toISOString();
      const made = await api().post(path, { cidr: "127.0.0.1", note: "Abuse", expires_at: later });
      const shown = { level, cidr: "127.0.0.1/32", note: "Abuse", expires_at: later };
      expect(made.body).toMatchObject({ ...shown, created_by: "Test Person" });
      expect(await statusOf(license)).toBe("ip_blocked");
      expect(await statusOf(bystander)).toBe(level === "organization" ? "ip_blocked" : "active");
      expect((await api().get(path)).body.data).toContainEqual(made.body);

      const one = `${path}/${made.body.id}`;
      const forever = await api().patch(one, { expires_at: null, note: "Again" });
      expect(forever.body).toMatchObject({ ...shown, expires_at: null, note: "Again" });
      expect(refusal(await api().patch(one, { expires_at: "2020-01-01T00:00:00Z" }))).toEqual([
        422,
        "expires_at",
      ]);
      expect(refusal(await api().patch(one, { cidr: "0.0.0.0/0" }))).toEqual([422, "cidr"]);
      const stale = { note: "Late", updated_at: made.body.updated_at };
      expect((await api().patch(one, stale)).status).toBe(412);
      expect([(await api().delete(one)).status, (await api().delete(one)).status]).toEqual([204, 404]);
      expect(await statusOf(license)).toBe("active");

      // For a license in its own history.
      const log = await auditOf(fixture, level === "license" ? license.id : made.body.id);
      expect(log.map(recorded)).toMatchObject([
        { action: "ip_block.added" },
        { action: "ip_block.updated", before: { level, note: "Abuse" }, after: { level, note: "Again" } },
        { action: "ip_block.removed" },
      ]);
    });

    /** Removals at the same time: packages/store/queries/ip-blocks/blocks.test.ts. */
    test("IP blocks for the same network are refused and name the existing one, even if added at the same time", async () => {
      const path = pathOf(level, await licensed());
      const add = (cidr: string) => api().post(path, { cidr });
      const { body: first } = await add("198.51.100.77/24");
      expect(first.cidr).toBe("198.51.100.0/24");
      const again = await add("198.51.100.0/24");
      expect(refusal(again)).toEqual([409, "cidr"]);
      expect(again.body).toMatchObject({ code: "block_exists", params: { block_id: first.id } });
      const racing = await statusesAtOnce(6, () => add(" 203.0.113.200 "));
      expect(racing).toEqual([201, 409, 409, 409, 409, 409]);
      const blocks = await allRows(api(), `${path}?limit=1`);
      expect(blocks.map(({ cidr }) => cidr)).toEqual(["198.51.100.0/24", "203.0.113.200/32"]);
      for (const { id } of blocks) await api().delete(`${path}/${id}`);
    });
  });

  test("an IP block for what is not a network, and one IP block too many, are refused", async () => {
    const { id: licenseId } = await licensed();
    const path = `/licenses/${licenseId}/ip-blocks`;
    for (const cidr of ["localhost", "10.0.0.0/33", 5])
      expect(refusal(await api().post(path, { cidr }))).toEqual([422, "cidr"]);
    const expired = { cidr: "198.21.0.1", expires_at: "2020-01-01T00:00:00Z" };
    expect(refusal(await api().post(path, expired))).toEqual([422, "expires_at"]);
    // Each validation reads the blocks of its license.
    const scope = { tier: "license", organizationId: fixture.organizationId, licenseId } as const;
    const blocks = Array.from({ length: 200 }, (_, index) => ({
      ...{ id: newId(), scope, cidr: `198.20.0.${index}/32`, note: null, expiresAtMs: null },
    }));
    await fixture.store.transaction((db) => addIpBlocks(db, blocks, 1));
    const body = { code: "block_limit_reached", params: { limit: 200 } };
    expect(await api().post(path, { cidr: "198.21.0.1" })).toMatchObject({ status: 403, body });
  });
});
