import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { quotaDay } from "@countersign/domain/quota/day";
import { setDailyUsage } from "@countersign/store/queries/products/daily-usage";
import { organizationUsage } from "@countersign/store/queries/usage/daily";
import { estimatedRows } from "@countersign/store/queries/usage/row-counts";
import { usagePruning } from "../../apps/server/features/usage/prune.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { watched } from "../support/watched-queries.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;

describe.each(databases)("usage on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  const anOrganization = async (terms: object = {}) => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name: "Figures" });
    const path = `/organizations/${body.id}`;
    await setTerms(String(body.id), terms);
    const addProduct = async (name: string) =>
      String((await owner.api.post(`${path}/products`, { name })).body.id);
    const get = async (rest: string) => {
      const { status, text, body: found } = await owner.api.get(`${path}${rest}`);
      expect(status, text).toBe(200);
      return found;
    };
    return { id: String(body.id), owner, path, addProduct, get, productId: await addProduct("Plugin") };
  };
  const setTerms = (id: string, terms: object) =>
    fixture.store.transaction((db) =>
      db
        .updateTable("organizations")
        .set((row) => ({ updated_at: row.ref("updated_at"), ...terms }))
        .where("id", "=", id)
        .execute(),
    );
  const use = (productId: string, day: number, used: number) =>
    fixture.store.transaction((db) => setDailyUsage(db, productId, day, used));
  /** The counts are compared with a list that ends today: near midnight, both are taken on the same day. */
  const onOneDay = async <T>(work: (today: number) => Promise<T>): Promise<T> => {
    for (;;) {
      const today = quotaDay(await fixture.store.clock());
      const result = await work(today);
      if (quotaDay(await fixture.store.clock()) === today) return result;
    }
  };

  test("each product shows its requests of the last two weeks, in pages", async () => {
    const { path, owner, productId, addProduct } = await anOrganization();
    const other = await addProduct("Second");
    await onOneDay(async (today) => {
      await use(productId, today, 7);
      await use(productId, today - 13, 3);
      await use(productId, today - 14, 99);
      const first = (await owner.api.get(`${path}/usage?limit=1`)).body;
      expect(first.data).toMatchObject([
        { product_id: productId, name: "Plugin", status: "active", days: [3, ...Array(12).fill(0), 7] },
      ]);
      const second = (await owner.api.get(`${path}/usage?limit=1&cursor=${first.next_cursor}`)).body;
      expect(second.data).toMatchObject([{ product_id: other, days: Array(14).fill(0), used_today: 0 }]);
      expect(second.next_cursor).toBeNull();
    });
  });

  test("each product shows today's count, its limit, when it resets and when it runs out", async () => {
    const { id, get, productId } = await anOrganization({ plan: "pro" });
    await onOneDay(async (today) => {
      await use(productId, today, 100_000);
      const resets_at = new Date((today + 1) * dayMs).toISOString();
      const [reached] = (await get("/usage")).data;
      expect(reached).toMatchObject({ used_today: 100_000, daily_limit: 100_000, resets_at });
      expect(quotaDay(Date.parse(reached.runs_out_at))).toBe(today);
      await setTerms(id, { billing_state: "cancelled" });
      expect((await get("/usage")).data).toMatchObject([{ daily_limit: 10_000 }]);
      await setTerms(id, { daily_limit_override: 1_000_000_000 });
      expect((await get("/usage")).data).toMatchObject([{ daily_limit: 1_000_000_000, runs_out_at: null }]);
      await setTerms(id, { billing_state: "active", plan: "enterprise", daily_limit_override: null });
      expect((await get("/usage")).data).toMatchObject([{ daily_limit: null, runs_out_at: null }]);
    });
  });

  test("the history has every day, of one product and of all, including deleted ones", async () => {
    const { owner, get, productId, addProduct } = await anOrganization();
    const deleted = await addProduct("Deleted");
    await onOneDay(async (today) => {
      await use(productId, today, 5);
      await use(productId, today - 395, 7);
      await use(productId, today - 396, 1_000);
      await use(deleted, today, 10);
      await use(deleted, today - 2, 20);
      const whole = await get("/usage/history?days=396");
      expect(whole.from).toBe(new Date((today - 395) * dayMs).toISOString());
      expect(whole.days).toEqual([7, ...Array(392).fill(0), 20, 0, 15]);
      expect((await owner.api.get(`/products/${productId}/usage?days=2`)).body).toEqual({
        from: new Date((today - 1) * dayMs).toISOString(),
        days: [0, 5],
      });
      expect((await get("/usage/history")).days).toHaveLength(90);
      await owner.api.delete(`/products/${deleted}`);
      expect((await get("/usage/history?days=3")).days).toEqual([20, 0, 15]);
      expect((await owner.api.get(`/products/${deleted}/usage`)).status).toBe(404);
      expect((await owner.api.get(`/products/${productId}/usage?days=397`)).status).toBe(422);
      // The same product is used on another day if this is repeated after midnight.
      await fixture.store.transaction((db) =>
        db.deleteFrom("daily_usage").where("product_id", "in", [productId, deleted]).execute(),
      );
    });
  });

  test("the history of many products is read along indexes, in steps", async () => {
    const { id } = await anOrganization();
    const template = await fixture.store.reads
      .selectFrom("products")
      .selectAll()
      .where("organization_id", "=", id)
      .executeTakeFirstOrThrow();
    const today = quotaDay(await fixture.store.clock());
    const ids = Array.from({ length: 250 }, () => newId());
    await fixture.store.transaction(async (db) => {
      await fixture.store.bulk.insert(
        db,
        "products",
        ids.map((productId, at) => ({ ...template, id: productId, created_at: Math.floor(at / 3) })),
      );
      await fixture.store.bulk.insert(
        db,
        "daily_usage",
        ids.flatMap((product_id) =>
          [0, 1, 40].map((ago) => ({
            product_id,
            day: today - ago,
            used: 2,
            last_granted: 0,
            daily_limit: null,
          })),
        ),
      );
    });
    const { store, plans } = watched(fixture.store);
    const used = await organizationUsage(store.listReads, id, today - 30);
    expect(used).toEqual(
      new Map([
        [today, 500],
        [today - 1, 500],
      ]),
    );
    for (const { text, plan } of await plans()) {
      const whole = kind === "sqlite" ? /SCAN (?!CONSTANT)/ : /Seq Scan/;
      expect(whole.test(plan) ? `${text}\n${plan}` : "").toBe("");
    }
  });

  test("totals show what the plan limits, and an estimate of the storage", async () => {
    const { get, owner, path, productId } = await anOrganization({ max_products_override: 3 });
    const before = await get("/usage/totals");
    expect(before.limits).toEqual([
      { name: "products", used: 1, limit: 3 },
      { name: "licenses", used: 0, limit: null },
      { name: "members", used: 1, limit: null },
      { name: "webhooks", used: 0, limit: null },
    ]);
    await owner.api.post(`/products/${productId}/licenses`, { customer_email: "ada@example.com", count: 10 });
    const after = await get("/usage/totals");
    expect(after.limits).toContainEqual({ name: "licenses", used: 10, limit: null });
    const perLicense = (after.storage_bytes - before.storage_bytes) / 10;
    expect(perLicense).toBeGreaterThan(500);
    expect(perLicense).toBeLessThan(10_000);
    await onOneDay(async (today) => {
      await use(productId, today, 1_000);
      await use(productId, today - 29, 500);
      await use(productId, today - 30, 1_000_000);
      const requests = (await get("/usage/totals")).storage_bytes - after.storage_bytes;
      expect(requests / 1_500).toBeGreaterThan(100);
      expect(requests / 1_500).toBeLessThan(1_000);
    });
    const some = await owner.api.get(`${path}/usage/totals`);
    expect(some.status).toBe(200);
  });

  test("rows are counted exactly up to a limit and estimated beyond it", async () => {
    const organizationId = newId();
    const startMs = Date.UTC(2030, 0, 1);
    await fixture.store.transaction((db) =>
      fixture.store.bulk.insert(
        db,
        "events",
        Array.from({ length: 400 }, (_, at) => ({
          id: `00000000-0000-7000-8000-${String(at).padStart(12, "0")}${organizationId}`.slice(0, 72),
          organization_id: organizationId,
          product_id: null,
          license_id: null,
          type: "license.created" as const,
          at: startMs + at * 1_000,
          data: "{}",
          undistributed: null,
        })),
      ),
    );
    const count = (limits?: { rowsAtOnce: number; mostCounted: number }) =>
      estimatedRows(fixture.store.listReads, "events", organizationId, startMs + 400_000, limits);
    expect(await count()).toBe(400);
    expect(await count({ rowsAtOnce: 30, mostCounted: 1_000 })).toBe(400);
    expect(await count({ rowsAtOnce: 100, mostCounted: 400 })).toBe(401);
    expect(await count({ rowsAtOnce: 50, mostCounted: 100 })).toBeCloseTo(400, -1);
    expect(await estimatedRows(fixture.store.listReads, "events", newId(), startMs)).toBe(0);
    const entries = await estimatedRows(
      fixture.store.listReads,
      "audit_log",
      fixture.organizationId,
      startMs,
      {
        rowsAtOnce: 1,
        mostCounted: 1_000,
      },
    );
    expect(entries).toBeGreaterThan(0);
    const { store, plans } = watched(fixture.store);
    for (const table of ["events", "audit_log"] as const)
      await estimatedRows(store.listReads, table, organizationId, startMs, {
        rowsAtOnce: 50,
        mostCounted: 900,
      });
    for (const { text, plan } of await plans()) {
      const bad = kind === "sqlite" ? /SCAN|TEMP B-TREE/ : /Seq Scan|Sort/;
      expect(bad.test(plan) ? `${text}\n${plan}` : "").toBe("");
    }
    await fixture.store.transaction((db) =>
      db.deleteFrom("events").where("organization_id", "=", organizationId).execute(),
    );
  });

  test("counts are pruned after 13 months, by several nodes at once", async () => {
    const { productId } = await anOrganization();
    const nowMs = await fixture.store.clock();
    const today = quotaDay(nowMs);
    const days = [today, today - 395, ...Array.from({ length: 1_200 }, (_, at) => today - 396 - at)];
    await fixture.store.transaction((db) =>
      fixture.store.bulk.insert(
        db,
        "daily_usage",
        days.map((day) => ({ product_id: productId, day, used: 1, last_granted: 1, daily_limit: null })),
      ),
    );
    await Promise.all([1, 2, 3].map(() => usagePruning(fixture.store, async () => nowMs).run()));
    const kept = await fixture.store.reads
      .selectFrom("daily_usage")
      .select("day")
      .where("product_id", "=", productId)
      .orderBy("day")
      .execute();
    expect(kept.map(({ day }) => day)).toEqual([today - 395, today]);
  });

  test("each route needs one of its permissions", async () => {
    const [products, billing, none] = await Promise.all([
      fixture.member(["products:view"]),
      fixture.member(["billing:view"]),
      fixture.member(["licenses:view"]),
    ]);
    const organization = `/organizations/${fixture.organizationId}`;
    const allowed = async (path: string) =>
      Promise.all([products, billing, none].map(async ({ api }) => (await api.get(path)).status));
    for (const path of [`${organization}/usage`, `${organization}/usage/history`])
      expect(await allowed(path)).toEqual([200, 403, 403]);
    expect(await allowed(`/products/${fixture.productId}/usage`)).toEqual([200, 403, 403]);
    expect(await allowed(`${organization}/usage/totals`)).toEqual([403, 200, 403]);
  });
});
