import { expect, test } from "bun:test";
import { addOrganizationRows } from "../../../../tests/support/organization-rows.ts";
import { idsOf, onBothDatabases } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { customerFor } from "../customers/identify.ts";
import { addIpBlocks } from "../ip-blocks/blocks.ts";
import { registerIp } from "../licenses/create.ts";
import * as queries from "./rows.ts";
import { downloadsOfProducts, ipsOfLicenses, tagsOfLicenses, versionsOfProducts } from "./rows.ts";

interface Position {
  readonly id: string;
  readonly created_at: number;
}

onBothDatabases("the export of an organization", (fixture) => {
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
      await fixture.write(async (db) => {
        const who = { email: `${newId()}@a.example`, discordId: null, name: "Ada" };
        await customerFor(db, organizationId, who, newId, 5);
        const block = { cidr: `198.51.100.${number}/32`, note: null, expiresAtMs: null };
        await addIpBlocks(
          db,
          [{ id: newId(), scope: { tier: "organization", organizationId }, ...block }],
          5,
        );
        const endpoint = db.selectFrom("webhook_endpoints").selectAll().where("id", "=", rows.endpoint);
        const copy = { ...(await endpoint.executeTakeFirstOrThrow()), id: newId() };
        await db.insertInto("webhook_endpoints").values(copy).execute();
      });
    }
    await fixture.write((db) =>
      db
        .updateTable("licenses")
        .set({ created_at: 5 })
        .where("organization_id", "=", organizationId)
        .execute(),
    );
    return { ...organization, rows };
  };
  /** The IDs of all pages, of two rows each. */
  const walk = async (read: (last: Position | null) => Promise<readonly Position[]>) => {
    const ids: string[] = [];
    for (let last: Position | null = null; ; ) {
      const page = await read(last);
      expect(page.length).toBeLessThanOrEqual(2);
      ids.push(...idsOf(page));
      last = page.at(-1) ?? null;
      if (last === null) return ids;
    }
  };

  test.each<
    [
      table: "organization_customers" | "licenses" | "ip_blocks" | "webhook_endpoints",
      read: (id: string, last: Position | null) => Promise<readonly Position[]>,
    ]
  >([
    [
      "organization_customers",
      async (id, last) => {
        const rows = await read.customersToExport(id, last?.id ?? null, 2);
        return rows.map((row) => ({ ...row, id: row.customer_id }));
      },
    ],
    ["licenses", (id, last) => read.licensesToExport(id, last, 2)],
    ["ip_blocks", (id, last) => read.blocksToExport(id, last?.id ?? null, 2)],
    ["webhook_endpoints", (id, last) => read.webhooksToExport(id, last, 2)],
  ])("contains each row of %s once, by ID, and none of another organization", async (table, read) => {
    const { organizationId: id } = await filled();
    await filled();
    const column = table === "organization_customers" ? "customer_id" : "id";
    const rows = await fixture.reads
      .selectFrom(table)
      .select(`${column} as id`)
      .where("organization_id", "=", id)
      .execute();
    const ids = rows.map((row) => String(row.id)).toSorted();
    expect(ids.length).toBeGreaterThanOrEqual(4);
    expect(await walk((last) => read(id, last))).toEqual(ids);
  });

  test("contains the oldest licenses and webhooks first, no deleted ones, and no secret of a webhook", async () => {
    const { organizationId: id, product, license, rows } = await filled();
    const deleted = await product();
    const [gone, old] = [await license({ productId: deleted.productId }), await license()];
    const [first, second] = await read.webhooksToExport(id, null, 10);
    await fixture.write(async (db) => {
      await db.updateTable("products").set({ deleted_at: 1 }).where("id", "=", deleted.productId).execute();
      await db.updateTable("licenses").set({ created_at: 4 }).where("id", "=", old.id).execute();
      const webhooks = db.updateTable("webhook_endpoints");
      await webhooks
        .set({ created_at: 4 })
        .where("id", "=", second?.id ?? "")
        .execute();
      await webhooks
        .set({ deleted_at: 1 })
        .where("id", "=", first?.id ?? "")
        .execute();
    });
    const licenses = idsOf(await read.licensesToExport(id, null, 10));
    expect([licenses[0], licenses.includes(gone.id)]).toEqual([old.id, false]);
    const webhooks = await read.webhooksToExport(id, null, 10);
    expect(first?.id).toBe(rows.endpoint);
    expect(idsOf(webhooks)).not.toContain(rows.endpoint);
    expect(webhooks[0]).toMatchObject({ id: second?.id, url: "https://hooks.example.invalid/in" });
    for (const webhook of webhooks)
      expect(Object.keys(webhook).filter((name) => name.startsWith("sealed"))).toEqual([]);
  });

  test("contains what belongs to these licenses and products, in order, and nothing of others", async () => {
    const { productId, license } = await filled();
    const tagged = await license({ tags: ["vip", "beta"] });
    await fixture.write(async (db) => {
      await registerIp(db, tagged.id, "203.0.113.9", 5);
      const download = { product_id: productId, url: "https://docs.example/" };
      const more = [
        { ...download, position: 2, id: newId(), title: "Third" },
        { ...download, position: 1, id: newId(), title: "Second" },
      ];
      await db.insertInto("product_downloads").values(more).execute();
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
