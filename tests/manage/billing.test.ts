import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { apiOf } from "../support/api.ts";
import { subscribe } from "../support/billing.ts";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { newId, openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

describe.each(on("postgres"))("an organization's plan and payments on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  /** An organization of its own, as the platform admin sees it. */
  const organization = async () => {
    const owner = await fixture.person();
    const name = `By hand ${newId()}`;
    const { body } = await owner.api.post("/organizations", { name });
    const path = `/admin/organizations/${body.id}`;
    return {
      id: String(body.id),
      name,
      owner,
      read: async () => (await fixture.admin.api.get(path)).body,
      change: (changes: object) => fixture.admin.api.patch(path, changes),
      log: async () =>
        (await fixture.admin.api.get(`/admin/audit-log?organization_id=${body.id}`)).body.data.filter(
          (entry: { actor: { kind: string } }) => entry.actor.kind === "platform_admin",
        ),
    };
  };
  const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

  test("a plan by hand has a note and an end date, which only platform admins and the audit log know", async () => {
    const { id, owner, read, change, log } = await organization();
    expect(await read()).toMatchObject({ plan: "enterprise", plan_set_by: "default", plan_note: null });
    const end = inDays(30);
    const changed = await change({ plan: "pro", plan_note: "Paid by bank transfer", plan_ends_at: end });
    expect(changed.body).toMatchObject({
      plan: "pro",
      plan_set_by: "operator",
      plan_note: "Paid by bank transfer",
      plan_ends_at: end,
      subscription: null,
      stripe_customer_id: null,
    });
    const own = await owner.api.get(`/organizations/${id}`);
    expect(own.body).toMatchObject({ plan: "pro", plan_ends_at: end });
    expect(own.text).not.toContain("bank transfer");
    expect((await log()).map((entry: { action: string }) => entry.action).sort()).toEqual([
      "organization.plan_changed",
      "organization.terms_changed",
    ]);
  });

  test("a plan by hand applies to an organization whose subscription ended", async () => {
    const { read, change } = await organization();
    await change({ plan: "free", billing_state: "cancelled" });
    await change({ plan: "pro" });
    expect(await read()).toMatchObject({ plan: "pro", billing_state: "active", daily_limit: 100_000 });
  });

  test("a plan by hand without an end date has none, and Free never ends", async () => {
    const { change } = await organization();
    await change({ plan: "pro", plan_ends_at: inDays(3) });
    expect((await change({ plan_ends_at: null })).body).toMatchObject({ plan: "pro", plan_ends_at: null });
    await change({ plan_ends_at: inDays(3) });
    expect((await change({ plan: "enterprise" })).body.plan_ends_at).toBeNull();
    expect((await change({ plan: "free", plan_ends_at: inDays(3) })).body).toMatchObject({
      plan: "free",
      plan_ends_at: null,
    });
  });

  test("an end in the past is refused, and nothing of the request is applied", async () => {
    const { read, change } = await organization();
    const before = await read();
    const refused = await change({ plan: "pro", max_products_override: 1, plan_ends_at: inDays(-1) });
    expect(refused.status).toBe(422);
    expect(refused.body.errors).toMatchObject([{ field: "plan_ends_at", code: "plan_end_not_future" }]);
    expect(await read()).toEqual(before);
  });

  test("a grace period by hand has an end, which a repeated change does not move", async () => {
    const { read, change } = await organization();
    const entered = await change({ billing_state: "grace" });
    const days = (Date.parse(entered.body.grace_ends_at) - Date.now()) / dayMs;
    expect(days).toBeWithin(6.9, 7.1);
    await change({ billing_state: "grace" });
    expect((await read()).grace_ends_at).toBe(entered.body.grace_ends_at);
    expect((await change({ billing_state: "active" })).body.grace_ends_at).toBeNull();
  });

  test("every limit can be set and taken back, with an entry in the organization's audit log", async () => {
    const { read, change, log } = await organization();
    const limits = {
      max_products_override: 3,
      max_licenses_override: 1_000,
      max_members_override: 5,
      max_webhooks_override: 0,
      request_log_days_override: 7,
      daily_limit_override: 50,
    };
    expect((await change(limits)).body).toMatchObject({ ...limits, daily_limit: 50 });
    expect((await read()).limits).toEqual([
      { name: "products", used: 0, limit: 3 },
      { name: "licenses", used: 0, limit: 1_000 },
      { name: "members", used: 1, limit: 5 },
      { name: "webhooks", used: 0, limit: 0 },
    ]);
    const none = Object.fromEntries(Object.keys(limits).map((name) => [name, null]));
    expect((await change(none)).body).toMatchObject({ ...none, daily_limit: null });
    expect(await log()).toHaveLength(2);
    await change(none);
    expect(await log()).toHaveLength(2);
  });

  test("the operator's list shows today's requests", async () => {
    const { id, name, owner } = await organization();
    const { body: product } = await owner.api.post(`/organizations/${id}/products`, { name: "Tool" });
    const publicApi = apiOf(fixture.server.url, product.api_key);
    await publicApi.validate({ license_key: "x" });
    await publicApi.validate({ license_key: "x" });
    const { body } = await fixture.admin.api.get(`/admin/organizations?q=${encodeURIComponent(name)}`);
    expect(body.data).toMatchObject([{ id, requests_today: 2 }]);
  });

  test("the operator sees a subscription, and the sums of all by currency and month", async () => {
    const revenue = async () => (await fixture.admin.api.get("/admin/revenue")).body;
    // No other test has subscriptions in this currency.
    const currency = "isk";
    const subscribed = async (status: "active" | "trialing", interval: "month" | "year", amount: number) => {
      const { id, read } = await organization();
      await fixture.store.transaction(async (db) => {
        await lockedBilling(db, id);
        await updateBilling(db, id, {
          plan_set_by: "subscription",
          stripe_customer_id: `cus_${newId()}`,
          subscription_id: `sub_${newId()}`,
          subscription_status: status,
          subscription_plan: "pro",
          subscription_interval: interval,
          subscription_amount: amount,
          subscription_currency: currency,
        });
      });
      return (await read()).subscription;
    };
    const { trial_count: trials } = await revenue();
    const shown = { plan: "pro", interval: "month", amount: 2_900, currency, cancels_at: null };
    expect(await subscribed("active", "month", 2_900)).toMatchObject({ status: "active", ...shown });
    await subscribed("active", "year", 29_000);
    await subscribed("trialing", "month", 2_900);
    const { recurring, trial_count: trialsAfter, organizations } = await revenue();
    const ours = recurring.filter((sum: { currency: string }) => sum.currency === currency);
    expect(ours).toEqual([{ currency, monthly_amount: 5_317, subscription_count: 2 }]);
    expect(trialsAfter).toBe(trials + 1);
    expect(organizations).toContainEqual({
      plan: "enterprise",
      billing_state: "active",
      count: expect.any(Number),
    });
  });

  test("GET billing shows the plan, its limits, and how it is paid, to members who can see it", async () => {
    const { id, owner } = await organization();
    const path = `/organizations/${id}/billing`;
    await fixture.store.transaction((db) => updateOrganization(db, id, { plan: "free" }));
    expect((await owner.api.get(path)).body).toMatchObject({
      plan: "free",
      plan_set_by: "default",
      billing_state: "active",
      grace_ends_at: null,
    });
    const nowMs = await fixture.store.clock();
    await subscribe(fixture.store, id, "active", nowMs - dayMs);
    await subscribe(fixture.store, id, "past_due", nowMs);
    const { status, body } = await owner.api.get(path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      plan: "pro",
      plan_name: "Pro",
      plan_set_by: "subscription",
      plan_ends_at: null,
      billing_state: "grace",
      grace_ends_at: new Date(nowMs + 7 * dayMs).toISOString(),
      subscription: null,
      payments_available: false,
      can_manage_payments: false,
      version_checks: { included: true, product_count: 0, on_downgrade: "enforce" },
    });
    expect(body.limits).toEqual([
      { name: "products", used: 0, limit: null },
      { name: "licenses", used: 0, limit: null },
      { name: "members", used: 1, limit: null },
      { name: "webhooks", used: 0, limit: null },
    ]);
    const viewer = await fixture.member(["billing:view"], id);
    expect((await viewer.api.get(path)).status).toBe(200);
    const other = await fixture.member(["products:view"], id);
    expect((await other.api.get(path)).status).toBe(403);
  });
});

describe.each(on("postgres"))("a server that starts after a downtime on $kind", ({ make }) => {
  test("suspends an organization whose grace period ended in the meantime, until it pays", async () => {
    const database = await make();
    const org = await openTestOrganization(database.location, { plan: "free" });
    const license = await org.license();
    const nowMs = await org.store.clock();
    // As if the payment had failed ten days ago, and every server had stopped then.
    await subscribe(org.store, org.organizationId, "active", nowMs - 40 * dayMs);
    await subscribe(org.store, org.organizationId, "past_due", nowMs - 10 * dayMs);
    const server = await startServerProcess(database.environment);
    try {
      const api = apiOf(server.url, org.apiKey);
      const status = async () => (await api.validate({ license_key: license.key })).body.status;
      await until("validations are refused", async () => (await status()) === "billing_suspended");
      await subscribe(org.store, org.organizationId, "active", nowMs);
      expect(await status()).toBe("active");
    } finally {
      await server.stop();
      await org.store.close();
      database.remove();
    }
  });
});
