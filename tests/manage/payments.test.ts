import { expect, setDefaultTimeout, test } from "bun:test";
import { stripeWebhookPath } from "@countersign/contract/openapi/stripe-webhook";
import { setState } from "@countersign/store/queries/admin/platform-state";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { problemOf } from "../support/answers.ts";
import { apiOf } from "../support/api.ts";
import type { TestDatabase } from "../support/databases.ts";
import { signature, startFakeStripe, stripeEvent } from "../support/fake-stripe.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { skipWithReason } from "../support/skip.ts";
import { howToGetStripeMock, stripeMockPath } from "../support/stripe-mock.ts";
import { testsOn } from "../support/tests-on.ts";
import { rowsWith } from "../support/whole-database.ts";

setDefaultTimeout(180_000);

const pro = { plan: "pro", interval: "month" };

/** A server that takes payments with a fake Stripe. */
async function openWithStripe(make: () => Promise<TestDatabase>) {
  const stripe = await startFakeStripe();
  const environment = { COUNTERSIGN_DEFAULT_PLAN: "free", ...stripe.environment };
  const fixture = await openManageFixture(make, { why: "takes payments", environment });
  const close = async () => {
    await fixture.close();
    await stripe.close();
  };
  return { ...fixture, stripe, close };
}

/** Any bytes to where events arrive. */
async function sendEvent(url: string, payload: string, signedWith?: string) {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (signedWith !== undefined) headers["stripe-signature"] = await signature(payload, signedWith);
  const response = await fetch(url + stripeWebhookPath, { method: "POST", body: payload, headers });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
}

