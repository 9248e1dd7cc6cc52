import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { quotaDay } from "@countersign/domain/quota/day";
import { setDailyUsage } from "@countersign/store/queries/usage/daily";
import { listPages } from "../support/list-pages.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

testsOn("sqlite", "usage", openManageFixture, (fixture) => {
  const anOrganization = async () => {
    const { api } = await fixture.person();
    const { body } = await api.post("/organizations", { name: "Figures" });
    const path = `/organizations/${body.id}`;
    const addProduct = async (name: string) => String((await api.post(`${path}/products`, { name })).body.id);
    const setTerms = (terms: Parameters<typeof fixture.change<"organizations">>[2]) =>
      fixture.change("organizations", { id: body.id }, terms);
    const get = async (below: string) => {
      const answer = await api.get(path + below);
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    };
    return { api, path, addProduct, setTerms, get, productId: await addProduct("Plugin") };
  };
  /** Sets the counts of days, by how many days ago they are. */
  const use = (productId: string, today: number, used: Record<number, number>) =>
    fixture.store.transaction(async (db) => {
      for (const [ago, count] of Object.entries(used))
        await setDailyUsage(db, productId, today - Number(ago), count);
    });
  /** The counts are compared with a list that ends today: near midnight, all is done again on the new day. */
  const testOnOneDay = (guarantee: string, work: (today: number) => Promise<void>) =>
    test(guarantee, async () => {
      const today = quotaDay(await fixture.store.clock());
      try {
        await work(today);
      } catch (error) {
        const now = quotaDay(await fixture.store.clock());
        if (now === today) throw error;
        await work(now);
      }
    });

  testOnOneDay("each product shows its requests of the last two weeks, in pages", async (today) => {
    const { api, path, get, productId, addProduct } = await anOrganization();
    const other = await addProduct("Second");
    await use(productId, today, { 0: 7, 13: 3, 14: 99 });
    const { data } = await get("/usage");
    expect(data).toMatchObject([
      { product_id: productId, name: "Plugin", status: "active", days: [3, ...Array(12).fill(0), 7] },
      { product_id: other, days: Array(14).fill(0), used_today: 0 },
    ]);
    const pages = await listPages(api, `${path}/usage?limit=1`, ({ product_id }) => product_id);
    expect(pages).toEqual([[productId], [other]]);
  });

  testOnOneDay(
    "each product shows today's count, its limit, and when it resets and runs out",
    async (today) => {
      const { setTerms, get, productId } = await anOrganization();
      await setTerms({ plan: "pro" });
      await use(productId, today, { 0: 100_000 });
      const shown = async () => (await get("/usage")).data[0];
      const reached = await shown();
      const resets_at = new Date((today + 1) * dayMs).toISOString();
      expect(reached).toMatchObject({ used_today: 100_000, daily_limit: 100_000, resets_at });
      expect(quotaDay(Date.parse(reached.runs_out_at))).toBe(today);
      await setTerms({ billing_state: "cancelled" });
      expect(await shown()).toMatchObject({ daily_limit: 10_000 });
      await setTerms({ daily_limit_override: 1_000_000_000 });
      expect(await shown()).toMatchObject({ daily_limit: 1_000_000_000, runs_out_at: null });
      await setTerms({ billing_state: "active", plan: "enterprise", daily_limit_override: null });
      expect(await shown()).toMatchObject({ daily_limit: null, runs_out_at: null });
    },
  );

  testOnOneDay(
    "the usage history has every day, of one product and of all, including deleted ones",
    async (today) => {
      const { api, get, productId, addProduct } = await anOrganization();
      const deleted = await addProduct("Deleted");
      await use(productId, today, { 0: 5, 395: 7, 396: 1_000 });
      await use(deleted, today, { 0: 10, 2: 20 });
      await api.delete(`/products/${deleted}`);
      const whole = await get("/usage/history?days=396");
      expect(whole.from).toBe(new Date((today - 395) * dayMs).toISOString());
      expect(whole.days).toEqual([7, ...Array(392).fill(0), 20, 0, 15]);
      expect((await get("/usage/history")).days).toHaveLength(90);
      const ofOne = await api.get(`/products/${productId}/usage?days=2`);
      expect(ofOne.body).toEqual({ from: new Date((today - 1) * dayMs).toISOString(), days: [0, 5] });
      expect((await api.get(`/products/${deleted}/usage`)).status).toBe(404);
      expect((await api.get(`/products/${productId}/usage?days=397`)).status).toBe(422);
    },
  );

  testOnOneDay("usage totals show what the plan limits, and an estimate of the storage", async (today) => {
    const { setTerms, get, api, productId } = await anOrganization();
    await setTerms({ max_products_override: 3 });
    const before = await get("/usage/totals");
    expect(before.limits).toEqual([
      { name: "products", used: 1, limit: 3 },
      { name: "licenses", used: 0, limit: null },
      { name: "members", used: 1, limit: null },
      { name: "webhooks", used: 0, limit: null },
    ]);
    const licenses = { customer_email: "ada@example.com", count: 10 };
    await api.post(`/products/${productId}/licenses`, licenses);
    const after = await get("/usage/totals");
    expect(after.limits).toContainEqual({ name: "licenses", used: 10, limit: null });
    expect((after.storage_bytes - before.storage_bytes) / 10).toBeWithin(501, 10_000);
    await use(productId, today, { 0: 1_000, 29: 500, 30: 1_000_000 });
    const perRequest = ((await get("/usage/totals")).storage_bytes - after.storage_bytes) / 1_500;
    expect(perRequest).toBeWithin(101, 1_000);
  });
});
