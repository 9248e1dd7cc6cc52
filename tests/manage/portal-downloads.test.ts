import { beforeAll, expect, test } from "bun:test";
import type { VersionPin } from "@countersign/domain/versions/gate";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { openPortalFixture, type Seller } from "../support/portal-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

const downloads = [
  { title: "Version 1", url: "https://cdn.example/1.zip", min_version: "1.0", checksum: "sha256:abc" },
  { title: "Version 2", url: "https://cdn.example/2.zip", min_version: "2.0" },
  { title: "Manual", url: "https://docs.example/" },
];

/** Which versions a license can use is tested in the domain. */
testsOn("postgres", "versions and downloads in the portal", openPortalFixture, (fixture) => {
  let pro: Seller;
  let free: Seller;
  beforeAll(async () => {
    [pro, free] = [await versioned("pro"), await versioned("free")];
  });

  const setOrganization = ({ organizationId: id }: Seller, columns: Partial<OrganizationRow>) =>
    fixture.change("organizations", { id }, columns);
  const put = (seller: Seller, data: readonly object[]) =>
    seller.owner.api.put(`/products/${seller.productId}/downloads`, { data });
  const versioned = async (plan: "free" | "pro") => {
    const seller = await fixture.seller({ version_module_enabled: true });
    await setOrganization(seller, { plan, had_version_module: plan === "free" ? 0 : 1 });
    for (const version of ["1.0.0", "2.0.0"])
      await seller.owner.api.post(`/products/${seller.productId}/versions`, { version, state: "allowed" });
    expect((await put(seller, downloads)).status).toBe(200);
    return seller;
  };
  const titles = (shown: { downloads: { title: string }[] }) => shown.downloads.map(({ title }) => title);
  const pinned = { mode: "pinned", version: "1.0.0" } as const;

  const all = ["Version 1", "Version 2", "Manual"];
  const ofVersion1 = ["Version 1", "Manual"];
  const range = { mode: "range", min: "1.0", max: "2.0" } as const;
  const ofRange = { pinned: null, min: "1.0", max: "2.0", newest: "1.0.0" };
  const unpinned = { pinned: null, min: null, max: null, newest: "2.0.0" };
  test.each<[string, "pro" | "free", VersionPin, object | null, string[]]>([
    ["without a pin", "pro", null, unpinned, all],
    ["with a range, which ends before its maximum", "pro", range, ofRange, ofVersion1],
    ["of an organization without version checks", "free", pinned, null, all],
  ])("a license %s sees what its versions allow", async (_, plan, pin, versions, expected) => {
    const shown = await (await fixture.sold(plan === "pro" ? pro : free, { pin })).shown();
    expect([shown.versions, titles(shown)]).toEqual([versions, expected]);
  });

  test("a pinned license sees what its version allows, after a downgrade too, and nothing while it is not active", async () => {
    const { id, shown } = await fixture.sold(pro, { pin: pinned });
    await pro.owner.api.post(`/licenses/${id}/revoke`, {});
    expect(await shown()).toMatchObject({ status: "revoked", downloads: [] });
    await pro.owner.api.post(`/licenses/${id}/reinstate`);
    const versions = { pinned: "1.0.0", min: null, max: null, newest: "1.0.0" };
    const [first, , manual] = downloads;
    expect(await shown()).toMatchObject({ versions, downloads: [first, { ...manual, min_version: null }] });
    await setOrganization(pro, { plan: "free" });
    expect(titles(await shown())).toEqual(ofVersion1);
    await setOrganization(pro, { plan: "pro" });
    await pro.owner.api.patch(`/licenses/${id}`, { expires_at: new Date(Date.now() - 1_000).toISOString() });
    expect(await shown()).toMatchObject({ status: "expired", downloads: [] });
  });

  test("sellers replace the whole list, in the order that customers see, and repeating it records nothing", async () => {
    const seller = await fixture.seller();
    const path = `/products/${seller.productId}/downloads`;
    expect((await seller.owner.api.get(path)).body).toEqual({ data: [] });
    const first = await put(seller, downloads);
    expect((await seller.owner.api.get(path)).body).toEqual(first.body);
    const [one, two, three] = first.body.data.map(({ id }: { id: string }) => id);
    const changed = [downloads[2] ?? {}, { ...downloads[0], title: "New" }];
    const second = await put(seller, changed);
    expect(second.body.data).toMatchObject([{ id: three, title: "Manual" }, { title: "New" }]);
    expect([one, two]).not.toContain(second.body.data[1].id);
    await put(seller, changed);
    const log = `/organizations/${seller.organizationId}/audit-log?action=product.downloads_replaced`;
    expect((await seller.owner.api.get(log)).body.data).toHaveLength(2);
    expect((await put(seller, [])).body).toEqual({ data: [] });
  });

  test("a product has at most 50 downloads, each with a web address, a title and a version or none", async () => {
    for (const [change, field, code] of [
      [{ url: "javascript:alert(1)" }, "data.0.url", "not_a_web_url"],
      [{ title: " " }, "data.0.title", "too_short"],
      ...["newest", "2.x", "1.2.3.4.5", "1".repeat(65)].map(
        (min_version) => [{ min_version }, "data.0.min_version", "not_a_version"] as const,
      ),
    ] as const) {
      const { status, body } = await put(free, [{ title: "File", url: "https://cdn.example/", ...change }]);
      expect([status, body.errors]).toMatchObject([422, [{ field, code }]]);
    }
    expect((await put(free, Array(51).fill(downloads[0]))).status).toBe(422);
    const data = ["", "  ", null].map((min_version) => ({ ...downloads[0], min_version }));
    const { body } = await put(free, data);
    expect(body.data).toMatchObject(Array(3).fill({ title: "Version 1", min_version: null }));
    await put(free, downloads);
  });
});
