import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases, sqlite } from "../support/databases.ts";
import type { FakeCall } from "../support/fake-stripe.ts";
import { stripeEvent } from "../support/fake-stripe.ts";
import { type ManageFixture, openManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";
import {
  openPaymentFixture,
  type Payer,
  type PaymentFixture,
  sendEvent,
} from "../support/payment-fixture.ts";
import { skipWithReason } from "../support/skip.ts";
import { howToGetStripeMock, stripeMock, stripeMockPath } from "../support/stripe-mock.ts";
import { rowsWith } from "../support/whole-database.ts";

setDefaultTimeout(180_000);

const pro = { plan: "pro", interval: "month" };

if (stripeMockPath === null) skipWithReason("payments", howToGetStripeMock);
else
  describe.each(databases)("payments on $kind", ({ make }) => {
    let fixture: PaymentFixture;
    beforeAll(async () => {
      fixture = await openPaymentFixture(make);
    });
    afterAll(() => fixture.close());

    /** The calls that `work` makes. */
    const callsDuring = async (work: () => Promise<unknown>): Promise<FakeCall[]> => {
      const before = fixture.stripe.calls.length;
      await work();
      return fixture.stripe.calls.slice(before);
    };

    const callOf = (calls: readonly FakeCall[], method: string, path: string) => {
      const found = calls.filter((call) => call.method === method && call.path === path);
      expect([path, found.length]).toEqual([path, 1]);
      return Object.fromEntries(found[0]?.params ?? []);
    };

    const checkout = (payer: Payer, body: object = pro) =>
      payer.owner.api.post(`${payer.path}/billing/checkout`, body);

    const setPlan = (
      changes: Partial<{ monthly_price: number; yearly_price: number; trial_days: number; name: string }>,
    ) =>
      fixture.store.transaction((db) =>
        db.updateTable("plans").set(changes).where("id", "=", "pro").execute(),
      );

    describe("the checkout", () => {
      test("is a page of Stripe, with everything that the plan needs", async () => {
        const payer = await fixture.payer();
        const calls = await callsDuring(async () => {
          const { status, body } = await checkout(payer);
          expect(status).toBe(200);
          expect(body.url).toStartWith("https://checkout.stripe.test/");
        });
        expect(callOf(calls, "POST", "/v1/customers")).toEqual({
          name: "Payer",
          email: payer.owner.email,
          "preferred_locales[0]": "en",
          "metadata[organization_id]": payer.id,
        });
        const page = `${fixture.server.url}/o/${payer.slug}/settings/billing`;
        const session = callOf(calls, "POST", "/v1/checkout/sessions");
        expect(session).toMatchObject({
          mode: "subscription",
          customer: fixture.stripe.customerOf(payer.id).id,
          client_reference_id: payer.id,
          "line_items[0][quantity]": "1",
          allow_promotion_codes: "true",
          "tax_id_collection[enabled]": "true",
          "customer_update[name]": "auto",
          "customer_update[address]": "auto",
          "automatic_tax[enabled]": "false",
          locale: "en",
          "metadata[organization_id]": payer.id,
          "subscription_data[metadata][organization_id]": payer.id,
        });
        expect(new URL(session.success_url ?? "").pathname).toBe(new URL(page).pathname);
        expect(new URL(session.success_url ?? "").search).toBe("?checkout=done");
        expect(new URL(session.cancel_url ?? "").search).toBe("?checkout=cancelled");
        expect(session["subscription_data[trial_period_days]"]).toBeUndefined();
        const entries = await payer.owner.api.get(`${payer.path}/audit-log`);
        expect(entries.body.data[0]).toMatchObject({
          action: "organization.checkout_started",
          after: { plan: "pro", interval: "month" },
        });
      });

      test("uses one price per amount and interval, which both spellings of an interval find", async () => {
        const payer = await fixture.payer();
        const prices = new Set<string | undefined>();
        for (const interval of ["month", "monthly", "year", "yearly"]) {
          const calls = await callsDuring(() => checkout(payer, { plan: "pro", interval }));
          prices.add(callOf(calls, "POST", "/v1/checkout/sessions")["line_items[0][price]"]);
        }
        expect(prices.size).toBe(2);
        await setPlan({ monthly_price: 3100 });
        const calls = await callsDuring(() => checkout(payer));
        expect(callOf(calls, "POST", "/v1/prices")).toMatchObject({
          product: "countersign_pro",
          currency: "usd",
          unit_amount: "3100",
          "recurring[interval]": "month",
          lookup_key: "countersign_pro_month_usd_3100",
        });
        await setPlan({ monthly_price: 2900 });
        const later = await callsDuring(() => checkout(payer));
        expect(later.filter(({ path }) => path === "/v1/prices")).toEqual([]);
        expect(prices.has(callOf(later, "POST", "/v1/checkout/sessions")["line_items[0][price]"])).toBe(true);
      });

      test("replaces a price that was archived in Stripe", async () => {
        const payer = await fixture.payer();
        const first = await callsDuring(() => checkout(payer));
        const price = callOf(first, "POST", "/v1/checkout/sessions")["line_items[0][price]"] ?? "";
        fixture.stripe.archive(price);
        const { status } = await checkout(payer);
        expect(status).toBe(200);
      });

      test("renames the product after the plan", async () => {
        const payer = await fixture.payer();
        await checkout(payer);
        await setPlan({ name: "Team" });
        const calls = await callsDuring(() => checkout(payer));
        expect(callOf(calls, "POST", "/v1/products/countersign_pro")).toMatchObject({ name: "Team" });
        await setPlan({ name: "Pro" });
      });

      test("grants a trial once", async () => {
        await setPlan({ trial_days: 14 });
        try {
          const payer = await fixture.payer();
          const calls = await callsDuring(() => checkout(payer));
          const trial = "subscription_data[trial_period_days]";
          expect(callOf(calls, "POST", "/v1/checkout/sessions")[trial]).toBe("14");
          const customer = fixture.stripe.customerOf(payer.id);
          const end = Math.floor(Date.now() / 1000);
          fixture.stripe.subscribe(customer, { status: "canceled", trialEnd: end });
          const again = await callsDuring(() => checkout(payer));
          expect(callOf(again, "POST", "/v1/checkout/sessions")[trial]).toBeUndefined();
        } finally {
          await setPlan({ trial_days: 0 });
        }
      });

      test("calculates taxes if the operator wants that", async () => {
        const { status } = await fixture.admin.api.patch("/admin/settings", { automatic_tax: true });
        expect(status).toBe(200);
        const payer = await fixture.payer();
        const calls = await callsDuring(() => checkout(payer));
        expect(callOf(calls, "POST", "/v1/checkout/sessions")["automatic_tax[enabled]"]).toBe("true");
        await fixture.admin.api.patch("/admin/settings", { automatic_tax: false });
      });

      test("of two at once creates one customer", async () => {
        const payer = await fixture.payer();
        const answers = await Promise.all([checkout(payer), checkout(payer), checkout(payer)]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        const customers = [...fixture.stripe.customers.values()].filter(
          (one) => one.organizationId === payer.id,
        );
        expect(customers).toHaveLength(1);
      });

      test("closes the page before it, so that nobody pays twice", async () => {
        const payer = await fixture.payer();
        for (let page = 0; page < 3; page++) expect((await checkout(payer)).status).toBe(200);
        expect(fixture.stripe.openPages(fixture.stripe.customerOf(payer.id).id)).toBe(1);
      });

      test.each(["deleted in Stripe", "in another mode"])("replaces a customer who is %s", async (where) => {
        const payer = await fixture.payer();
        await checkout(payer);
        const first = fixture.stripe.customerOf(payer.id);
        if (where === "deleted in Stripe") first.isDeleted = true;
        else fixture.stripe.forget(first.id);
        expect((await checkout(payer)).status).toBe(200);
        const second = fixture.stripe.customerOf(payer.id);
        expect(second.id).not.toBe(first.id);
        expect((await payer.billing())?.stripe_customer_id).toBe(second.id);
      });

      test("with an idempotency key is started once", async () => {
        const payer = await fixture.payer();
        const key = { "idempotency-key": `checkout-${payer.id}` };
        const send = () => payer.owner.api.post(`${payer.path}/billing/checkout`, pro, key);
        const first = await send();
        const calls = await callsDuring(async () => {
          const again = await send();
          expect(again.body).toEqual(first.body);
          expect(again.headers.get("idempotent-replayed")).toBe("true");
        });
        expect(calls).toEqual([]);
      });

      test("is refused for a plan without a price", async () => {
        const payer = await fixture.payer();
        const answer = await checkout(payer, { plan: "enterprise", interval: "year" });
        expect([answer.status, answer.body.code]).toEqual([409, "plan_not_for_sale"]);
      });

      test("is refused to a subscriber, also before the event about it has arrived", async () => {
        const payer = await fixture.customer();
        const subscription = fixture.stripe.subscribe(payer.customer);
        const answer = await checkout(payer);
        expect([answer.status, answer.body.code]).toEqual([409, "already_subscribed"]);
        expect((await payer.organization()).plan).toBe("pro");
        subscription.status = "past_due";
        expect((await checkout(payer)).body.code).toBe("already_subscribed");
        subscription.status = "canceled";
        expect((await checkout(payer)).status).toBe(200);
        expect((await payer.organization()).billing_state).toBe("cancelled");
      });

      test("is refused while the operator has set the plan", async () => {
        const payer = await fixture.payer();
        const set = await fixture.admin.api.patch(`/admin/organizations/${payer.id}`, { plan: "enterprise" });
        expect(set.status).toBe(200);
        const answer = await checkout(payer);
        expect([answer.status, answer.body.code]).toEqual([409, "plan_set_by_operator"]);
      });

      test("fails with 502 while Stripe does, and the log has the reason without the key", async () => {
        const payer = await fixture.payer();
        fixture.stripe.fails = ({ params }) =>
          params.get("metadata[organization_id]") === payer.id ? 401 : null;
        const answer = await checkout(payer);
        fixture.stripe.fails = null;
        expect([answer.status, answer.body.code]).toEqual([502, "payment_provider_failed"]);
        expect(fixture.server.output()).toContain("StripeAuthenticationError");
        expect(fixture.server.output()).not.toContain(fixture.settings.secretKey);
        expect((await checkout(payer)).status).toBe(200);
      });

      test("takes no card: its number is refused, and neither stored nor logged nor sent on", async () => {
        const payer = await fixture.payer();
        const number = "4242424242424242";
        const bodies = [
          { ...pro, card: { number, exp_month: 12, exp_year: 2040, cvc: "123" } },
          { ...pro, number },
          { ...pro, plan: number },
          { ...pro, interval: number },
          { ...pro, payment_method_data: { card: { number } } },
        ];
        for (const [index, body] of bodies.entries()) {
          const key = { "idempotency-key": `card-${payer.id}-${index}` };
          const { status, text } = await payer.owner.api.post(`${payer.path}/billing/checkout`, body, key);
          expect(status).toBe(422);
          expect(text).not.toContain(number);
          const portal = await payer.owner.api.post(`${payer.path}/billing/portal`, body, key);
          expect(portal.status).toBe(422);
        }
        expect(await rowsWith(fixture.store, number)).toEqual({});
        expect(fixture.server.output()).not.toContain(number);
        expect(JSON.stringify(fixture.stripe.calls.map(({ params }) => [...params]))).not.toContain(number);
        const keys = await fixture.store.reads
          .selectFrom("idempotency_keys")
          .select("idempotency_key")
          .where("idempotency_key", "like", `card-${payer.id}%`)
          .execute();
        expect(keys).toEqual([]);
      });
    });

    describe("the payment account", () => {
      const portal = (payer: Payer) => payer.owner.api.post(`${payer.path}/billing/portal`);

      test("is a page of Stripe that offers the plans for sale", async () => {
        const payer = await fixture.customer();
        await setPlan({ monthly_price: 2950 });
        const calls = await callsDuring(async () => {
          const { status, body } = await portal(payer);
          expect(status).toBe(200);
          expect(body.url).toStartWith("https://billing.stripe.test/");
        });
        const written = calls.filter(({ path }) => path.startsWith("/v1/billing_portal/configurations"));
        expect(written).toHaveLength(1);
        expect(Object.fromEntries(written[0]?.params ?? [])).toMatchObject({
          "features[subscription_update][enabled]": "true",
          "features[subscription_update][proration_behavior]": "always_invoice",
          "features[subscription_update][products][0][product]": "countersign_pro",
          "features[subscription_cancel][mode]": "at_period_end",
          "features[payment_method_update][enabled]": "true",
          "features[invoice_history][enabled]": "true",
        });
        const session = callOf(calls, "POST", "/v1/billing_portal/sessions");
        expect(session.customer).toBe(payer.customer.id);
        expect(session.return_url).toEndWith(`/o/${payer.slug}/settings/billing`);
        // Without a change of prices, the configuration stays.
        const again = await callsDuring(() => portal(payer));
        expect(again.map(({ path }) => path)).toEqual(["/v1/billing_portal/sessions"]);
        await setPlan({ monthly_price: 2900 });
        const changed = await callsDuring(() => portal(payer));
        expect(changed.some(({ path }) => path.startsWith("/v1/billing_portal/configurations/bpc_"))).toBe(
          true,
        );
      });

      test("replaces prices that were archived in Stripe", async () => {
        const payer = await fixture.customer();
        const first = await callsDuring(() => checkout(payer));
        fixture.stripe.archive(callOf(first, "POST", "/v1/checkout/sessions")["line_items[0][price]"] ?? "");
        await setPlan({ name: "Team", yearly_price: 29_100 });
        expect((await portal(payer)).status).toBe(200);
        await setPlan({ name: "Pro", yearly_price: 29_000 });
      });

      test("is refused to an organization without a customer, also if Stripe does not know it", async () => {
        const payer = await fixture.payer();
        expect((await portal(payer)).body.code).toBe("no_payment_account");
        const other = await fixture.customer();
        fixture.stripe.forget(other.customer.id);
        const answer = await portal(other);
        expect([answer.status, answer.body.code]).toEqual([409, "no_payment_account"]);
      });
    });

    test("invoices are those of the customer, and none without one", async () => {
      const payer = await fixture.payer();
      const none = await payer.owner.api.get(`${payer.path}/billing/invoices`);
      expect(none.body).toEqual({ data: [], next_cursor: null });
      await checkout(payer);
      const calls = await callsDuring(async () => {
        const { status, body } = await payer.owner.api.get(`${payer.path}/billing/invoices`);
        expect(status).toBe(200);
        expect(body.data[0]).toMatchObject({ currency: "usd", created_at: "2009-02-13T23:31:30.000Z" });
      });
      expect(callOf(calls, "GET", "/v1/invoices")).toEqual({
        customer: fixture.stripe.customerOf(payer.id).id,
        limit: "24",
      });
      fixture.stripe.forget(fixture.stripe.customerOf(payer.id).id);
      expect((await payer.owner.api.get(`${payer.path}/billing/invoices`)).body.data).toEqual([]);
    });

    test("permissions: billing:view reads invoices, billing:manage pays, others do neither", async () => {
      const payer = await fixture.customer();
      const [viewer, payingMember, other] = await Promise.all(
        (["billing:view", "billing:manage", "licenses:view"] as const).map((may) =>
          fixture.member([may], payer.id),
        ),
      );
      const tries = async (person: typeof viewer) => {
        const api = person?.api ?? fixture.anonymous;
        return [
          (await api.get(`${payer.path}/billing/invoices`)).status,
          (await api.post(`${payer.path}/billing/checkout`, pro)).status,
          (await api.post(`${payer.path}/billing/portal`)).status,
        ];
      };
      expect(await tries(viewer)).toEqual([200, 403, 403]);
      expect(await tries(payingMember)).toEqual([200, 200, 200]);
      expect(await tries(other)).toEqual([403, 403, 403]);
      expect(await tries(undefined)).toEqual([401, 401, 401]);
      const outsider = await fixture.person();
      expect(await tries({ ...outsider, roleId: "" })).toEqual([404, 404, 404]);
    });
  });

describe.each(databases)("without Stripe on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  test("nothing can be bought, there are no invoices, and events have no path", async () => {
    const path = `/organizations/${fixture.organizationId}/billing`;
    const { api } = fixture.owner;
    for (const answer of [await api.post(`${path}/checkout`, pro), await api.post(`${path}/portal`)])
      expect([answer.status, answer.body.code]).toEqual([409, "payments_unavailable"]);
    expect((await api.get(`${path}/invoices`)).body).toEqual({ data: [], next_cursor: null });
    const event = await sendEvent(fixture.server.url, JSON.stringify(stripeEvent("invoice.paid", "cus_1")));
    const unknown = await fetch(`${fixture.server.url}/api/stripe/nothing`, { method: "POST" });
    expect(event.status).toBe(404);
    expect(event.body).toEqual(await unknown.json());
  });
});

