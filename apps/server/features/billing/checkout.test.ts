import { describe, expect, test } from "bun:test";
import { removeState, setState } from "@countersign/store/queries/admin/platform-state";
import { lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { withPlan } from "../../../../tests/support/changed-plan.ts";
import type { FakeCall } from "../../../../tests/support/fake-stripe.ts";
import { dashboardUrl, type Newcomer, paymentTests } from "../../../../tests/support/payers.ts";
import { stripeMock } from "../../../../tests/support/stripe-mock.ts";
import { type CheckoutRequest, checkoutUrl } from "./checkout.ts";
import { portalUrl } from "./portal.ts";
import { invoicesOf } from "./routes.ts";

/** The fake Stripe remembers prices, so each test that expects a new one takes another amount. */
let lastAmount = 3_000;
const newAmount = () => ++lastAmount;

const configurations = "/v1/billing_portal/configurations";
const trial = "subscription_data[trial_period_days]";

/** The parameters of the only call that posts to this path. */
function posted(calls: readonly FakeCall[], path: string): Record<string, string> {
  const found = calls.filter((call) => call.method === "POST" && call.path === path);
  expect([path, found.length]).toEqual([path, 1]);
  return Object.fromEntries(found[0]?.params ?? []);
}

paymentTests("sqlite", "payment pages of Stripe", (fixture, payments) => {
  /** The calls that `work` makes. */
  const callsDuring = async (work: () => Promise<unknown>): Promise<FakeCall[]> => {
    const before = payments.stripe.calls.length;
    await work();
    return payments.stripe.calls.slice(before);
  };
  const checkout = async (
    payer: Newcomer,
    changes: Partial<CheckoutRequest> = {},
    parts = payments.parts,
  ) => {
    const request = { plan: "pro", interval: "month", locale: "en" } as const;
    return checkoutUrl(parts, { ...request, organization: await payer.organization(), ...changes });
  };
  /** What Stripe was asked to show on the page. */
  const sessionIn = (calls: readonly FakeCall[]) => posted(calls, "/v1/checkout/sessions");
  const session = async (payer: Newcomer) => sessionIn(await callsDuring(() => checkout(payer)));
  const priceIn = (calls: readonly FakeCall[]) => sessionIn(calls)["line_items[0][price]"] ?? "";
  const price = async (payer: Newcomer, changes: Partial<CheckoutRequest> = {}) =>
    priceIn(await callsDuring(() => checkout(payer, changes)));
  const portal = async (payer: Newcomer, parts = payments.parts) =>
    portalUrl(parts, await payer.organization(), "en");

  describe("checkouts", () => {
    test("a checkout is a page with everything that the plan needs", async () => {
      const payer = await payments.newcomer();
      const calls = await callsDuring(async () => {
        expect(await checkout(payer)).toStartWith("https://checkout.stripe.test/");
      });
      expect(posted(calls, "/v1/customers")).toEqual({
        name: "Test Organization",
        email: payer.ownerEmail,
        "preferred_locales[0]": "en",
        "metadata[organization_id]": payer.id,
      });
      const page = `${dashboardUrl}/o/org-${payer.id}/settings/billing`;
      const asked = sessionIn(calls);
      expect(asked).toMatchObject({
        mode: "subscription",
        customer: payments.stripe.customerOf(payer.id).id,
        client_reference_id: payer.id,
        "line_items[0][quantity]": "1",
        allow_promotion_codes: "true",
        "tax_id_collection[enabled]": "true",
        "customer_update[name]": "auto",
        "customer_update[address]": "auto",
        "automatic_tax[enabled]": "false",
        locale: "en",
        success_url: `${page}?checkout=done`,
        cancel_url: `${page}?checkout=cancelled`,
        "metadata[organization_id]": payer.id,
        "subscription_data[metadata][organization_id]": payer.id,
      });
      expect(asked[trial]).toBeUndefined();
    });

    test("a checkout uses one price per amount and interval, an earlier one again unless it is archived in Stripe", async () => {
      const payer = await payments.newcomer();
      const monthly = await price(payer);
      expect(await price(payer, { interval: "year" })).not.toBe(monthly);
      expect(await price(payer)).toBe(monthly);
      const amount = newAmount();
      await withPlan(fixture, "pro", { monthly_price: amount }, async () => {
        const calls = await callsDuring(() => checkout(payer));
        expect(posted(calls, "/v1/prices")).toMatchObject({
          product: "countersign_pro",
          currency: "usd",
          unit_amount: String(amount),
          "recurring[interval]": "month",
          lookup_key: `countersign_pro_month_usd_${amount}`,
        });
        expect(priceIn(calls)).not.toBe(monthly);
      });
      const later = await callsDuring(() => checkout(payer));
      expect(later.filter(({ path }) => path === "/v1/prices")).toEqual([]);
      expect(priceIn(later)).toBe(monthly);
      payments.stripe.archive(monthly);
      await checkout(payer);
      expect(await price(payer)).not.toBe(monthly);
    });

    test("a checkout renames the product after the plan, calculates taxes if that is set, and grants a trial once", async () => {
      const payer = await payments.payer();
      await fixture.write((db) => setState(db, "automatic_tax", "true"));
      expect((await session(payer))["automatic_tax[enabled]"]).toBe("true");
      await fixture.write((db) => removeState(db, "automatic_tax"));
      await withPlan(fixture, "pro", { name: "Team", trial_days: 14 }, async () => {
        const calls = await callsDuring(() => checkout(payer));
        expect(posted(calls, "/v1/products/countersign_pro")).toMatchObject({ name: "Team" });
        expect(sessionIn(calls)[trial]).toBe("14");
        const trialEnd = Math.floor(Date.now() / 1000);
        payments.stripe.subscribe(payer.customer, { status: "canceled", trialEnd });
        expect((await session(payer))[trial]).toBeUndefined();
      });
    });

    test("concurrent checkouts create one customer, and each closes the page before, so that nobody pays twice", async () => {
      const payer = await payments.newcomer();
      await Promise.all([checkout(payer), checkout(payer), checkout(payer)]);
      const customers = [...payments.stripe.customers.values()];
      expect(customers.filter((one) => one.organizationId === payer.id)).toHaveLength(1);
      for (let page = 0; page < 2; page++) await checkout(payer);
      expect(payments.stripe.openPages(payments.stripe.customerOf(payer.id).id)).toBe(1);
    });

    test.each(["deleted in Stripe", "in another mode"])("a customer who is %s is replaced", async (where) => {
      const payer = await payments.payer();
      if (where === "deleted in Stripe") payer.customer.isDeleted = true;
      else payments.stripe.forget(payer.customer.id);
      await checkout(payer);
      const second = payments.stripe.customerOf(payer.id);
      expect(second.id).not.toBe(payer.customer.id);
      expect((await payer.billing())?.stripe_customer_id).toBe(second.id);
    });

    test("a checkout is refused to a subscriber, also before the event about the subscription has arrived", async () => {
      const payer = await payments.payer();
      const subscription = payments.stripe.subscribe(payer.customer);
      await expect(checkout(payer)).rejects.toMatchObject({ code: "already_subscribed" });
      expect(await payer.state()).toEqual({ plan: "pro", state: "active" });
      subscription.status = "past_due";
      await expect(checkout(payer)).rejects.toMatchObject({ code: "already_subscribed" });
      subscription.status = "canceled";
      await checkout(payer);
      expect(await payer.state()).toEqual({ plan: "free", state: "cancelled" });
    });

    test("a checkout is refused for a plan without a price, and while the operator has set the plan", async () => {
      const payer = await payments.newcomer();
      const unsold = checkout(payer, { plan: "enterprise", interval: "year" });
      await expect(unsold).rejects.toMatchObject({ code: "plan_not_for_sale" });
      await fixture.write(async (db) => {
        await lockedBilling(db, payer.id);
        await updateBilling(db, payer.id, { plan_set_by: "operator" });
        await updateOrganization(db, payer.id, { plan: "enterprise" });
      });
      await expect(checkout(payer)).rejects.toMatchObject({ code: "plan_set_by_operator" });
    });
  });

  describe("payment accounts", () => {
    test("the payment account offers the plans for sale, and is configured again only after their prices changed", async () => {
      const payer = await payments.payer();
      await withPlan(fixture, "pro", { monthly_price: newAmount() }, async () => {
        const calls = await callsDuring(async () => {
          expect(await portal(payer)).toStartWith("https://billing.stripe.test/");
        });
        const written = calls.filter(({ path }) => path.startsWith(configurations));
        expect(written).toHaveLength(1);
        expect(Object.fromEntries(written[0]?.params ?? [])).toMatchObject({
          "features[subscription_update][enabled]": "true",
          "features[subscription_update][proration_behavior]": "always_invoice",
          "features[subscription_update][products][0][product]": "countersign_pro",
          "features[subscription_cancel][mode]": "at_period_end",
          "features[payment_method_update][enabled]": "true",
          "features[invoice_history][enabled]": "true",
        });
        expect(posted(calls, "/v1/billing_portal/sessions")).toMatchObject({
          customer: payer.customer.id,
          return_url: `${dashboardUrl}/o/org-${payer.id}/settings/billing`,
        });
        const again = await callsDuring(() => portal(payer));
        expect(again.map(({ path }) => path)).toEqual(["/v1/billing_portal/sessions"]);
      });
      const changed = await callsDuring(() => portal(payer));
      expect(changed.some(({ path }) => path.startsWith(`${configurations}/bpc_`))).toBe(true);
    });

    test("the payment account replaces prices that were archived in Stripe", async () => {
      const payer = await payments.payer();
      payments.stripe.archive(await price(payer));
      await withPlan(fixture, "pro", { name: "Team", yearly_price: newAmount() }, async () => {
        expect(await portal(payer)).toStartWith("https://billing.stripe.test/");
      });
    });

    test("the payment account is refused to an organization without a customer, also if Stripe does not know it", async () => {
      const payer = await payments.payer();
      payments.stripe.forget(payer.customer.id);
      for (const one of [await payments.newcomer(), payer])
        await expect(portal(one)).rejects.toMatchObject({ code: "no_payment_account" });
    });
  });

  test("payments work with Stripe's own test server, which knows no customer and accepts every valid call", async () => {
    const payer = await payments.newcomer();
    const parts = { ...payments.parts, settings: { ...payments.stripe.settings, url: await stripeMock() } };
    const forSale = { monthly_price: newAmount(), yearly_price: newAmount(), trial_days: 7 };
    const buy = async () => {
      for (const plan of ["pro", "enterprise"] as const)
        for (const interval of ["month", "year"] as const)
          expect(await checkout(payer, { plan, interval }, parts)).toStartWith(
            "https://checkout.stripe.com/",
          );
      for (let time = 0; time < 2; time++) await portal(payer, parts);
    };
    await withPlan(fixture, "enterprise", forSale, () => withPlan(fixture, "pro", forSale, buy));
    expect(await invoicesOf(parts, payer.id)).toHaveLength(1);
    expect(await payer.state()).toEqual({ plan: "free", state: "active" });
  });
});
