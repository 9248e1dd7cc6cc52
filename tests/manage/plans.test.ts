import { expect, test } from "bun:test";
import { quotaDay } from "@countersign/domain/quota/day";
import type { Plan } from "@countersign/domain/quota/limit";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { setDailyUsage } from "@countersign/store/queries/usage/daily";
import { quotaCheck } from "../../apps/server/features/events/quota-check.ts";
import { problemOf } from "../support/answers.ts";
import { apiOf } from "../support/api.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

const openOwn = (make: TestedDatabase["make"]) => openManageFixture(make, { why: "edits plans" });

/** `tests/races/several-nodes.test.ts` shows that an edited plan applies to other nodes at once. */
testsOn("sqlite", "plans", openOwn, (fixture) => {
  const edit = async (plan: Plan, changes: object) => {
    const answer = await fixture.admin.api.put(`/admin/plans/${plan}`, changes);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  /** An organization that was created on a plan, with a license. */
  const organization = async (plan: Plan, settings: object = {}) => {
    const { api } = await fixture.person();
    const { body } = await api.post("/organizations", { name: "Customer" });
    const path = `/organizations/${body.id}`;
    const { body: product } = await api.post(`${path}/products`, { name: "Tool", ...settings });
    const buyer = { customer_email: "buyer@example.com" };
    const { body: license } = await api.post(`/products/${product.id}/licenses`, buyer);
    const columns = { plan, had_version_module: plan === "free" ? 0 : 1 } as const;
    await fixture.store.transaction((db) => updateOrganization(db, body.id, columns));
    const publicApi = apiOf(fixture.url, product.api_key);
    return {
      ...{ api, path, id: String(body.id), productId: String(product.id) },
      validate: (more: object = {}) => publicApi.validate({ license_key: license.license_key, ...more }),
    };
  };

  test("everyone can list the plans, the smallest first, with the limits of the specification", async () => {
    const { body } = await fixture.anonymous.get("/plans");
    const unpriced = { monthly_price: null, yearly_price: null, trial_days: 0, can_be_bought: false };
    const unlimited = { max_products: null, max_licenses: null, max_members: null, max_webhooks: null };
    const pro = { plan: "pro", name: "Pro", daily_limit: 100_000, version_module: true };
    const priced = { monthly_price: 2_900, yearly_price: 29_000, trial_days: 0, can_be_bought: false };
    const shared = { ...unlimited, request_log_days: null, audit_log_days: null, currency: "usd" };
    expect(body).toMatchObject({
      data: [
        { ...shared, ...unpriced, plan: "free" },
        { ...shared, ...priced, ...pro, organizations_per_user: 2 },
        { ...shared, ...unpriced, plan: "enterprise" },
      ],
      next_cursor: null,
    });
  });

  test("an edited plan is recorded; one that does not exist or has changed meanwhile is not edited", async () => {
    const unknown = await fixture.admin.api.put("/admin/plans/gold", { name: "Gold" });
    expect(problemOf(unknown)).toEqual([404, "plan_not_found"]);
    const { updated_at: seen } = (await fixture.anonymous.get("/plans")).body.data[1];
    const after = { monthly_price: 1_900, trial_days: 14 };
    const changed = await edit("pro", { ...after, updated_at: seen });
    expect(changed).toMatchObject({ plan: "pro", ...after, daily_limit: 100_000 });
    const late = await fixture.admin.api.put("/admin/plans/pro", { monthly_price: 1, updated_at: seen });
    expect(problemOf(late)).toEqual([412, "changed_meanwhile"]);
    const { body } = await fixture.admin.api.get("/admin/audit-log?subject_kind=plan");
    const before = { monthly_price: 2_900, trial_days: 0 };
    const subject = { kind: "plan", id: "pro", name: "Pro" };
    expect(body.data).toMatchObject([
      { action: "plan.updated", subject, actor: { kind: "platform_admin" }, before, after },
    ]);
  });

  test.each<[days: unknown]>([[29], [0], [-1], [36_501], [30.5], ["30"], [true]])(
    "%j days of the audit log are refused with the field",
    async (days) => {
      const refused = await fixture.admin.api.put("/admin/plans/pro", { audit_log_days: days });
      expect(problemOf(refused)).toEqual([422, "invalid"]);
      expect(refused.body.errors).toMatchObject([{ field: "audit_log_days" }]);
      const { id } = await organization("pro");
      const override = { audit_log_days_override: days };
      const of = await fixture.admin.api.patch(`/admin/organizations/${id}`, override);
      expect(of.body.errors).toMatchObject([{ field: "audit_log_days_override" }]);
    },
  );

  test("an organization's audit log says how long it is kept once the operator has said what then happens", async () => {
    const { api, path, id } = await organization("pro");
    const log = async () => (await api.get(`${path}/audit-log`)).body;
    const billed = async () => (await api.get(`${path}/billing`)).body.audit_log_days;
    const settings = async () => (await fixture.admin.api.get("/admin/settings")).body;
    expect(await settings()).toMatchObject({ audit_log_archive: "unset", audit_log_limited: false });
    expect(await billed()).toBeNull();
    expect(await edit("pro", { audit_log_days: 30 })).toMatchObject({ audit_log_days: 30 });
    expect(await billed()).toBe(30);
    await fixture.admin.api.patch(`/admin/organizations/${id}`, { audit_log_days_override: 36_500 });
    expect(await billed()).toBe(36_500);
    expect(await settings()).toMatchObject({ audit_log_archive: "unset", audit_log_limited: true });
    // Nothing is deleted on this server.
    expect(await log()).toMatchObject({ kept_days: null, older_entries: null, complete_since: null });
    await edit("pro", { audit_log_days: null });
    await fixture.admin.api.patch(`/admin/organizations/${id}`, { audit_log_days_override: null });
    expect(await settings()).toMatchObject({ audit_log_limited: false });
  });

  test("an edited limit of a plan applies at once to its organizations, and its name is in the refusal", async () => {
    const [limited, unlimited] = [await organization("pro"), await organization("enterprise")];
    const add = ({ api, path }: typeof limited) => api.post(`${path}/products`, { name: "Another" });
    const limits = { max_products: 1, daily_limit: 12 };
    await edit("pro", { ...limits, name: "Professional" });
    const params = { plan: "Professional", limit: 1, used: 1 };
    const refused = { status: 403, code: "product_limit_reached", params };
    expect((await add(limited)).body).toMatchObject(refused);
    expect((await add(unlimited)).status).toBe(201);
    expect((await limited.validate()).headers.get("ratelimit-policy")).toContain("q=12");
    expect((await limited.api.get(limited.path)).body.daily_limit).toBe(12);
    await edit("pro", { daily_limit: 0 });
    expect((await limited.validate()).status).toBe(429);
    await edit("pro", { max_products: null, daily_limit: null, name: "Pro" });
    expect((await add(limited)).status).toBe(201);
    expect((await limited.validate()).headers.get("ratelimit-policy")).toBeNull();
    await edit("pro", { daily_limit: 100_000 });
  });

  test("the number of organizations per user is that of the best plan they own and pay for", async () => {
    const { api, id } = await organization("free");
    const create = async () => (await api.post("/organizations", { name: "More" })).status;
    await edit("free", { organizations_per_user: 1 });
    await edit("pro", { organizations_per_user: 2 });
    await fixture.admin.api.patch("/admin/settings", { default_plan: "free" });
    const pay = (billing_state: "active" | "cancelled") =>
      fixture.store.transaction((db) => updateOrganization(db, id, { plan: "pro", billing_state }));
    await pay("cancelled");
    expect(await create()).toBe(403);
    await pay("active");
    expect([await create(), await create()]).toEqual([201, 403]);
    await edit("free", { organizations_per_user: 2 });
    await fixture.admin.api.patch("/admin/settings", { default_plan: "enterprise" });
  });

  test("a plan that loses the version module refuses the same versions as before", async () => {
    const { validate, api, path } = await organization("free", { version_module_enabled: true });
    const status = async () => (await validate({ version: "1" })).body.status;
    expect(await status()).toBe("active");
    await edit("free", { version_module: true });
    expect(await status()).toBe("version_not_allowed");
    await edit("free", { version_module: false });
    expect(await status()).toBe("version_not_allowed");
    await api.patch(path, { version_checks_on_downgrade: "report" });
    expect(await status()).toBe("active");
  });

  /** Which events are recorded then: apps/server/features/events/quota-check.test.ts. */
  test("products beyond a lowered limit of their plan get their events once, on any number of nodes", async () => {
    const [busy, own] = [await organization("pro"), await organization("pro")];
    const nowMs = await fixture.store.clock();
    await fixture.store.transaction(async (db) => {
      for (const { productId } of [busy, own]) await setDailyUsage(db, productId, quotaDay(nowMs), 95);
      await updateOrganization(db, own.id, { daily_limit_override: 1_000 });
    });
    await edit("pro", { daily_limit: 90 });
    // The first check schedules one for each organization, a little later.
    for (const laterMs of [0, 20_000, 40_000]) {
      const check = () => quotaCheck(fixture.store, async () => nowMs + laterMs).run();
      await Promise.all([check(), check(), check()]);
    }
    const events = await fixture.stored("events", { type: ["quota.warning", "quota.exhausted"] });
    const recorded = events.map(({ product_id, type }) => [product_id, type]).sort();
    expect(recorded).toEqual(["quota.exhausted", "quota.warning"].map((type) => [busy.productId, type]));
    const pending = fixture.store.reads.selectFrom("platform_state").where("name", "like", "lowered%");
    expect(await pending.selectAll().execute()).toEqual([]);
  });
});
