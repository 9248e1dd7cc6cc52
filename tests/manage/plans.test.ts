import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { quotaDay } from "@countersign/domain/quota/day";
import type { Plan } from "@countersign/domain/quota/limit";
import { organizationById } from "@countersign/store/queries/manage/access";
import { setDailyUsage } from "@countersign/store/queries/products/daily-usage";
import { QuotaCheck } from "../../apps/server/features/events/quota-check.ts";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

setDefaultTimeout(60_000);

/** On PostgreSQL, plans are edited on one node and apply to the other. */
describe.each(databases)("plans on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let second: ServerProcess;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
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
    await fixture.store.transaction((db) =>
      db
        .updateTable("organizations")
        .set({ plan, had_version_module: plan === "free" ? 0 : 1 })
        .where("id", "=", body.id)
        .execute(),
    );
    const api = apiOf(second.url, product.api_key);
    return {
      person,
      api: manageClient(second.url, person.token),
      id: String(body.id),
      path,
      productId: String(product.id),
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
    expect(body).toMatchObject({
      data: [
        { plan: "free", name: "Free", daily_limit: 10_000, version_module: false, ...unlimited },
        { plan: "pro", name: "Pro", daily_limit: 100_000, version_module: true, ...unlimited },
        { plan: "enterprise", name: "Enterprise", daily_limit: null, version_module: true, ...unlimited },
      ],
      next_cursor: null,
    });
    const prices = body.data.map((plan: { monthly_price: unknown; yearly_price: unknown }) => [
      plan.monthly_price,
      plan.yearly_price,
    ]);
    expect(prices).toEqual([
      [null, null],
      [2_900, 29_000],
      [null, null],
    ]);
    const allowances = body.data.map(
      (plan: { organizations_per_user: unknown }) => plan.organizations_per_user,
    );
    expect(allowances).toEqual([2, 2, null]);
  });

  test("only a platform admin can edit a plan that exists, and not one that has changed", async () => {
    expect((await fixture.owner.api.put("/admin/plans/pro", { name: "Mine" })).status).toBe(404);
    expect((await fixture.anonymous.put("/admin/plans/pro", { name: "Mine" })).status).toBe(401);
    const unknown = await fixture.admin.api.put("/admin/plans/gold", { name: "Gold" });
    expect([unknown.status, unknown.body.code]).toEqual([404, "plan_not_found"]);
    const { body } = await fixture.anonymous.get("/plans");
    const { updated_at: seen } = body.data[1];
    const changed = await edit("pro", { monthly_price: 1_900, trial_days: 14, updated_at: seen });
    expect(changed).toMatchObject({
      plan: "pro",
      monthly_price: 1_900,
      trial_days: 14,
      daily_limit: 100_000,
    });
    const late = await fixture.admin.api.put("/admin/plans/pro", { monthly_price: 1, updated_at: seen });
    expect([late.status, late.body.code]).toEqual([412, "changed_meanwhile"]);
    const log = await fixture.admin.api.get("/admin/audit-log?subject_kind=plan");
    expect(log.body.data).toMatchObject([
      {
        action: "plan.updated",
        subject: { kind: "plan", id: "pro", name: "Pro" },
        actor: { kind: "platform_admin" },
        before: { monthly_price: 2_900, trial_days: 0 },
        after: { monthly_price: 1_900, trial_days: 14 },
      },
    ]);
    await edit("pro", { monthly_price: 2_900, trial_days: 0 });
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

  test("the number of organizations per user is that of the best plan they own", async () => {
    const { person, id } = await organization("free");
    const create = async () => (await person.api.post("/organizations", { name: "More" })).status;
    await edit("free", { organizations_per_user: 1 });
    await fixture.admin.api.patch("/admin/settings", { default_plan: "free" });
    expect(await create()).toBe(403);
    await edit("free", { organizations_per_user: 2 });
    expect(await create()).toBe(201);
    expect(await create()).toBe(403);
    await fixture.store.transaction((db) =>
      db.updateTable("organizations").set({ plan: "pro" }).where("id", "=", id).execute(),
    );
    await edit("pro", { organizations_per_user: 3 });
    expect(await create()).toBe(201);
    expect(await create()).toBe(403);
    await edit("pro", { organizations_per_user: 2 });
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
    const busy = await organization("pro");
    const calm = await organization("pro");
    const own = await organization("pro");
    const day = quotaDay(await fixture.store.clock());
    await fixture.store.transaction(async (db) => {
      await setDailyUsage(db, busy.productId, day, 95);
      await setDailyUsage(db, calm.productId, day, 5);
      await setDailyUsage(db, own.productId, day, 95);
      await db
        .updateTable("organizations")
        .set({ daily_limit_override: 1_000 })
        .where("id", "=", own.id)
        .execute();
    });
    const checkAt = async (laterMs: number) => {
      const clock = async () => (await fixture.store.clock()) + laterMs;
      await Promise.all([1, 2, 3].map(() => new QuotaCheck(fixture.store, clock).run()));
    };
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
    await edit("pro", { daily_limit: 500 });
    await edit("pro", { daily_limit: 90 });
    await checkAt(0);
    await checkAt(20_000);
    await checkAt(40_000);
    expect(await events(busy)).toEqual(["quota.exhausted", "quota.warning"]);
    expect([await events(calm), await events(own)]).toEqual([[], []]);
    expect(
      await fixture.store.reads
        .selectFrom("platform_state")
        .where("name", "like", "lowered%")
        .selectAll()
        .execute(),
    ).toEqual([]);
    await edit("pro", { daily_limit: 100_000 });
  });

  test("with the defaults, a new organization has no limits", async () => {
    const { api, path } = await organization("enterprise");
    expect((await api.get(path)).body).toMatchObject({ plan: "enterprise", daily_limit: null });
    const { body } = await api.get(`${path}/billing`);
    expect(body.limits.map((limit: { limit: unknown }) => limit.limit)).toEqual([null, null, null, null]);
    expect(body.limits.map((limit: { name: string; used: number }) => [limit.name, limit.used])).toEqual([
      ["products", 1],
      ["licenses", 1],
      ["members", 1],
      ["webhooks", 0],
    ]);
  });
});
