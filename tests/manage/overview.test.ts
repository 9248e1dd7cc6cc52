import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { quotaDay } from "@countersign/domain/quota/day";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

const dayMs = 86_400_000;

interface Bucket {
  readonly from: string;
  readonly count: number;
}

describe.each(databases)("the overview on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  const anOrganization = async () => {
    const { body } = await fixture.owner.api.post("/organizations", { name: "Figures" });
    const path = `/organizations/${body.id}`;
    const product = await fixture.owner.api.post(`${path}/products`, { name: "Plugin" });
    return { id: String(body.id), path, productId: String(product.body.id) };
  };
  const added = async (productId: string, count: number, body: object = {}) => {
    const {
      status,
      text,
      body: made,
    } = await fixture.owner.api.post(`/products/${productId}/licenses`, {
      customer_email: "ada@example.com",
      count,
      ...body,
    });
    expect(status, text).toBe(201);
    return made.data as { id: string }[];
  };
  const trendOf = async (path: string) => {
    const { status, text, body } = await fixture.owner.api.get(`${path}/license-trend`);
    expect(status, text).toBe(200);
    return body as { created: Bucket[]; expiring: Bucket[] };
  };
  const counts = (stretches: readonly Bucket[]) => stretches.map(({ count }) => count);
  const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

  test("licenses are counted by day of creation and week of expiry", async () => {
    const { path, productId } = await anOrganization();
    const [revoked, older] = await added(productId, 3, { expires_at: inDays(3) });
    await added(productId, 2, { expires_at: inDays(10) });
    await added(productId, 1, { expires_at: inDays(200) });
    await added(productId, 1, { expires_at: null });
    await fixture.owner.api.post(`/licenses/${revoked?.id}/revoke`, {});
    await fixture.store.transaction((db) =>
      db
        .updateTable("licenses")
        .set({ created_at: Date.now() - 5 * dayMs })
        .where("id", "=", older?.id ?? "")
        .execute(),
    );
    const { created, expiring } = await trendOf(path);
    expect(counts(created)).toEqual([...Array(24).fill(0), 1, 0, 0, 0, 0, 6]);
    expect(created.at(-1)?.from).toBe(new Date(quotaDay(Date.now()) * dayMs).toISOString());
    expect(counts(expiring)).toEqual([2, 2, ...Array(10).fill(0)]);
  });

  test("licenses of a deleted product do not count", async () => {
    const { path, productId } = await anOrganization();
    await added(productId, 2, { expires_at: inDays(3) });
    await fixture.owner.api.delete(`/products/${productId}`);
    const { created, expiring } = await trendOf(path);
    expect(counts([...created, ...expiring])).toEqual(Array(42).fill(0));
  });

  test("every license counts, however many a day has", async () => {
    const { path, productId } = await anOrganization();
    await added(productId, 10_000, { expires_at: inDays(10) });
    await added(productId, 1, { expires_at: inDays(3) });
    const { created, expiring } = await trendOf(path);
    expect(counts(created)).toEqual([...Array(29).fill(0), 10_001]);
    expect(counts(expiring)).toEqual([1, 10_000, ...Array(10).fill(0)]);
    const { body } = await fixture.owner.api.get(`${path}/licenses?count=true&limit=1&status=active`);
    expect(body).toMatchObject({ total: 10_001, total_is_exact: true });
    const listed = await fixture.admin.api.get(`/admin${path}`);
    expect(listed.body.license_count).toBe(10_001);
  });
});
