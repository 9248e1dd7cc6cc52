import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { updateBilling } from "@countersign/store/queries/billing/billing";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import {
  type FakeCustomer,
  type FakeEvent,
  type FakeSubscription,
  signature,
  stripeEvent,
} from "../../../../tests/support/fake-stripe.ts";
import { listed } from "../../../../tests/support/listed.ts";
import { openPayments, type Payer, type Payments } from "../../../../tests/support/payers.ts";
import { onDatabase, type QueryFixture } from "../../../../tests/support/query-tests.ts";
import { skipWithReason } from "../../../../tests/support/skip.ts";
import { howToGetStripeMock, stripeMockPath } from "../../../../tests/support/stripe-mock.ts";
import { readEvent, StripeWebhook } from "./webhook.ts";

const pro = { plan: "pro", state: "active" };
const overdue = { plan: "pro", state: "grace" };
const ended = { plan: "free", state: "cancelled" };

/** What happens in Stripe, one after the other: the status, and the event that says so. */
const renewalFails = ["past_due", "invoice.payment_failed"] as const;
const renewalIsPaid = ["active", "invoice.paid"] as const;
const isCancelled = ["canceled", "customer.subscription.deleted"] as const;

/** Every order in which two or three steps can happen (1, 2, 3), and their events (a, b, c) arrive some time later. */
const ofTwo = listed("1a2b 12ab 12ba");
const ofThree = listed(
  "1a2b3c 1a23bc 1a23cb 12ab3c 12ba3c 12a3bc 12a3cb 12b3ac 12b3ca 123abc 123acb 123bac 123bca 123cab 123cba",
);

/** The receivers of two nodes, and what they recorded. */
function receiversOf(fixture: QueryFixture, payments: Payments) {
  const nodes: StripeWebhook[] = [];
  const node = (index: number) => {
    nodes[index] ??= new StripeWebhook(payments.parts, payments.log);
    return nodes[index];
  };
  const receive = async (payload: string, header: string | null, index = 0) => {
    const headers: Record<string, string> = header === null ? {} : { "stripe-signature": header };
    const request = new Request("https://countersign.example/", { method: "POST", body: payload, headers });
    const response = await node(index).handle(request, "request-1");
    const { code, ...body } = JSON.parse(await response.text());
    return { status: response.status, retryAfter: response.headers.get("retry-after"), code, body };
  };
  const signed = (payload: string, signedAtMs?: number) =>
    signature(payload, payments.stripe.settings.webhookSecret, signedAtMs);
  const deliver = async (event: FakeEvent, at: { signedAtMs?: number; index?: number } = {}) => {
    const payload = JSON.stringify(event);
    return receive(payload, await signed(payload, at.signedAtMs), at.index);
  };
  return {
    receive,
    signed,
    deliver,
    arrive: async (type: string, { id }: FakeCustomer) => {
      const { status, body } = await deliver(stripeEvent(type, id));
      expect([status, body]).toEqual([200, { received: true }]);
    },
    recorded: (eventId: string) => fixture.rows("stripe_events", { id: eventId }),
    changesOf: async ({ id }: Payer) => {
      const entries = await fixture.rows("audit_log", { organization_id: id });
      return entries.map(({ action, actor_name }) => [action, actor_name]);
    },
  };
}

