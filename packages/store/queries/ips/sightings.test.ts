import { expect, test } from "bun:test";
import { idsOf, onBothDatabases, pages, several } from "../../../../tests/support/query-tests.ts";
import { newId, type TestOrganization } from "../../../../tests/support/test-organization.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import * as create from "../licenses/create.ts";
import type { SightingScope } from "./sightings.ts";
import * as queries from "./sightings.ts";

onBothDatabases("sightings of IP addresses", (fixture) => {
  const { read, write } = fixture.queries({ ...queries, ...create });
  const see = (
    { organizationId, productId }: Pick<TestOrganization, "organizationId" | "productId">,
    ip: string,
    licenseIds: readonly string[],
    at = Date.UTC(2030, 0, 1),
  ) => {
    const common = { organization_id: organizationId, product_id: productId, ip, at, tracked: true };
    return fixture.log(licenseIds.map((license_id) => ({ ...common, license_id })));
  };
  const newIds = (count: number) => Array.from({ length: count }, () => newId()).sort();
  const scopeOf = ({ organizationId }: TestOrganization) =>
    ({ tier: "organization", organizationId }) as const;
  const busiest = async (scope: SightingScope, minLicenses: number) => {
    type Last = { ip: string; license_count: number } | null;
    const found = await pages((last: Last) => {
      const before = last && { licenseCount: last.license_count, ip: last.ip };
      return read.busiestIps(scope, { before, limit: 1, minLicenses });
    });
    return found.flat().map(({ ip, license_count, hits }) => `${ip} ${license_count} ${hits}`);
  };

  test("IP addresses with most licenses come first, for an organization and for the platform", async () => {
    const [one, other] = [await fixture.organization(), await fixture.organization()];
    const licenses = newIds(9);
    // Of the platform, only these tests have IP addresses with so many licenses.
    const many = newIds(300);
    await see(one, "100.64.0.1", licenses.slice(0, 3));
    await see(one, "100.64.0.2", licenses);
    await see(one, "100.64.0.2", licenses.slice(0, 5));
    await see(one, "100.64.0.3", licenses.slice(0, 3));
    await see(one, "100.64.0.4", licenses.slice(0, 1));
    await see(other, "100.64.0.4", many);
    await see(other, "100.64.0.5", many.slice(0, 295));
    const ofOne = ["100.64.0.2 9 14", "100.64.0.3 3 3", "100.64.0.1 3 3", "100.64.0.4 1 1"];
    expect(await busiest(scopeOf(one), 1)).toEqual(ofOne);
    expect(await busiest(scopeOf(one), 3)).toEqual(ofOne.slice(0, 3));
    const ofPlatform = (await busiest({ tier: "platform" }, 290)).filter((text) =>
      text.startsWith("100.64.0."),
    );
    expect(ofPlatform).toEqual(["100.64.0.4 301 301", "100.64.0.5 295 295"]);
    expect(await read.sightingsOf(scopeOf(one), ["100.64.0.5", "100.64.0.4", "100.64.0.3"])).toMatchObject([
      { ip: "100.64.0.3", license_count: 3 },
      { ip: "100.64.0.4", license_count: 1 },
    ]);
  });

  test("IP addresses with a prefix are listed in text order, in pages", async () => {
    const [one, other] = [await fixture.organization(), await fixture.organization()];
    const found = ["203.0.113.130", "203.0.113.7", "203.0.113.77", "203.0.113.9"];
    for (const ip of [...found, "203.0.11.3", "203.0.114.7", "2001:db8:7::/64"])
      await see(one, ip, newIds(1));
    await see(other, "203.0.113.8", newIds(1));
    const list = async (text: string, after: string | null, limit: number) =>
      (await read.ipsStartingWith(scopeOf(one), text, after, limit)).map(({ ip }) => ip);
    expect(await list("203.0.113.", null, 2)).toEqual(found.slice(0, 2));
    expect(await list("203.0.113.", "203.0.113.7", 9)).toEqual(found.slice(2));
    expect(await list("2001:", null, 9)).toEqual(["2001:db8:7::/64"]);
    expect(await list("", null, 9)).toHaveLength(7);
  });

  test("the organizations that saw an IP address are listed by their IDs, deleted ones without a name", async () => {
    const orgs = await several(3, () => fixture.organization());
    const ip = "100.65.0.1";
    for (const [index, org] of orgs.entries()) await see(org, ip, newIds(index + 1));
    const ids = orgs.map(({ organizationId }) => organizationId).sort();
    const seeing = async (after: string, limit: number) =>
      (await read.organizationsSeeing(ip, after, limit)).map((row) => row.scope_id);
    expect(await seeing("", 2)).toEqual(ids.slice(0, 2));
    expect(await seeing(ids[1] ?? "", 2)).toEqual(ids.slice(2));
    const at = (limit: number) => read.organizationsAt([ip, "100.65.0.2"], limit);
    expect((await at(9)).map(({ organizationId }) => organizationId).sort()).toEqual(ids);
    expect(await at(2)).toHaveLength(2);
    const [deleted = "", ...kept] = ids;
    await fixture.change("organizations", deleted, { deleted_at: 1 });
    const names = await read.organizationNames([...ids, "unknown"]);
    expect(names).toEqual(new Map(kept.map((id) => [id, "Test Organization"])));
  });

  test("the licenses of an IP address are those it is registered at or was seen with, of one organization", async () => {
    const [own, other] = [await fixture.organization(), await fixture.organization()];
    // These come before all others, and are more than one step reads.
    const theirs = newIds(1_200);
    const [single, network, elsewhere] = ["2001:db8:64::5", "2001:db8:64::/64", "2001:db8:65::/64"];
    const licenses = await several(3, () => own.license());
    const [seen = "", both = "", registered = ""] = idsOf(licenses).sort();
    const { productId } = await own.product();
    const [foreign, gone] = [await other.license(), await own.license({ productId })];
    const unseen = await own.license();
    await fixture.change("products", productId, { deleted_at: 1 });
    await see(own, single, [seen, both, gone.id], 2_000);
    await see(own, network, [both], 1_000);
    await see(own, elsewhere, [seen, unseen.id], 9_000);
    await see(other, single, [...theirs, foreign.id]);
    await write.registerIp(registered, network, 7);
    await write.registerIp(foreign.id, single, 7);
    const ips = [single, network];
    const list = async (afterId: string, limit: number) =>
      idsOf(await read.licensesOfIps(own.organizationId, ips, { afterId, limit }));
    expect(await list("", 2)).toEqual([seen, both]);
    expect(await list(both, 2)).toEqual([registered]);
    const asked = [seen, both, registered];
    expect(await read.registrationsAt(asked, ips)).toEqual(new Map([[registered, 7]]));
    const counted = await read.licenseSightings(asked, ips);
    expect([...counted.keys()].sort()).toEqual([seen, both]);
    expect(counted.get(seen)).toMatchObject({ first_seen_at: 2_000, last_seen_at: 2_000, hits: 1 });
    expect(counted.get(both)).toMatchObject({ first_seen_at: 1_000, last_seen_at: 2_000, hits: 2 });
  });

  test("no query of sightings reads the whole table or sorts it", async () => {
    const org = await fixture.organization();
    const many = Array.from({ length: 4_000 }, (_, at) => `100.${70 + (at >> 8)}.${at & 255}.1`);
    const seen = { organization_id: org.organizationId, product_id: org.productId, tracked: true };
    for (let start = 0; start < many.length; start += 1_000)
      await fixture.log(many.slice(start, start + 1_000).map((ip) => ({ ...seen, ip, license_id: newId() })));
    const { store, plans } = watched(fixture.store);
    for (const scope of [{ tier: "platform" }, scopeOf(org)] as const) {
      for (const before of [null, { licenseCount: 1, ip: "100.72.0.1" }])
        await queries.busiestIps(store.listReads, scope, { before, limit: 50, minLicenses: 1 });
      await queries.ipsStartingWith(store.listReads, scope, "", null, 50);
      await queries.ipsStartingWith(store.listReads, scope, "100.72.", "100.72.1.1", 50);
      await queries.sightingsOf(store.listReads, scope, ["100.70.0.1"]);
    }
    await queries.organizationsSeeing(store.listReads, "100.70.0.1", "", 500);
    await queries.licensesOfIps(store.listReads, org.organizationId, ["100.70.0.1"], {
      afterId: "",
      limit: 5,
    });
    const found = await plans();
    expect(found.length).toBeGreaterThan(8);
    for (const { text, plan } of found) {
      // All sightings of a tier, along the primary key: only those of a scope, or of an IP address, are few.
      if (/"ip" = /.test(text)) expect([text, plan]).toEqual([text, expect.not.stringMatching(/\(tier=\?/)]);
      const wrong = fixture.kind === "sqlite" ? /SCAN|TEMP B-TREE/ : /Seq Scan|Sort/;
      expect(wrong.test(plan) ? `${text}\n${plan}` : "").toBe("");
    }
  });

  test("no sightings are found for empty lists of IP addresses, licenses or organizations", async () => {
    expect(await read.organizationsAt([], 9)).toEqual([]);
    expect((await read.organizationNames([])).size).toBe(0);
    expect((await read.registrationsAt([], ["100.64.0.1"])).size).toBe(0);
    expect((await read.licenseSightings([], ["100.64.0.1"])).size).toBe(0);
  });
});
