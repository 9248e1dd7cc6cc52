import { expect, test } from "bun:test";
import { idsOf, onBothDatabases, pages } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import type { ProductRow } from "../../tables/products.ts";
import * as views from "../licenses/views.ts";
import * as organizations from "../organizations/organizations.ts";
import * as keys from "../sandbox/keys.ts";
import * as daily from "../usage/daily.ts";
import { setDailyUsage } from "../usage/daily.ts";
import * as downloads from "./products.ts";
import * as products from "./products.ts";
import { deleteProduct, productsOf, updateProduct, workingApiKeys } from "./products.ts";

onBothDatabases("products", (fixture) => {
  const { read, write } = fixture.queries({
    ...daily,
    ...downloads,
    ...organizations,
    ...products,
    ...views,
  });
  const list = async (organizationId: string, page: Partial<Parameters<typeof productsOf>[2]> = {}) =>
    productsOf(fixture.reads, organizationId, { after: null, limit: 100, status: null, ...page });
  const change = (id: string, columns: Partial<ProductRow>) =>
    fixture.write((db) => updateProduct(db, id, columns));

  test("products are listed oldest first, page by page, also those of one millisecond", async () => {
    const { organizationId, productId, product } = await fixture.organization();
    await fixture.organization();
    const ids = [productId, (await product()).productId, (await product()).productId].sort();
    for (const [at, id] of ids.entries()) await change(id, { created_at: at === 0 ? 5 : 4 });
    const found = await pages((last: ProductRow | null) =>
      list(organizationId, { after: last && { createdAt: last.created_at, id: last.id }, limit: 1 }),
    );
    expect(idsOf(found.flat())).toEqual([ids[1], ids[2], ids[0]] as string[]);
  });

  test("products are filtered by status, and a deleted one is in no list but keeps its API keys", async () => {
    const { organizationId, productId, product } = await fixture.organization();
    const archived = await product({ status: "archived" });
    const listed = async (status: ProductRow["status"] | null) =>
      idsOf(await list(organizationId, { status }));
    expect(await listed("archived")).toEqual([archived.productId]);
    expect(await listed("active")).toEqual([productId]);
    await fixture.write((db) => deleteProduct(db, archived.productId, 77));
    expect(await listed(null)).toEqual([productId]);
    expect(await workingApiKeys(fixture.reads, [archived.productId], 0)).toHaveLength(1);
  });

  test("products have downloads in their order, which are replaced as a whole", async () => {
    const { productId, product } = await fixture.organization();
    const other = await product();
    const file = { url: "https://example.com/file.zip", min_version: null, checksum: null };
    const link = (product_id: string, position: number, title: string) => {
      return { ...file, id: newId(), product_id, position, title };
    };
    await write.replaceDownloads(productId, [link(productId, 2, "second"), link(productId, 1, "first")]);
    await write.replaceDownloads(other.productId, [link(other.productId, 1, "theirs")]);
    const titles = async (id: string) => (await read.downloadsOf(id)).map(({ title }) => title);
    expect(await titles(productId)).toEqual(["first", "second"]);
    await write.replaceDownloads(productId, []);
    expect([await titles(productId), await titles(other.productId)]).toEqual([[], ["theirs"]]);
  });

  test("a product has one count per day, which can be set again", async () => {
    const { productId } = await fixture.organization();
    for (const used of [3, 8]) await fixture.write((db) => setDailyUsage(db, productId, 5, used));
    expect(await read.usageSince([productId], 0)).toMatchObject([{ day: 5, used: 8 }]);
  });

  test("a deleted product and its licenses do not exist; the organization still does", async () => {
    const { organizationId, productId, license } = await fixture.organization();
    const { id: licenseId, key } = await license();
    const reference = { id: licenseId, organization_id: organizationId, product_id: productId };
    const whole = { ...reference, customer_id: null, license_key: key };
    expect(await read.licenseReference(licenseId)).toEqual(whole);
    expect(await read.licenseById(licenseId)).toMatchObject(reference);
    expect((await read.productById(productId))?.id).toBe(productId);
    await fixture.change("products", productId, { deleted_at: 1 });
    expect(await read.productById(productId)).toBeUndefined();
    expect(await write.lockedProduct(productId)).toBeUndefined();
    expect(await read.licenseReference(licenseId)).toBeUndefined();
    expect(await read.licenseById(licenseId)).toBeUndefined();
    expect((await read.organizationById(organizationId))?.id).toBe(organizationId);
  });
});

onBothDatabases("test API keys", (fixture) => {
  const { read, write } = fixture.queries(keys);
  const testKey = (product_id: string) => {
    return { product_id, public_id: newId(), api_key: "cst_x", created_at: 1 };
  };

  test("a product has one test key, which stays if others are added and changes as a whole if it is replaced", async () => {
    const { productId } = await fixture.organization();
    const [first, second] = [testKey(productId), testKey(productId)];
    await Promise.all([first, first].map((key) => write.addSandboxKey(key)));
    await write.addSandboxKey(second);
    expect(await read.sandboxKeyOf(productId)).toEqual(first);
    await write.replaceSandboxKey(second);
    expect(await read.sandboxKeyOf(productId)).toEqual(second);
    expect(await keys.sandboxCallers(fixture.reads, [first.public_id])).toEqual([]);
  });

  test("a caller with a test key gets the facts of the product, until the product is deleted", async () => {
    const settings = { ipv6_prefix: 128, signed_validation: 1 } as const;
    const { productId, organizationId, product } = await fixture.organization({ settings });
    const other = await product();
    const key = testKey(productId);
    await write.addSandboxKey(key);
    await write.addSandboxKey(testKey(other.productId));
    expect(await keys.sandboxCallers(fixture.reads, [key.public_id, "unknown"])).toMatchObject([
      { product_id: productId, organization_id: organizationId, ipv6_prefix: 128, product_signs: 1 },
    ]);
    await fixture.write((db) => deleteProduct(db, productId, 1));
    expect(await keys.sandboxCallers(fixture.reads, [key.public_id])).toEqual([]);
    expect(await read.sandboxKeyOf(productId)).toBeUndefined();
    expect(await read.sandboxKeyOf(other.productId)).toBeDefined();
  });
});
