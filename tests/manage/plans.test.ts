import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { quotaDay } from "@countersign/domain/quota/day";
import type { Plan } from "@countersign/domain/quota/limit";
import { organizationById } from "@countersign/store/queries/manage/access";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { setDailyUsage } from "@countersign/store/queries/products/daily-usage";
import { QuotaCheck } from "../../apps/server/features/events/quota-check.ts";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

setDefaultTimeout(60_000);

/** On PostgreSQL, plans are edited on one node and apply to the other. */
describe.each(on("sqlite"))("plans on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let second: ServerProcess;
  beforeAll(async () => {
    fixture = await openManageFixture(make, { why: "edits plans" });
    second = kind === "postgres" ? await startServerProcess(fixture.database.environment) : fixture.server;
  });
  afterAll(async () => {
    if (second !== fixture.server) await second.stop();
    await fixture.close();
  });

  const edit = async (plan: Plan, changes: object) => {
    const answer = await fixture.admin.api.put(`/admin/plans/${plan}`, changes);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  /** An organization on a plan, whose requests go to the other node. */
  const organization = async (plan: Plan, settings: object = {}) => {
    const person = await fixture.person();
    const { body } = await person.api.post("/organizations", { name: "Customer" });
    const path = `/organizations/${body.id}`;
    const { body: product } = await person.api.post(`${path}/products`, { name: "Tool", ...settings });
    const { body: license } = await person.api.post(`/products/${product.id}/licenses`, {
      customer_email: "buyer@example.com",
    });
    // As an organization that was created on this plan.
    const columns = { plan, had_version_module: plan === "free" ? 0 : 1 } as const;
    await fixture.store.transaction((db) => updateOrganization(db, body.id, columns));
    const api = apiOf(second.url, product.api_key);
    return {
      person,
      api: manageClient(second.url, person.token),
      id: String(body.id),
      productId: String(product.id),
      path,
      validate: (version?: string) =>
        api.validate({ license_key: license.license_key, ...(version === undefined ? {} : { version }) }),
    };
  };

  test("everyone can list the plans, the smallest first, with the limits of the specification", async () => {
    const { status, body } = await fixture.anonymous.get("/plans");
    expect(status).toBe(200);
    const unlimited = {
      ...{ max_products: null, max_licenses: null, max_members: null, max_webhooks: null },
      ...{ request_log_days: null, trial_days: 0, currency: "usd", can_be_bought: false },
    };
    const [noPrice, paid] = [
      { monthly_price: null, yearly_price: null },
      { monthly_price: 2_900, yearly_price: 29_000 },
    ];
    const free = { plan: "free", name: "Free", daily_limit: 10_000, organizations_per_user: 2 };
    const pro = { plan: "pro", name: "Pro", daily_limit: 100_000, organizations_per_user: 2 };
    const enterprise = {
      plan: "enterprise",
      name: "Enterprise",
      daily_limit: null,
      organizations_per_user: null,
    };
    expect(body).toMatchObject({
      data: [
        { ...free, ...noPrice, version_module: false, ...unlimited },
        { ...pro, ...paid, version_module: true, ...unlimited },
        { ...enterprise, ...noPrice, version_module: true, ...unlimited },
      ],
      next_cursor: null,
    });
  });

  test("only a platform admin can edit a plan that exists, and not one that has changed", async () => {
    expect((await fixture.owner.api.put("/admin/plans/pro", { name: "Mine" })).status).toBe(404);
    expect((await fixture.anonymous.put("/admin/plans/pro", { name: "Mine" })).status).toBe(401);
    const unknown = await fixture.admin.api.put("/admin/plans/gold", { name: "Gold" });
    expect([unknown.status, unknown.body.code]).toEqual([404, "plan_not_found"]);
    const { body } = await fixture.anonymous.get("/plans");
    const { updated_at: seen } = body.data[1];
    const changed = await edit("pro", { monthly_price: 1_900, trial_days: 14, updated_at: seen });
    const after = { monthly_price: 1_900, trial_days: 14 };
    expect(changed).toMatchObject({ plan: "pro", ...after, daily_limit: 100_000 });
    const late = await fixture.admin.api.put("/admin/plans/pro", { monthly_price: 1, updated_at: seen });
    expect([late.status, late.body.code]).toEqual([412, "changed_meanwhile"]);
    const log = await fixture.admin.api.get("/admin/audit-log?subject_kind=plan");
    expect(log.body.data).toMatchObject([
      {
        action: "plan.updated",
        subject: { kind: "plan", id: "pro", name: "Pro" },
        actor: { kind: "platform_admin" },
        before: { monthly_price: 2_900, trial_days: 0 },
        after,
      },
    ]);
  });

  test("an edited daily limit applies to the next request on the other node", async () => {
    const { validate, api, path } = await organization("free");
    const limit = async () => /q=(\d+)/.exec((await validate()).headers.get("ratelimit-policy") ?? "")?.[1];
    expect(await limit()).toBe("10000");
    await edit("free", { daily_limit: 12 });
    expect(await limit()).toBe("12");
    expect((await api.get(path)).body.daily_limit).toBe(12);
    await edit("free", { daily_limit: 0 });
    expect((await validate()).status).toBe(429);
    await edit("free", { daily_limit: null });
    expect((await validate()).status).toBe(200);
    await edit("free", { daily_limit: 10_000 });
    expect(await limit()).toBe("10000");
  });

  test("a limit of a plan holds on the other node at once, and its name is in the refusal", async () => {
    const { api, path } = await organization("pro");
    const add = () => api.post(`${path}/products`, { name: "Another" });
    await edit("pro", { max_products: 1, name: "Professional" });
    expect(await add()).toMatchObject({
      status: 403,
      body: { code: "product_limit_reached", params: { plan: "Professional", limit: 1, used: 1 } },
    });
    const unlimited = await organization("enterprise");
    expect((await unlimited.api.post(`${unlimited.path}/products`, { name: "Another" })).status).toBe(201);
    await edit("pro", { max_products: null, name: "Pro" });
    expect((await add()).status).toBe(201);
  });

  test("the number of organizations per user is that of the best plan they own and pay for", async () => {
    const { person, id } = await organization("free");
    const create = async () => (await person.api.post("/organizations", { name: "More" })).status;
    await edit("free", { organizations_per_user: 1 });
    await edit("pro", { organizations_per_user: 2 });
    await fixture.admin.api.patch("/admin/settings", { default_plan: "free" });
    expect(await create()).toBe(403);
    const pay = (billing_state: "active" | "cancelled") =>
      fixture.store.transaction((db) => updateOrganization(db, id, { plan: "pro", billing_state }));
    await pay("cancelled");
    expect(await create()).toBe(403);
    await pay("active");
    expect(await create()).toBe(201);
    expect(await create()).toBe(403);
    await edit("free", { organizations_per_user: 2 });
    await fixture.admin.api.patch("/admin/settings", { default_plan: "enterprise" });
  });

  test("a plan that loses the version module refuses the same versions as before", async () => {
    const settings = { version_module_enabled: true };
    const known = await organization("free", settings);
    const status = async (one = known) => (await one.validate("1")).body.status;
    expect(await status()).toBe("active");
    await edit("free", { version_module: true });
    expect(await status()).toBe("version_not_allowed");
    await edit("free", { version_module: false });
    expect(await status()).toBe("version_not_allowed");
    const { api, path } = known;
    await api.patch(path, { version_checks_on_downgrade: "report" });
    expect(await status()).toBe("active");
    // An organization that comes later never had it.
    expect(await status(await organization("free", settings))).toBe("active");
    expect((await organizationById(fixture.store.reads, known.id))?.had_version_module).toBe(1);
  });

  test("products beyond a lowered limit of their plan get their events once, on any number of nodes", async () => {
    const [busy, calm, own] = [
      await organization("pro"),
      await organization("pro"),
      await organization("pro"),
    ];
    const nowMs = await fixture.store.clock();
    await fixture.store.transaction(async (db) => {
      await setDailyUsage(db, busy.productId, quotaDay(nowMs), 95);
      await setDailyUsage(db, calm.productId, quotaDay(nowMs), 5);
      await setDailyUsage(db, own.productId, quotaDay(nowMs), 95);
      await updateOrganization(db, own.id, { daily_limit_override: 1_000 });
    });
    await edit("pro", { daily_limit: 500 });
    await edit("pro", { daily_limit: 90 });
    // The first check schedules one for each organization, a little later.
    for (const laterMs of [0, 20_000, 40_000])
      await Promise.all(
        [1, 2, 3].map(() => new QuotaCheck(fixture.store, async () => nowMs + laterMs).run()),
      );
    const events = async ({ productId }: typeof busy) => {
      const rows = await fixture.store.reads
        .selectFrom("events")
        .select("type")
        .where("product_id", "=", productId)
        .where("type", "in", ["quota.warning", "quota.exhausted"])
        .orderBy("type")
        .execute();
      return rows.map(({ type }) => type);
    };
    expect(await events(busy)).toEqual(["quota.exhausted", "quota.warning"]);
    expect([await events(calm), await events(own)]).toEqual([[], []]);
    const pending = fixture.store.reads.selectFrom("platform_state").where("name", "like", "lowered%");
    expect(await pending.selectAll().execute()).toEqual([]);
  });
});