if (stripeMockPath === null) skipWithReason("payments with Stripe's test server", howToGetStripeMock);
else
  describe("with Stripe's own test server, which knows no customer and accepts every valid call", () => {
    let fixture: ManageFixture;
    beforeAll(async () => {
      fixture = await openManageFixture(sqlite.make, {
        COUNTERSIGN_DEFAULT_PLAN: "free",
        COUNTERSIGN_STRIPE_SECRET_KEY: "sk_test_123",
        COUNTERSIGN_STRIPE_WEBHOOK_SECRET: "whsec_123456",
        COUNTERSIGN_STRIPE_URL: await stripeMock(),
      });
      await fixture.store.transaction((db) =>
        db
          .updateTable("plans")
          .set({ monthly_price: 2900, yearly_price: 29000, trial_days: 7 })
          .where("id", "in", ["pro", "enterprise"])
          .execute(),
      );
    });
    afterAll(() => fixture.close());

    test("checkout, payment account and invoices work", async () => {
      const path = `/organizations/${fixture.organizationId}/billing`;
      const { api } = fixture.owner;
      for (const plan of ["pro", "enterprise"]) {
        for (const interval of ["month", "year"]) {
          const { status, body } = await api.post(`${path}/checkout`, { plan, interval });
          expect([plan, interval, status]).toEqual([plan, interval, 200]);
          expect(body.url).toStartWith("https://checkout.stripe.com/");
        }
      }
      for (let time = 0; time < 2; time++) expect((await api.post(`${path}/portal`)).status).toBe(200);
      expect((await api.get(`${path}/invoices`)).body.data).toHaveLength(1);
      const organization = await api.get(`/organizations/${fixture.organizationId}`);
      expect(organization.body.plan).toBe("free");
    });
  });
