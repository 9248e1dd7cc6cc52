import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const dayMs = 86_400_000;

describe.each(databases)("an organization's plan by hand on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  /** An organization of its own, as the platform admin sees it. */
  const org = async () => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name: "By hand" });
    const path = `/admin/organizations/${body.id}`;
    return {
      id: String(body.id),
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

  test("with a note and an end date, which only platform admins and the audit log know", async () => {
    const { id, owner, read, change, log } = await org();
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

  test("a plan for an organization whose subscription ended applies", async () => {
    const { read, change } = await org();
    await change({ plan: "free", billing_state: "cancelled" });
    await change({ plan: "pro" });
    expect(await read()).toMatchObject({ plan: "pro", billing_state: "active", daily_limit: 100_000 });
  });

  test("a plan without an end date has none, and Free never ends", async () => {
    const { change } = await org();
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
    const { read, change } = await org();
    const before = await read();
    const refused = await change({ plan: "pro", max_products_override: 1, plan_ends_at: inDays(-1) });
    expect([refused.status, refused.body.errors[0].field, refused.body.errors[0].code]).toEqual([
      422,
      "plan_ends_at",
      "plan_end_not_future",
    ]);
    expect(await read()).toEqual(before);
  });

  test("the grace period has an end, which a repeated change does not move", async () => {
    const { read, change } = await org();
    const entered = await change({ billing_state: "grace" });
    const days = (Date.parse(entered.body.grace_ends_at) - Date.now()) / dayMs;
    expect(days).toBeWithin(6.9, 7.1);
    await change({ billing_state: "grace" });
    expect((await read()).grace_ends_at).toBe(entered.body.grace_ends_at);
    expect((await change({ billing_state: "active" })).body.grace_ends_at).toBeNull();
  });

  test("every limit can be set and taken back, with an entry in the organization's audit log", async () => {
    const { read, change, log } = await org();
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

  test("the list shows today's requests of all products", async () => {
    const { body } = await fixture.admin.api.get(`/admin/organizations?q=acme`);
    const before = body.data[0].requests_today;
    await fixture.publicApi.validate({ license_key: "x" });
    await fixture.publicApi.validate({ license_key: "x" });
    const { body: after } = await fixture.admin.api.get(`/admin/organizations?q=acme`);
    expect(after.data[0].requests_today).toBe(before + 2);
  });

  test("subscriptions are summed up by currency and month", async () => {
    const subscribe = async (status: "active" | "trialing", interval: "month" | "year", amount: number) => {
      const { id, read } = await org();
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
          subscription_currency: "eur",
        });
      });
      return read();
    };
    expect((await subscribe("active", "month", 2_900)).subscription).toMatchObject({
      status: "active",
      plan: "pro",
      interval: "month",
      amount: 2_900,
      currency: "eur",
      cancels_at: null,
    });
    await subscribe("active", "year", 29_000);
    await subscribe("trialing", "month", 2_900);
    const { body } = await fixture.admin.api.get("/admin/revenue");
    expect(body).toMatchObject({
      recurring: [{ currency: "eur", monthly_amount: 5_317, subscription_count: 2 }],
      trial_count: 1,
    });
    const active = body.organizations.filter(
      (group: { plan: string; billing_state: string }) =>
        group.plan === "enterprise" && group.billing_state === "active",
    );
    expect(active).toHaveLength(1);
    expect(active[0].count).toBeGreaterThanOrEqual(4);
  });
});
