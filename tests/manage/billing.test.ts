import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { lockedBilling } from "@countersign/store/queries/billing/billing";
import { apiOf } from "../support/api.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

/** `terms.test.ts` of the domain and `clock.test.ts` of the server show what follows from these settings. */
testsOn("postgres", "an organization's plan and payments", openManageFixture, (fixture) => {
  /** A new organization, as the platform admin sees it. */
  const organization = async () => {
    const owner = await fixture.person();
    const name = `By hand ${newId()}`;
    const { body } = await owner.api.post("/organizations", { name });
    const path = `/admin/organizations/${body.id}`;
    return {
      ...{ id: String(body.id), name, owner },
      read: async () => (await fixture.admin.api.get(path)).body,
      change: async (changes: object) => (await fixture.admin.api.patch(path, changes)).body,
      /** The actions of the platform admin. */
      actions: async () => {
        const log = await fixture.stored("audit_log", {
          organization_id: body.id,
          actor_kind: "platform_admin",
        });
        return log.map(({ action }) => action).sort();
      },
      setBilling: async (columns: Parameters<typeof fixture.change<"organization_billing">>[2]) => {
        await fixture.store.transaction((db) => lockedBilling(db, body.id));
        await fixture.change("organization_billing", { organization_id: body.id }, columns);
      },
    };
  };

  test("a plan by hand has a note and an end date, which only platform admins and the audit log know", async () => {
    const { id, owner, read, change, actions } = await organization();
    expect(await read()).toMatchObject({ plan: "enterprise", plan_set_by: "default", plan_note: null });
    const changes = { plan: "pro", plan_note: "Paid by bank transfer", plan_ends_at: inDays(30) };
    const byHand = { plan_set_by: "operator", subscription: null, stripe_customer_id: null };
    expect(await change(changes)).toMatchObject({ ...changes, ...byHand });
    const seen = await owner.api.get(`/organizations/${id}`);
    expect(seen.body).toMatchObject({ plan: "pro", plan_ends_at: changes.plan_ends_at });
    expect(seen.text).not.toContain("bank transfer");
    expect(await actions()).toEqual(["organization.plan_changed", "organization.terms_changed"]);
    const before = await read();
    const refused = await change({ plan: "enterprise", max_products_override: 1, plan_ends_at: inDays(-1) });
    const errors = [{ field: "plan_ends_at", code: "plan_end_not_future" }];
    expect(refused).toMatchObject({ status: 422, errors });
    expect(await read()).toEqual(before);
  });

  test("a plan by hand applies after a cancelled subscription, ends as given if at all, and Free never ends", async () => {
    const { change } = await organization();
    const until = { plan_ends_at: inDays(3) };
    const endless = { plan_ends_at: null };
    await change({ plan: "free", billing_state: "cancelled" });
    const pro = { plan: "pro", billing_state: "active", daily_limit: 100_000 };
    expect(await change({ plan: "pro", ...until })).toMatchObject({ ...pro, ...until });
    expect(await change(endless)).toMatchObject({ plan: "pro", ...endless });
    await change(until);
    expect(await change({ plan: "enterprise" })).toMatchObject(endless);
    expect(await change({ plan: "free", ...until })).toMatchObject({ plan: "free", ...endless });
  });

  test("a grace period by hand has an end, which a repeated change does not move", async () => {
    const { change } = await organization();
    const { grace_ends_at: end } = await change({ billing_state: "grace" });
    expect((Date.parse(end) - Date.now()) / dayMs).toBeWithin(6.9, 7.1);
    expect((await change({ billing_state: "grace" })).grace_ends_at).toBe(end);
    expect((await change({ billing_state: "active" })).grace_ends_at).toBeNull();
  });

  test("every limit can be set and taken back, with an entry in the organization's audit log", async () => {
    const { read, change, actions } = await organization();
    const limits = {
      ...{ max_products_override: 3, max_licenses_override: 1_000, max_members_override: 5 },
      ...{ max_webhooks_override: 0, request_log_days_override: 7, daily_limit_override: 50 },
      audit_log_days_override: 90,
    };
    expect(await change(limits)).toMatchObject({ ...limits, daily_limit: 50 });
    expect((await read()).limits).toEqual([
      { name: "products", used: 0, limit: 3 },
      { name: "licenses", used: 0, limit: 1_000 },
      { name: "members", used: 1, limit: 5 },
      { name: "webhooks", used: 0, limit: 0 },
    ]);
    const none = Object.fromEntries(Object.keys(limits).map((name) => [name, null]));
    expect(await change(none)).toMatchObject({ ...none, daily_limit: null });
    await change(none);
    expect(await actions()).toHaveLength(2);
  });

  test("the operator sees today's requests, a subscription, and the sums of all by currency and month", async () => {
    const revenue = async () => (await fixture.admin.api.get("/admin/revenue")).body;
    // No other test has subscriptions in this currency.
    const currency = "isk";
    const subscribed = async (status: "active" | "trialing", interval: "month" | "year", amount: number) => {
      const { read, setBilling, ...made } = await organization();
      await setBilling({
        subscription_id: `sub_${newId()}`,
        subscription_status: status,
        subscription_plan: "pro",
        subscription_interval: interval,
        subscription_amount: amount,
        subscription_currency: currency,
      });
      return { ...made, shown: (await read()).subscription };
    };
    const { trial_count: trials } = await revenue();
    const { id, name, owner, shown } = await subscribed("active", "month", 2_900);
    const monthly = { status: "active", plan: "pro", interval: "month", amount: 2_900, currency };
    expect(shown).toMatchObject({ ...monthly, cancels_at: null });
    await subscribed("active", "year", 29_000);
    await subscribed("trialing", "month", 2_900);
    const { recurring, trial_count: trialsAfter, organizations } = await revenue();
    expect(recurring).toContainEqual({ currency, monthly_amount: 5_317, subscription_count: 2 });
    expect(trialsAfter).toBe(trials + 1);
    const counted = { plan: "enterprise", billing_state: "active", count: expect.any(Number) };
    expect(organizations).toContainEqual(counted);
    const { body: product } = await owner.api.post(`/organizations/${id}/products`, { name: "Tool" });
    const publicApi = apiOf(fixture.url, product.api_key);
    for (let time = 0; time < 2; time++) await publicApi.validate({ license_key: "x" });
    const { body } = await fixture.admin.api.get(`/admin/organizations?q=${encodeURIComponent(name)}`);
    expect(body.data).toMatchObject([{ id, requests_today: 2 }]);
  });

  test("GET billing shows the plan, its limits, and how it is paid", async () => {
    const { id, owner, setBilling } = await organization();
    const read = async () => (await owner.api.get(`/organizations/${id}/billing`)).body;
    await fixture.change("organizations", { id }, { plan: "free" });
    const unpaid = { plan: "free", plan_set_by: "default", billing_state: "active", grace_ends_at: null };
    expect(await read()).toMatchObject(unpaid);
    const graceEndsAt = Date.now() + 7 * dayMs;
    const overdue = { plan: "pro", billing_state: "grace", grace_ends_at: graceEndsAt } as const;
    await fixture.change("organizations", { id }, overdue);
    await setBilling({ plan_set_by: "subscription" });
    expect(await read()).toMatchObject({
      ...{ plan: "pro", plan_name: "Pro", plan_set_by: "subscription", plan_ends_at: null },
      ...{ billing_state: "grace", grace_ends_at: new Date(graceEndsAt).toISOString() },
      ...{ subscription: null, payments_available: false, can_manage_payments: false },
      version_checks: { included: true, product_count: 0, on_downgrade: "enforce" },
      limits: ["products", "licenses", "members", "webhooks"].map((name) => {
        return { name, used: name === "members" ? 1 : 0, limit: null };
      }),
    });
  });
});