/** `checkout.test.ts` and `webhook.test.ts` of the server show what is asked of Stripe, and what its events change. */
if (stripeMockPath === null) skipWithReason("payments", howToGetStripeMock);
else
  testsOn("sqlite", "payments", openWithStripe, (fixture) => {
    /** A new organization on Free. */
    const payer = async () => {
      const { api } = await fixture.person();
      const { body } = await api.post("/organizations", { name: "Payer" });
      const path = `/organizations/${body.id}`;
      return {
        id: String(body.id),
        api,
        path,
        checkout: (order: object = pro, headers: Record<string, string> = {}) =>
          api.post(`${path}/billing/checkout`, order, headers),
        portal: (order?: object) => api.post(`${path}/billing/portal`, order),
        invoices: async () => (await api.get(`${path}/billing/invoices`)).body,
        lastAction: async () => (await api.get(`${path}/audit-log`)).body.data[0],
      };
    };

    test("a checkout opens a page of Stripe and is recorded, with either spelling of an interval, and once for a key", async () => {
      const { id, checkout, lastAction } = await payer();
      for (const [interval, after] of [
        ["monthly", pro],
        ["yearly", { plan: "pro", interval: "year" }],
      ] as const) {
        const { status, body } = await checkout({ plan: "pro", interval });
        expect(status).toBe(200);
        expect(body.url).toStartWith("https://checkout.stripe.test/");
        expect(await lastAction()).toMatchObject({ action: "organization.checkout_started", after });
      }
      const key = { "idempotency-key": `checkout-${id}` };
      const first = await checkout(pro, key);
      const before = fixture.stripe.calls.length;
      expect((await checkout(pro, key)).body).toEqual(first.body);
      expect(fixture.stripe.calls).toHaveLength(before);
    });

    test("a checkout fails with 502 while Stripe does, and the log has the reason without the key", async () => {
      const { id, checkout } = await payer();
      fixture.stripe.fails = ({ params }) => (params.get("metadata[organization_id]") === id ? 401 : null);
      const answer = await checkout();
      fixture.stripe.fails = null;
      expect(problemOf(answer)).toEqual([502, "payment_provider_failed"]);
      expect(fixture.server.output()).toContain("StripeAuthenticationError");
      expect(fixture.server.output()).not.toContain(fixture.stripe.settings.secretKey);
      expect((await checkout()).status).toBe(200);
    });

    test("a card is not taken: its number is refused, and neither stored nor logged nor sent on", async () => {
      const { id, api, path } = await payer();
      const number = "4242424242424242";
      const bodies = [
        { ...pro, card: { number, exp_month: 12, exp_year: 2040, cvc: "123" } },
        { ...pro, number },
        { ...pro, plan: number },
        { ...pro, interval: number },
      ];
      for (const [index, body] of bodies.entries()) {
        const key = { "idempotency-key": `card-${id}-${index}` };
        for (const page of ["checkout", "portal"]) {
          const { status, text } = await api.post(`${path}/billing/${page}`, body, key);
          expect([status, text.includes(number)]).toEqual([422, false]);
        }
      }
      for (const text of [number, `card-${id}`]) expect(await rowsWith(fixture.store, text)).toEqual({});
      expect(fixture.server.output()).not.toContain(number);
      expect(JSON.stringify(fixture.stripe.calls.map(({ params }) => [...params]))).not.toContain(number);
    });

    test("after a checkout, the payment account and the invoices are those of the customer", async () => {
      const { id, api, path, checkout, portal, invoices, lastAction } = await payer();
      await fixture.store.transaction((db) => setState(db, "billing_contact", "sales@example.com"));
      const billing = async () => (await api.get(`${path}/billing`)).body;
      const available = { payments_available: true, contact: "sales@example.com" };
      const none = { data: [], next_cursor: null };
      expect(await billing()).toMatchObject({ ...available, can_manage_payments: false });
      expect(problemOf(await portal())).toEqual([409, "no_payment_account"]);
      expect(await invoices()).toEqual(none);
      await checkout();
      const customer = fixture.stripe.customerOf(id);
      expect(await billing()).toMatchObject({ ...available, can_manage_payments: true });
      const { status, body } = await portal();
      expect(status).toBe(200);
      expect(body.url).toStartWith("https://billing.stripe.test/");
      expect(await lastAction()).toMatchObject({ action: "organization.payment_account_opened" });
      const invoice = { currency: "usd", created_at: "2009-02-13T23:31:30.000Z" };
      expect((await invoices()).data).toMatchObject([invoice]);
      const asked = fixture.stripe.calls.findLast((call) => call.path === "/v1/invoices");
      expect(Object.fromEntries(asked?.params ?? [])).toEqual({ customer: customer.id, limit: "24" });
      fixture.stripe.subscribe(customer);
      expect(problemOf(await checkout())).toEqual([409, "already_subscribed"]);
      fixture.stripe.forget(customer.id);
      expect(await invoices()).toEqual(none);
    });

    test("a payment that an event reports ends a suspension for the next validation", async () => {
      const { id, api, path, checkout } = await payer();
      const { body: product } = await api.post(`${path}/products`, { name: "Tool" });
      const buyer = { customer_email: "customer@example.com" };
      const { body: license } = await api.post(`/products/${product.id}/licenses`, buyer);
      const publicApi = apiOf(fixture.url, product.api_key);
      const validated = async () =>
        (await publicApi.validate({ license_key: license.license_key })).body.status;
      await checkout();
      const { settings, customerOf, subscribe } = fixture.stripe;
      subscribe(customerOf(id));
      const suspended = { billing_state: "suspended", grace_ends_at: null } as const;
      await fixture.store.transaction((db) => updateOrganization(db, id, suspended));
      expect(await validated()).toBe("billing_suspended");
      const event = JSON.stringify(stripeEvent("invoice.paid", customerOf(id).id));
      const { status, body } = await sendEvent(fixture.url, event, settings.webhookSecret);
      expect([status, body]).toEqual([200, { received: true }]);
      expect(await validated()).toBe("active");
    });

    test("an event of Stripe that is forged, has 1 MB or is not posted is refused", async () => {
      const forged = await sendEvent(fixture.url, JSON.stringify(stripeEvent("invoice.paid", "cus_1")));
      expect(problemOf(forged)).toEqual([400, "invalid_stripe_signature"]);
      expect(forged.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
      expect(forged.body.request_id).toBe(forged.headers.get("x-request-id"));
      const long = JSON.stringify(stripeEvent("invoice.paid", null, { padding: "x".repeat(1_000_000) }));
      const signed = await sendEvent(fixture.url, long, fixture.stripe.settings.webhookSecret);
      expect(problemOf(signed)).toEqual([413, "body_too_large"]);
      expect(problemOf(await sendEvent(fixture.url, long))).toEqual([400, "invalid_stripe_signature"]);
      for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
        const response = await fetch(fixture.url + stripeWebhookPath, { method });
        expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
        expect(await response.json()).toMatchObject({ code: "method_not_allowed" });
      }
    });
  });

testsOn("sqlite", "servers without Stripe", openManageFixture, (fixture) => {
  test("without Stripe, nothing can be bought, there are no invoices, and events have no path", async () => {
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