if (stripeMockPath === null) skipWithReason("events of Stripe", howToGetStripeMock);
else {
  onDatabase("postgres", "the receiver of Stripe's events", (fixture) => {
    const payments = openPayments(fixture);
    const { arrive, changesOf, deliver, receive, recorded, signed } = receiversOf(fixture, payments);

    test.each([
      ["a renewal fails and is paid", [renewalFails, renewalIsPaid], ofTwo, pro],
      ["a renewal is paid and the next fails", [renewalIsPaid, renewalFails], ofTwo, overdue],
      ["a renewal fails, is paid, and it ends", [renewalFails, renewalIsPaid, isCancelled], ofThree, ended],
    ] as const)("if %s, the state is that of Stripe in every order", async (_, steps, orders, final) => {
      for (const order of orders) {
        const payer = await payments.subscriber();
        for (const one of order) {
          const [happened] = steps["123".indexOf(one)] ?? [];
          const [, event] = steps["abc".indexOf(one)] ?? [];
          if (happened !== undefined) payer.subscription.status = happened;
          if (event === undefined) continue;
          await arrive(event, payer.customer);
          // Whatever the event was, the state is that of Stripe.
          expect((await payer.billing())?.subscription_status).toBe(payer.subscription.status as never);
        }
        expect([order, await payer.state()]).toEqual([order, final]);
      }
    });

    test("an event grants the plan that was paid, and its end is Free", async () => {
      const payer = await payments.subscriber();
      const { subscription, customer } = payer;
      expect(await payer.state()).toEqual(pro);
      expect(await payer.billing()).toMatchObject({
        ...{ plan_set_by: "subscription", subscription_id: subscription.id, subscription_status: "active" },
        ...{ subscription_plan: "pro", subscription_interval: "month", subscription_amount: 2900 },
        ...{ subscription_currency: "usd", period_ends_at: subscription.periodEnd * 1000, cancels_at: null },
      });
      subscription.cancelAtPeriodEnd = true;
      await arrive("customer.subscription.updated", customer);
      expect(await payer.billing()).toMatchObject({ cancels_at: subscription.periodEnd * 1000 });
      expect(await payer.state()).toEqual(pro);
      subscription.status = "canceled";
      await arrive("customer.subscription.deleted", customer);
      expect(await payer.state()).toEqual(ended);
      const change = ["organization.plan_changed", "Stripe"];
      expect(await changesOf(payer)).toEqual([change, change]);
    });

    const trialEnd = Math.floor(Date.now() / 1000) + 14 * 86_400;
    const yearly = { product: "countersign_enterprise", interval: "year", amount: 99_000 } as const;
    const stored = { subscription_interval: "year", subscription_amount: 99_000 };
    const trial = { had_trial: 1, trial_ends_at: trialEnd * 1000 };
    test.each<[what: string, changes: Partial<FakeSubscription>, plan: string, billing: object]>([
      ["applies another plan and interval", yearly, "enterprise", stored],
      ["ignores a subscription to something else", { product: "prod_shirts" }, "free", {}],
      ["grants the plan for a trial, which is remembered", { status: "trialing", trialEnd }, "pro", trial],
    ])("an event %s", async (_, changes, plan, billing) => {
      const payer = await payments.payer();
      payments.stripe.subscribe(payer.customer, changes);
      await arrive("customer.subscription.created", payer.customer);
      expect<object>(await payer.state()).toEqual({ plan, state: "active" });
      expect(await payer.billing()).toMatchObject(billing);
    });

    test("an event that arrives on two nodes at once with others changes the plan once, and is recorded once", async () => {
      const payer = await payments.payer();
      payments.stripe.subscribe(payer.customer);
      const event = stripeEvent("customer.subscription.created", payer.customer.id);
      const others = Array.from({ length: 5 }, () => stripeEvent("invoice.paid", payer.customer.id));
      const answers = await Promise.all(
        [event, event, event, event, event, ...others].map((one, at) => deliver(one, { index: at % 2 })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(await payer.state()).toEqual(pro);
      expect(await changesOf(payer)).toHaveLength(1);
      expect(await recorded(event.id)).toHaveLength(1);
    });

    test("an event about another account, an unknown customer or a deleted organization is recorded and ignored", async () => {
      const payer = await payments.subscriber();
      const before = [payments.stripe.reads(payer.customer), await payer.state()];
      payer.subscription.status = "canceled";
      const ends = "customer.subscription.deleted";
      const account = { account: "acct_other" };
      for (const event of [stripeEvent(ends, payer.customer.id, account), stripeEvent(ends, "cus_unknown")]) {
        expect((await deliver(event)).status).toBe(200);
        expect(await recorded(event.id)).toMatchObject([{ organization_id: null }]);
      }
      expect([payments.stripe.reads(payer.customer), await payer.state()]).toEqual(before);
      const billing = await payer.billing();
      await fixture.write((db) => updateOrganization(db, payer.id, { deleted_at: Date.now() }));
      const event = stripeEvent(ends, payer.customer.id);
      expect((await deliver(event)).status).toBe(200);
      expect(await recorded(event.id)).toMatchObject([{ organization_id: payer.id }]);
      expect(await payer.billing()).toEqual(billing as never);
      expect(await payer.state()).toEqual(pro);
    });

    test("an event about a customer who was deleted in Stripe ends the subscription, and about an unknown one nothing", async () => {
      const unknown = await payments.subscriber();
      payments.stripe.forget(unknown.customer.id);
      await arrive("invoice.payment_failed", unknown.customer);
      expect(await unknown.state()).toEqual(pro);
      const payer = await payments.subscriber();
      payer.customer.isDeleted = true;
      const about = { object: { object: "customer", id: payer.customer.id } };
      expect((await deliver(stripeEvent("customer.deleted", null, { data: about }))).status).toBe(200);
      expect(await payer.state()).toEqual(ended);
    });

    test("an event does not change a plan that the operator set", async () => {
      const payer = await payments.subscriber();
      await fixture.write(async (db) => {
        await updateOrganization(db, payer.id, { plan: "enterprise" });
        await updateBilling(db, payer.id, { plan_set_by: "operator" });
      });
      payer.subscription.status = "canceled";
      await arrive("customer.subscription.deleted", payer.customer);
      expect(await payer.state()).toEqual({ plan: "enterprise", state: "active" });
      expect(await payer.billing()).toMatchObject({ subscription_status: "canceled" });
    });

    test.each([500, 429, 401])(
      "an event is not processed while Stripe answers %i, and applied later",
      async (failure) => {
        const payer = await payments.subscriber();
        const { stripe } = payments;
        payer.subscription.status = "past_due";
        const event = stripeEvent("invoice.payment_failed", payer.customer.id);
        stripe.fails = ({ params }) => (params.get("customer") === payer.customer.id ? failure : null);
        const failed = await deliver(event);
        stripe.fails = null;
        expect(failed).toMatchObject({ status: 503, code: "event_not_processed", retryAfter: "60" });
        expect(await recorded(event.id)).toEqual([]);
        expect(await payer.state()).toEqual(pro);
        expect((await deliver(event)).status).toBe(200);
        expect(await payer.state()).toEqual(overdue);
        expect(payments.logged()).not.toContain(stripe.settings.secretKey);
      },
    );

    test.each([
      ["does not overwrite a newer one on the same node", 0, false, pro],
      ["does not overwrite a newer one on another node", 1, false, pro],
      ["is applied if a newer one fails", 0, true, overdue],
    ])("an event whose fetch is slow %s", async (_, index, newerFails, final) => {
      const { stripe } = payments;
      const payer = await payments.subscriber();
      payer.subscription.status = "past_due";
      const slow = stripe.holdNextRead();
      const older = deliver(stripeEvent("invoice.payment_failed", payer.customer.id));
      await slow.arrived;
      if (newerFails)
        stripe.fails = ({ params }) => (params.get("customer") === payer.customer.id ? 500 : null);
      else payer.subscription.status = "active";
      const newer = await deliver(stripeEvent("invoice.paid", payer.customer.id), { index });
      stripe.fails = null;
      slow.release();
      expect([newer.status, (await older).status]).toEqual([newerFails ? 503 : 200, 200]);
      expect(await payer.state()).toEqual(final);
      const billing = await payer.billing();
      if (!newerFails)
        expect(billing).toMatchObject({ subscription_status: "active", sync_applied: billing?.sync_started });
    });

    test.each<[name: string, header: (payload: string) => Promise<string | null>]>([
      ["no signature", async () => null],
      ["an empty signature", async () => ""],
      ["nonsense as a signature", async () => "t=1,v1=,v0=x"],
      ["the secret of another", (payload) => signature(payload, "whsec_other")],
      ["the signature of another body", (payload) => signed(`${payload} `)],
      ["an old scheme", async (payload) => (await signed(payload)).replace("v1=", "v0=")],
    ])("an event with %s is refused, and nothing is parsed or recorded", async (_, headerOf) => {
      const payer = await payments.subscriber();
      payer.subscription.status = "canceled";
      const event = stripeEvent("customer.subscription.deleted", payer.customer.id);
      const before = payments.stripe.reads(payer.customer);
      for (const payload of [JSON.stringify(event), "not JSON", "[".repeat(10_000)]) {
        const { status, code } = await receive(payload, await headerOf(payload));
        expect([status, code]).toEqual([400, "invalid_stripe_signature"]);
      }
      expect(payments.stripe.reads(payer.customer)).toBe(before);
      expect(await recorded(event.id)).toEqual([]);
      expect(await payer.state()).toEqual(pro);
    });

    test("an event that is replayed after a day is refused, and without effect if it is signed again", async () => {
      const payer = await payments.subscriber();
      const event = stripeEvent("invoice.paid", payer.customer.id);
      await deliver(event);
      payer.subscription.status = "past_due";
      const before = payments.stripe.reads(payer.customer);
      const old = await deliver(event, { signedAtMs: Date.now() - dayMs });
      expect([old.status, old.code]).toEqual([400, "invalid_stripe_signature"]);
      expect(await deliver(event)).toMatchObject({ status: 200, body: { received: true } });
      expect(payments.stripe.reads(payer.customer)).toBe(before);
      expect(await recorded(event.id)).toMatchObject([{ type: "invoice.paid", organization_id: payer.id }]);
      expect(await payer.state()).toEqual(pro);
    });

    test("a signed body is refused if it is not JSON, and ignored if it is of another shape", async () => {
      const answerTo = async (payload: string) => {
        const { status, code } = await receive(payload, await signed(payload));
        return [status, code];
      };
      expect(await answerTo('{"id":')).toEqual([400, "malformed_json"]);
      for (const payload of ["null", "{}", '{"id":"evt_x","type":"invoice.paid"}'])
        expect(await answerTo(payload)).toEqual([200, undefined]);
    });
  });
}

const about = (object: unknown) => ({ data: { object } });

test.each<[name: string, event: object, customer: string | null]>([
  ["a subscription", { type: "customer.subscription.updated", ...about({ customer: "cus_1" }) }, "cus_1"],
  ["an expanded customer", { type: "invoice.paid", ...about({ customer: { id: "cus_1" } }) }, "cus_1"],
  ["a checkout", { type: "checkout.session.completed", ...about({ customer: "cus_1" }) }, "cus_1"],
  ["a deletion", { type: "customer.deleted", ...about({ object: "customer", id: "cus_1" }) }, "cus_1"],
  ["another account", { type: "invoice.paid", account: "acct_1", ...about({ customer: "cus_1" }) }, null],
  ["something else", { type: "charge.succeeded", ...about({ customer: "cus_1" }) }, null],
  ["no customer", { type: "checkout.session.completed", ...about({ customer: null }) }, null],
  ["a number", { type: "invoice.paid", ...about({ customer: 1 }) }, null],
  ["an invalid ID", { type: "invoice.paid", ...about({ customer: "cus\0" }) }, null],
  ["a list", { type: "invoice.paid", ...about([]) }, null],
  ["nothing", { type: "invoice.paid", data: null }, null],
])("an event about %s is read with the customer whom it affects, if any", (_, event, customerId) => {
  expect(readEvent({ id: "evt_1", ...event })).toMatchObject({ id: "evt_1", customerId });
});

test("a value without an ID and a type is no event", () => {
  for (const value of [null, 1, "evt", [], {}, { id: 1, type: "a" }, { id: "evt_1" }, { id: "", type: "a" }])
    expect([value, readEvent(value)]).toEqual([value, null]);
});
