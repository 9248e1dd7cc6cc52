import { expect, setDefaultTimeout, test } from "bun:test";
import { stripeWebhookPath } from "@countersign/contract/stripe-webhook";
import { setState } from "@countersign/store/queries/admin/platform-state";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { problemOf } from "../support/answers.ts";
import { signature, stripeEvent } from "../support/fake-stripe.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { openPaymentFixture, type Payer, sendEvent } from "../support/payment-fixture.ts";
import { skipWithReason } from "../support/skip.ts";
import { howToGetStripeMock, stripeMockPath } from "../support/stripe-mock.ts";
import { testsOn } from "../support/tests-on.ts";
import { rowsWith } from "../support/whole-database.ts";

setDefaultTimeout(180_000);

const pro = { plan: "pro", interval: "month" };

/** `checkout.test.ts` and `webhook.test.ts` of the server show what is asked of Stripe, and what its events change. */
if (stripeMockPath === null) skipWithReason("payments", howToGetStripeMock);
else
  testsOn("sqlite", "payments", openPaymentFixture, (fixture) => {
    const checkout = (payer: Payer, body: object = pro, headers: Record<string, string> = {}) =>
      payer.owner.api.post(`${payer.path}/billing/checkout`, body, headers);
    const portal = (payer: Payer) => payer.owner.api.post(`${payer.path}/billing/portal`);
    const invoices = (payer: Payer) => payer.owner.api.get(`${payer.path}/billing/invoices`);
    const lastAction = async ({ owner, path }: Payer) =>
      (await owner.api.get(`${path}/audit-log`)).body.data[0];

    test("a checkout opens a page of Stripe and is recorded, with either spelling of an interval", async () => {
      const payer = await fixture.payer();
      for (const [interval, after] of [
        ["monthly", { plan: "pro", interval: "month" }],
        ["yearly", { plan: "pro", interval: "year" }],
        ["month", pro],
      ] as const) {
        const { status, body } = await checkout(payer, { plan: "pro", interval });
        expect(status).toBe(200);
        expect(body.url).toStartWith("https://checkout.stripe.test/");
        expect(await lastAction(payer)).toMatchObject({ action: "organization.checkout_started", after });
      }
    });

    test("a checkout with an idempotency key is started once", async () => {
      const payer = await fixture.payer();
      const key = { "idempotency-key": `checkout-${payer.id}` };
      const first = await checkout(payer, pro, key);
      const before = fixture.stripe.calls.length;
      const again = await checkout(payer, pro, key);
      expect(again.body).toEqual(first.body);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
      expect(fixture.stripe.calls).toHaveLength(before);
    });

    test("a checkout is refused to a subscriber, with 409 and the reason", async () => {
      const payer = await fixture.customer();
      fixture.stripe.subscribe(payer.customer);
      const answer = await checkout(payer);
      expect(problemOf(answer)).toEqual([409, "already_subscribed"]);
    });

    test("a checkout fails with 502 while Stripe does, and the log has the reason without the key", async () => {
      const payer = await fixture.payer();
      fixture.stripe.fails = ({ params }) =>
        params.get("metadata[organization_id]") === payer.id ? 401 : null;
      const answer = await checkout(payer);
      fixture.stripe.fails = null;
      expect(problemOf(answer)).toEqual([502, "payment_provider_failed"]);
      expect(fixture.server.output()).toContain("StripeAuthenticationError");
      expect(fixture.server.output()).not.toContain(fixture.stripe.settings.secretKey);
      expect((await checkout(payer)).status).toBe(200);
    });

    test("a card is not taken: its number is refused, and neither stored nor logged nor sent on", async () => {
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
        const { status, text } = await checkout(payer, body, key);
        expect(status).toBe(422);
        expect(text).not.toContain(number);
        const opened = await payer.owner.api.post(`${payer.path}/billing/portal`, body, key);
        expect(opened.status).toBe(422);
      }
      for (const text of [number, `card-${payer.id}`])
        expect(await rowsWith(fixture.store, text)).toEqual({});
      expect(fixture.server.output()).not.toContain(number);
      expect(JSON.stringify(fixture.stripe.calls.map(({ params }) => [...params]))).not.toContain(number);
    });

    test("the payment account is a page of Stripe for those who have paid, which is recorded", async () => {
      const none = await portal(await fixture.payer());
      expect(problemOf(none)).toEqual([409, "no_payment_account"]);
      const payer = await fixture.customer();
      const { status, body } = await portal(payer);
      expect(status).toBe(200);
      expect(body.url).toStartWith("https://billing.stripe.test/");
      expect(await lastAction(payer)).toMatchObject({ action: "organization.payment_account_opened" });
    });

    test("invoices are those of the customer, and none without one", async () => {
      const payer = await fixture.payer();
      expect((await invoices(payer)).body).toEqual({ data: [], next_cursor: null });
      await checkout(payer);
      const { id } = fixture.stripe.customerOf(payer.id);
      const { status, body } = await invoices(payer);
      expect(status).toBe(200);
      expect(body.data[0]).toMatchObject({ currency: "usd", created_at: "2009-02-13T23:31:30.000Z" });
      const asked = fixture.stripe.calls.findLast(({ path }) => path === "/v1/invoices");
      expect(Object.fromEntries(asked?.params ?? [])).toEqual({ customer: id, limit: "24" });
      fixture.stripe.forget(id);
      expect((await invoices(payer)).body.data).toEqual([]);
    });

    test("GET billing names whom to ask, and whether payments can be made and managed", async () => {
      const [payer, other] = [await fixture.customer(), await fixture.payer()];
      await fixture.store.transaction((db) => setState(db, "billing_contact", "sales@example.com"));
      const read = async ({ owner, path }: Payer) => (await owner.api.get(`${path}/billing`)).body;
      const shown = { payments_available: true, contact: "sales@example.com" };
      expect(await read(payer)).toMatchObject({ ...shown, can_manage_payments: true });
      expect(await read(other)).toMatchObject({ ...shown, can_manage_payments: false });
    });

    test("a payment that an event reports ends a suspension for the next validation", async () => {
      const payer = await fixture.customer();
      fixture.stripe.subscribe(payer.customer);
      const suspended = { billing_state: "suspended", grace_ends_at: null } as const;
      await fixture.store.transaction((db) => updateOrganization(db, payer.id, suspended));
      expect(await payer.validated()).toBe("billing_suspended");
      const { status, body } = await fixture.deliver(stripeEvent("invoice.paid", payer.customer.id));
      expect([status, body]).toEqual([200, { received: true }]);
      expect(await payer.validated()).toBe("active");
    });

    test("a forged event gets a problem with the ID of its request", async () => {
      const event = JSON.stringify(stripeEvent("invoice.paid", "cus_1"));
      const { status, body, headers } = await sendEvent(fixture.url, event);
      expect([status, body.code]).toEqual([400, "invalid_stripe_signature"]);
      expect(headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
      expect(body.request_id).toBe(headers.get("x-request-id"));
    });

    test("an event of 1 MB is refused, signed or not", async () => {
      const payload = JSON.stringify(stripeEvent("invoice.paid", null, { padding: "x".repeat(1_000_000) }));
      const header = await signature(payload, fixture.stripe.settings.webhookSecret);
      const signed = await sendEvent(fixture.url, payload, { "stripe-signature": header });
      expect(problemOf(signed)).toEqual([413, "body_too_large"]);
      const unsigned = await sendEvent(fixture.url, payload);
      expect(problemOf(unsigned)).toEqual([400, "invalid_stripe_signature"]);
    });

    test.each(["GET", "PUT", "DELETE", "OPTIONS"])(
      "%s is not allowed where events arrive",
      async (method) => {
        const response = await fetch(fixture.url + stripeWebhookPath, { method });
        expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
        expect(await response.json()).toMatchObject({ code: "method_not_allowed" });
      },
    );
  });

testsOn("sqlite", "without Stripe", openManageFixture, (fixture) => {
  test("nothing can be bought, there are no invoices, and events have no path", async () => {
    const path = `/organizations/${fixture.organizationId}/billing`;
    const { api } = fixture.owner;
    for (const answer of [await api.post(`${path}/checkout`, pro), await api.post(`${path}/portal`)])
      expect(problemOf(answer)).toEqual([409, "payments_unavailable"]);
    expect((await api.get(`${path}/invoices`)).body).toEqual({ data: [], next_cursor: null });
    const event = await sendEvent(fixture.url, JSON.stringify(stripeEvent("invoice.paid", "cus_1")));
    const unknown = await fetch(`${fixture.url}/api/stripe/nothing`, { method: "POST" });
    expect(event.status).toBe(404);
    expect(event.body).toEqual(await unknown.json());
  });
});
