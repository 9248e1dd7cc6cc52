import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { quotaDay } from "@countersign/domain/quota/day";
import { addLicense } from "../support/add-license.ts";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

const dayMs = 86_400_000;

interface Bucket {
  readonly from: string;
  readonly count: number;
}

/** That the counts are right, however many licenses there are: packages/store/queries/licenses/stored-counts.test.ts. */
describe.each(on("postgres"))("the overview on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  test("licenses are counted by day of creation and week of expiry, without those of deleted products", async () => {
    const path = `/organizations/${fixture.organizationId}`;
    const { body: other } = await fixture.owner.api.post(`${path}/products`, { name: "Deleted" });
    const nowMs = Date.now();
    const inDays = (days: number) => ({ expiresAtMs: nowMs + days * dayMs });
    for (const settings of [
      { ...inDays(3), revokedAtMs: 1 },
      { ...inDays(3), createdAtMs: nowMs - 5 * dayMs },
      inDays(3),
      inDays(10),
      inDays(10),
      inDays(200),
      {},
      { ...inDays(3), productId: String(other.id) },
    ])
      await addLicense(fixture, settings);
    await fixture.owner.api.delete(`/products/${other.id}`);
    const { status, text, body } = await fixture.owner.api.get(`${path}/license-trend`);
    expect(status, text).toBe(200);
    const counts = (buckets: readonly Bucket[]) => buckets.map(({ count }) => count);
    expect(counts(body.created)).toEqual([...Array(24).fill(0), 1, 0, 0, 0, 0, 6]);
    expect(body.created.at(-1).from).toBe(new Date(quotaDay(nowMs) * dayMs).toISOString());
    expect(counts(body.expiring)).toEqual([2, 2, ...Array(10).fill(0)]);
    const list = await fixture.owner.api.get(`${path}/licenses?count=true&limit=1&status=active`);
    expect(list.body).toMatchObject({ total: 6, total_is_exact: true });
    expect((await fixture.admin.api.get(`/admin${path}`)).body.license_count).toBe(7);
  });
});
