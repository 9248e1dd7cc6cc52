import { expect, test } from "bun:test";
import { addOrganizationRows } from "../../../../tests/support/organization-rows.ts";
import { idsOf, onBothDatabases, pages } from "../../../../tests/support/query-tests.ts";
import { changeRows } from "../../../../tests/support/stored-rows.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { addIpBlocks } from "../ip-blocks/blocks.ts";
import { registerIp } from "../licenses/create.ts";
import * as queries from "./rows.ts";
import { downloadsOfProducts, ipsOfLicenses, tagsOfLicenses, versionsOfProducts } from "./rows.ts";

interface Position {
  readonly id: string;
  readonly created_at: number;
}

onBothDatabases("exports of organizations", (fixture) => {
  const { read } = fixture.queries(queries);

  /** An organization with several rows of each kind, all created at the same time. */
  const filled = async () => {
    const organization = await fixture.organization();
    const { organizationId } = organization;
    const rows = await fixture.write((db) =>
      addOrganizationRows(db, organization, `${organizationId}@a.example`, 5),
    );
    for (let number = 0; number < 3; number++) {
      await organization.license();
      await fixture.customer(organizationId);
      const block = { cidr: `198.51.100.${number}/32`, note: null, expiresAtMs: null };
      const scope = { tier: "organization", organizationId } as const;
      const endpoint = { ...(await fixture.row("webhook_endpoints", { id: rows.endpoint })), id: newId() };
      await fixture.write(async (db) => {
        await addIpBlocks(db, [{ id: newId(), scope, ...block }], 5);
        await db.insertInto("webhook_endpoints").values(endpoint).execute();
      });
    }
    for (const { id } of await fixture.rows("licenses", { organization_id: organizationId }))
      await fixture.change("licenses", id, { created_at: 5 });
    await fixture.write((db) =>
      changeRows(db, "organization_customers", { organization_id: organizationId }, { created_at: 5 }),
    );
    return { ...organization, rows };
  };
  type Read = (id: string, last: Position | null) => Promise<readonly Position[]>;
  const customers: Read = async (id, last) => {
    const after = last && { created_at: last.created_at, customer_id: last.id };
    const rows = await read.customersToExport(id, after, 2);
    return rows.map((row) => ({ ...row, id: row.customer_id }));
  };
  test.each<[table: "organization_customers" | "licenses" | "ip_blocks" | "webhook_endpoints", read: Read]>([
    ["organization_customers", customers],
    ["licenses", (id, last) => read.licensesToExport(id, last, 2)],
    ["ip_blocks", (id, last) => read.blocksToExport(id, last?.id ?? null, 2)],
    ["webhook_endpoints", (id, last) => read.webhooksToExport(id, last, 2)],
  ])("an export has each row of %s once, by ID, and none of another organization", async (table, read) => {
    const { organizationId: id } = await filled();
    await filled();
    const rows = await fixture.rows(table, { organization_id: id });
    const column = table === "organization_customers" ? "customer_id" : "id";
    const ids = rows.map((row) => (row as Record<string, unknown>)[column]);
    expect(ids.length).toBeGreaterThanOrEqual(4);
    const found = await pages((last: Position | null) => read(id, last));
    expect(Math.max(...found.map((page) => page.length))).toBe(2);
    expect(idsOf(found.flat())).toEqual(ids.map(String).toSorted());
  });

  test("an export has the oldest licenses and webhooks first, no deleted ones, and no secret of a webhook", async () => {
    const { organizationId: id, product, license, rows } = await filled();
    const deleted = await product();
    const [gone, old] = [await license({ productId: deleted.productId }), await license()];
    const [first, second] = await read.webhooksToExport(id, null, 10);
    await fixture.change("products", deleted.productId, { deleted_at: 1 });
    await fixture.change("licenses", old.id, { created_at: 4 });
    await fixture.change("webhook_endpoints", second?.id ?? "", { created_at: 4 });
    await fixture.change("webhook_endpoints", first?.id ?? "", { deleted_at: 1 });
    const licenses = idsOf(await read.licensesToExport(id, null, 10));
    expect([licenses[0], licenses.includes(gone.id)]).toEqual([old.id, false]);
    const webhooks = await read.webhooksToExport(id, null, 10);
    expect(first?.id).toBe(rows.endpoint);
    expect(idsOf(webhooks)).not.toContain(rows.endpoint);
    expect(webhooks[0]).toMatchObject({ id: second?.id, url: "https://hooks.example.invalid/in" });
    for (const webhook of webhooks)
      expect(Object.keys(webhook).filter((name) => name.startsWith("sealed"))).toEqual([]);
  });

  test("an export has what belongs to these licenses and products, in order, and nothing of others", async () => {
    const { productId, license } = await filled();
    const tagged = await license({ tags: ["vip", "beta"] });
    await fixture.write(async (db) => {
      await registerIp(db, tagged.id, "203.0.113.9", 5);
      const more = ["Second", "Third"].map((title, at) => {
        return { product_id: productId, url: "https://docs.example/", position: at + 1, id: newId(), title };
      });
      await db.insertInto("product_downloads").values(more.toReversed()).execute();
    });
    const { reads } = fixture;
    expect((await read.ipsOfLicenses([tagged.id])).map(({ ip }) => ip)).toEqual(["203.0.113.9"]);
    expect((await read.tagsOfLicenses([tagged.id])).map(({ tag }) => tag)).toEqual(["beta", "vip"]);
    const versions = await read.versionsOfProducts([productId]);
    expect(versions.map(({ version }) => version)).toEqual(["1.0.0"]);
    const downloads = await read.downloadsOfProducts([productId]);
    expect(downloads.map(({ title }) => title)).toEqual(["Manual", "Second", "Third"]);
    for (const read of [ipsOfLicenses, tagsOfLicenses, versionsOfProducts, downloadsOfProducts])
      expect(await read(reads, [])).toEqual([]);
  });
});
