import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { stripeWebhookPath } from "@countersign/contract/stripe-webhook";
import { dayMs } from "@countersign/domain/dates/lengths";
import { databases, postgres } from "../support/databases.ts";
import { type FakeCustomer, signature, stripeEvent } from "../support/fake-stripe.ts";
import {
  openPaymentFixture,
  type Payer,
  type PaymentFixture,
  sendEvent,
} from "../support/payment-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { skipWithReason } from "../support/skip.ts";
import { howToGetStripeMock, stripeMockPath } from "../support/stripe-mock.ts";

setDefaultTimeout(180_000);

/** What happens in Stripe, one after the other, and the event that each step sends. */
interface Step {
  readonly event: string;
  happen(customer: FakeCustomer): void;
}

const renewalFails: Step = {
  event: "invoice.payment_failed",
  happen: ({ subscriptions: [current] }) => set(current, "past_due"),
};
const renewalIsPaid: Step = {
  event: "invoice.paid",
  happen: ({ subscriptions: [current] }) => set(current, "active"),
};
const isCancelled: Step = {
  event: "customer.subscription.deleted",
  happen: ({ subscriptions: [current] }) => set(current, "canceled"),
};

function set(subscription: { status: string } | undefined, status: string): void {
  if (subscription !== undefined) subscription.status = status;
}

const stories: readonly [name: string, steps: readonly Step[], final: { plan: string; state: string }][] = [
  ["a renewal fails and is paid", [renewalFails, renewalIsPaid], { plan: "pro", state: "active" }],
  ["a renewal is paid and the next fails", [renewalIsPaid, renewalFails], { plan: "pro", state: "grace" }],
  [
    "a renewal fails, is paid, and the subscription ends",
    [renewalFails, renewalIsPaid, isCancelled],
    { plan: "free", state: "cancelled" },
  ],
];

/**
 * Every order in which the steps can happen and their events can arrive: the steps in their own order, each event some
 * time after its step. A number is a step, and a primed one the arrival of its event.
 */
function ordersOf(steps: number): string[][] {
  const found: string[][] = [];
  const extend = (order: string[], happened: number, arrived: ReadonlySet<number>) => {
    if (arrived.size === steps) found.push(order);
    if (happened < steps) extend([...order, `${happened + 1}`], happened + 1, arrived);
    for (let step = 0; step < happened; step++) {
      if (!arrived.has(step)) extend([...order, `${step + 1}'`], happened, new Set([...arrived, step]));
    }
  };
  extend([], 0, new Set());
  return found;
}

test("the orders of three steps include every permutation of their events", () => {
  expect(ordersOf(2)).toHaveLength(3);
  expect(ordersOf(3)).toHaveLength(15);
  const arrivals = ordersOf(3).map((order) => order.filter((one) => one.endsWith("'")).join(""));
  expect(new Set(arrivals).size).toBe(6);
});

if (stripeMockPath === null) skipWithReason("events of Stripe", howToGetStripeMock);
else
  describe.each(databases)("events of Stripe on $kind", ({ make }) => {
    let fixture: PaymentFixture;
    beforeAll(async () => {
      fixture = await openPaymentFixture(make);
    });
    afterAll(() => fixture.close());

    /** An organization that pays for Pro. */
    const subscriber = async () => {
      const payer = await fixture.customer();
      const subscription = fixture.stripe.subscribe(payer.customer);
      await arrive("customer.subscription.created", payer.customer);
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
      return { ...payer, subscription };
    };

    const arrive = async (type: string, { id }: FakeCustomer) => {
      const answer = await fixture.deliver(stripeEvent(type, id));
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ received: true });
    };

    const stateOf = async (payer: Payer) => {
      const { plan, billing_state: state } = await payer.organization();
      return { plan, state };
    };

    const reads = ({ id }: FakeCustomer) =>
      fixture.stripe.calls.filter(
        ({ method, path, params }) =>
          method === "GET" && path === "/v1/subscriptions" && params.get("customer") === id,
      ).length;

    const recorded = async (eventId: string) =>
      fixture.store.reads.selectFrom("stripe_events").selectAll().where("id", "=", eventId).execute();

    const changesOf = async (payer: Payer) => {
      const entries = await fixture.store.reads
        .selectFrom("audit_log")
        .select(["action", "after", "actor_name"])
        .where("organization_id", "=", payer.id)
        .where("action", "in", ["organization.plan_changed", "organization.billing_changed"])
        .orderBy("id")
        .execute();
      return entries.map(({ action, actor_name }) => [action, actor_name]);
    };

    describe.each(stories)("%s", (_, steps, final) => {
      test.each(ordersOf(steps.length).map((order) => [order.join(" "), order] as const))(
        "in the order %s",
        async (_name, order) => {
          const payer = await subscriber();
          let happened = -1;
          for (const one of order) {
            const step = steps[Number.parseInt(one, 10) - 1];
            if (step === undefined) throw new Error("There is no such step.");
            if (one.endsWith("'")) {
              await arrive(step.event, payer.customer);
              // Whatever the event was, the state is that of Stripe.
              expect((await payer.billing())?.subscription_status).toBe(payer.subscription.status as never);
            } else {
              step.happen(payer.customer);
              happened += 1;
            }
          }
          expect(happened).toBe(steps.length - 1);
          expect(await stateOf(payer)).toEqual(final as never);
        },
      );
    });

    test("a payment grants the plan, and its end is Free", async () => {
      const payer = await subscriber();
      expect(await payer.billing()).toMatchObject({
        plan_set_by: "subscription",
        subscription_id: payer.subscription.id,
        subscription_status: "active",
        subscription_plan: "pro",
        subscription_interval: "month",
        subscription_amount: 2900,
        subscription_currency: "usd",
        period_ends_at: payer.subscription.periodEnd * 1000,
        cancels_at: null,
      });
      payer.subscription.cancelAtPeriodEnd = true;
      await arrive("customer.subscription.updated", payer.customer);
      expect(await payer.billing()).toMatchObject({ cancels_at: payer.subscription.periodEnd * 1000 });
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
      payer.subscription.status = "canceled";
      await arrive("customer.subscription.deleted", payer.customer);
      expect(await stateOf(payer)).toEqual({ plan: "free", state: "cancelled" });
      expect(await payer.validated()).toBe("active");
      expect(await changesOf(payer)).toEqual([
        ["organization.plan_changed", "Stripe"],
        ["organization.plan_changed", "Stripe"],
      ]);
    });

    test("another plan and interval apply", async () => {
      const payer = await subscriber();
      Object.assign(payer.subscription, {
        product: "countersign_enterprise",
        interval: "year",
        amount: 99_000,
      });
      await arrive("customer.subscription.updated", payer.customer);
      expect(await stateOf(payer)).toEqual({ plan: "enterprise", state: "active" });
      expect(await payer.billing()).toMatchObject({
        subscription_interval: "year",
        subscription_amount: 99_000,
      });
    });

    test("a subscription to something else changes nothing", async () => {
      const payer = await fixture.customer();
      fixture.stripe.subscribe(payer.customer, { product: "prod_shirts" });
      await arrive("customer.subscription.created", payer.customer);
      expect(await stateOf(payer)).toEqual({ plan: "free", state: "active" });
    });

    test("a trial grants the plan and is remembered", async () => {
      const payer = await fixture.customer();
      const trialEnd = Math.floor(Date.now() / 1000) + 14 * 86_400;
      fixture.stripe.subscribe(payer.customer, { status: "trialing", trialEnd });
      await arrive("customer.subscription.created", payer.customer);
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
      expect(await payer.billing()).toMatchObject({ had_trial: 1, trial_ends_at: trialEnd * 1000 });
    });

    test("a payment ends a suspension for the next validation", async () => {
      const payer = await subscriber();
      payer.subscription.status = "past_due";
      await arrive("invoice.payment_failed", payer.customer);
      expect(await payer.validated()).toBe("active");
      await fixture.store.transaction((db) =>
        db
          .updateTable("organizations")
          .set({ billing_state: "suspended", grace_ends_at: null })
          .where("id", "=", payer.id)
          .execute(),
      );
      expect(await payer.validated()).toBe("billing_suspended");
      payer.subscription.status = "active";
      await arrive("invoice.paid", payer.customer);
      expect(await payer.validated()).toBe("active");
    });

    test("twice: the second does nothing", async () => {
      const payer = await subscriber();
      const event = stripeEvent("invoice.paid", payer.customer.id);
      expect((await fixture.deliver(event)).status).toBe(200);
      const before = reads(payer.customer);
      expect((await fixture.deliver(event)).body).toEqual({ received: true });
      expect(reads(payer.customer)).toBe(before);
      expect(await recorded(event.id)).toEqual([
        expect.objectContaining({ type: "invoice.paid", organization_id: payer.id }),
      ]);
    });

    test("ten at once change the plan once", async () => {
      const payer = await fixture.customer();
      fixture.stripe.subscribe(payer.customer);
      const event = stripeEvent("customer.subscription.created", payer.customer.id);
      const others = Array.from({ length: 5 }, () => stripeEvent("invoice.paid", payer.customer.id));
      const answers = await Promise.all(
        [event, event, event, event, event, ...others].map((one) => fixture.deliver(one)),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
      expect(await changesOf(payer)).toHaveLength(1);
      expect(await recorded(event.id)).toHaveLength(1);
    });

    test("replayed after a day: refused with its old signature, without effect with a new one", async () => {
      const payer = await subscriber();
      const event = stripeEvent("invoice.paid", payer.customer.id);
      await fixture.deliver(event);
      payer.subscription.status = "past_due";
      const before = reads(payer.customer);
      const old = await fixture.deliver(event, { signedAtMs: Date.now() - dayMs });
      expect([old.status, old.body.code]).toEqual([400, "invalid_stripe_signature"]);
      const again = await fixture.deliver(event);
      expect([again.status, again.body]).toEqual([200, { received: true }]);
      expect(reads(payer.customer)).toBe(before);
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
    });

    test.each<[name: string, headers: (payload: string) => Promise<Record<string, string>>]>([
      ["no signature", async () => ({})],
      ["an empty one", async () => ({ "stripe-signature": "" })],
      ["nonsense", async () => ({ "stripe-signature": "t=1,v1=,v0=x" })],
      [
        "the secret of another",
        async (payload) => ({ "stripe-signature": await signature(payload, "whsec_other") }),
      ],
      [
        "the signature of another body",
        async (payload) => ({
          "stripe-signature": await signature(`${payload} `, fixture.stripe.webhookSecret),
        }),
      ],
      [
        "an old scheme",
        async (payload) => ({
          "stripe-signature": (await signature(payload, fixture.stripe.webhookSecret)).replace("v1=", "v0="),
        }),
      ],
    ])("forged, with %s: refused, and nothing is parsed or recorded", async (_, headersOf) => {
      const payer = await subscriber();
      payer.subscription.status = "canceled";
      const event = stripeEvent("customer.subscription.deleted", payer.customer.id);
      const before = reads(payer.customer);
      for (const payload of [JSON.stringify(event), "not JSON", "[".repeat(10_000)]) {
        const answer = await sendEvent(fixture.server.url, payload, await headersOf(payload));
        expect([answer.status, answer.body.code]).toEqual([400, "invalid_stripe_signature"]);
        expect(answer.headers.get("content-type")).toBe("application/problem+json; charset=utf-8");
        expect(answer.body.request_id).toBe(answer.headers.get("x-request-id"));
      }
      expect(reads(payer.customer)).toBe(before);
      expect(await recorded(event.id)).toEqual([]);
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
    });

    test("signed but not JSON is refused", async () => {
      for (const payload of ["not JSON", '{"id":']) {
        const header = await signature(payload, fixture.stripe.webhookSecret);
        const answer = await sendEvent(fixture.server.url, payload, { "stripe-signature": header });
        expect([answer.status, answer.body.code]).toEqual([400, "malformed_json"]);
      }
    });

    test("signed JSON of another shape is accepted and ignored", async () => {
      for (const payload of [
        "null",
        "[]",
        "1",
        "{}",
        '{"id":1,"type":2}',
        '{"id":"evt_x","type":"invoice.paid"}',
      ]) {
        const header = await signature(payload, fixture.stripe.webhookSecret);
        const answer = await sendEvent(fixture.server.url, payload, { "stripe-signature": header });
        expect([payload, answer.status]).toEqual([payload, 200]);
      }
    });

    test("a body of 1 MB is refused, signed or not", async () => {
      const payload = JSON.stringify(stripeEvent("invoice.paid", null, { padding: "x".repeat(1_000_000) }));
      const header = await signature(payload, fixture.stripe.webhookSecret);
      const signed = await sendEvent(fixture.server.url, payload, { "stripe-signature": header });
      expect([signed.status, signed.body.code]).toEqual([413, "body_too_large"]);
      const unsigned = await sendEvent(fixture.server.url, payload);
      expect([unsigned.status, unsigned.body.code]).toEqual([400, "invalid_stripe_signature"]);
    });

    test.each(["GET", "PUT", "DELETE", "OPTIONS"])("%s is not allowed", async (method) => {
      const response = await fetch(fixture.server.url + stripeWebhookPath, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
      expect(((await response.json()) as { code: string }).code).toBe("method_not_allowed");
    });

    test("of another account: recorded and ignored", async () => {
      const payer = await subscriber();
      payer.subscription.status = "canceled";
      const event = stripeEvent("customer.subscription.deleted", payer.customer.id, {
        account: "acct_other",
      });
      expect((await fixture.deliver(event)).status).toBe(200);
      expect(await recorded(event.id)).toEqual([expect.objectContaining({ organization_id: null })]);
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
    });

    test("for an unknown customer: recorded and ignored", async () => {
      const event = stripeEvent("invoice.paid", "cus_of_another_program");
      expect((await fixture.deliver(event)).status).toBe(200);
      expect(await recorded(event.id)).toEqual([expect.objectContaining({ organization_id: null })]);
    });

    test("about something else: recorded, and nothing is fetched", async () => {
      const payer = await subscriber();
      const before = reads(payer.customer);
      const event = stripeEvent("charge.succeeded", payer.customer.id);
      expect((await fixture.deliver(event)).status).toBe(200);
      expect(await recorded(event.id)).toHaveLength(1);
      expect(reads(payer.customer)).toBe(before);
    });

    test("for a deleted organization: recorded and ignored", async () => {
      const payer = await subscriber();
      await fixture.store.transaction(async (db) => {
        await db
          .updateTable("organizations")
          .set({ deleted_at: Date.now() })
          .where("id", "=", payer.id)
          .execute();
      });
      payer.subscription.status = "past_due";
      const before = await payer.billing();
      const event = stripeEvent("invoice.payment_failed", payer.customer.id);
      expect((await fixture.deliver(event)).status).toBe(200);
      expect(await recorded(event.id)).toEqual([expect.objectContaining({ organization_id: payer.id })]);
      expect(await payer.billing()).toEqual(before as never);
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
    });

    test("a customer who was deleted in Stripe has no subscription", async () => {
      const payer = await subscriber();
      payer.customer.isDeleted = true;
      const about = { object: { object: "customer", id: payer.customer.id } };
      expect((await fixture.deliver(stripeEvent("customer.deleted", null, { data: about }))).status).toBe(
        200,
      );
      expect(await stateOf(payer)).toEqual({ plan: "free", state: "cancelled" });
    });

    test("a customer who is not in this account or mode keeps the plan", async () => {
      const payer = await subscriber();
      fixture.stripe.forget(payer.customer.id);
      await arrive("invoice.payment_failed", payer.customer);
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
    });

    test("a plan that the operator set stays", async () => {
      const payer = await subscriber();
      await fixture.store.transaction(async (db) => {
        await db
          .updateTable("organizations")
          .set({ plan: "enterprise" })
          .where("id", "=", payer.id)
          .execute();
        await db
          .updateTable("organization_billing")
          .set({ plan_set_by: "operator" })
          .where("organization_id", "=", payer.id)
          .execute();
      });
      payer.subscription.status = "canceled";
      await arrive("customer.subscription.deleted", payer.customer);
      expect(await stateOf(payer)).toEqual({ plan: "enterprise", state: "active" });
      expect(await payer.billing()).toMatchObject({ subscription_status: "canceled" });
    });

    test.each([500, 429, 401])(
      "while Stripe answers %i: not processed, and applied when repeated",
      async (status) => {
        const payer = await subscriber();
        payer.subscription.status = "past_due";
        const event = stripeEvent("invoice.payment_failed", payer.customer.id);
        fixture.stripe.fails = ({ params }) => (params.get("customer") === payer.customer.id ? status : null);
        const failed = await fixture.deliver(event);
        expect([failed.status, failed.body.code]).toEqual([503, "event_not_processed"]);
        expect(failed.headers.get("retry-after")).toBe("60");
        expect(await recorded(event.id)).toEqual([]);
        expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
        fixture.stripe.fails = null;
        expect((await fixture.deliver(event)).status).toBe(200);
        expect(await stateOf(payer)).toEqual({ plan: "pro", state: "grace" });
        expect(fixture.server.output()).not.toContain(fixture.settings.secretKey);
      },
    );

    test("a slow fetch that started earlier does not overwrite a newer one", async () => {
      const payer = await subscriber();
      payer.subscription.status = "past_due";
      const slow = fixture.stripe.holdNextRead();
      const older = fixture.deliver(stripeEvent("invoice.payment_failed", payer.customer.id));
      await slow.arrived;
      payer.subscription.status = "active";
      await arrive("invoice.paid", payer.customer);
      slow.release();
      expect((await older).status).toBe(200);
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "active" });
      const billing = await payer.billing();
      expect(billing).toMatchObject({ subscription_status: "active" });
      expect(billing?.sync_applied).toBe(billing?.sync_started as number);
    });

    test("a newer fetch that fails does not discard an older one", async () => {
      const payer = await subscriber();
      payer.subscription.status = "past_due";
      const slow = fixture.stripe.holdNextRead();
      const older = fixture.deliver(stripeEvent("invoice.payment_failed", payer.customer.id));
      await slow.arrived;
      fixture.stripe.fails = ({ params }) => (params.get("customer") === payer.customer.id ? 500 : null);
      const newer = await fixture.deliver(stripeEvent("invoice.payment_failed", payer.customer.id));
      fixture.stripe.fails = null;
      expect(newer.status).toBe(503);
      slow.release();
      expect((await older).status).toBe(200);
      expect(await stateOf(payer)).toEqual({ plan: "pro", state: "grace" });
    });
  });

if (stripeMockPath === null) skipWithReason("events of Stripe on two nodes", howToGetStripeMock);
else
  describe("events of Stripe on two nodes", () => {
    let fixture: PaymentFixture;
    let other: Awaited<ReturnType<typeof startServerProcess>>;
    beforeAll(async () => {
      fixture = await openPaymentFixture(postgres.make);
      other = await startServerProcess({
        ...fixture.database.environment,
        COUNTERSIGN_DEFAULT_PLAN: "free",
        ...fixture.stripe.settings,
      });
    });
    afterAll(async () => {
      await other.stop();
      await fixture.close();
    });

    const urls = () => [fixture.server.url, other.url];

    test("an event that both receive is applied once and recorded once", async () => {
      const payer = await fixture.customer();
      fixture.stripe.subscribe(payer.customer);
      const event = stripeEvent("customer.subscription.created", payer.customer.id);
      const answers = await Promise.all([...urls(), ...urls()].map((url) => fixture.deliver(event, { url })));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect((await payer.organization()).plan).toBe("pro");
      const entries = await fixture.store.reads
        .selectFrom("audit_log")
        .select("id")
        .where("organization_id", "=", payer.id)
        .where("action", "=", "organization.plan_changed")
        .execute();
      expect(entries).toHaveLength(1);
    });

    test("the fetch that started last counts, on whichever node", async () => {
      const payer = await fixture.customer();
      const subscription = fixture.stripe.subscribe(payer.customer);
      await fixture.deliver(stripeEvent("customer.subscription.created", payer.customer.id));
      subscription.status = "past_due";
      const slow = fixture.stripe.holdNextRead();
      const older = fixture.deliver(stripeEvent("invoice.payment_failed", payer.customer.id));
      await slow.arrived;
      subscription.status = "active";
      const newer = await fixture.deliver(stripeEvent("invoice.paid", payer.customer.id), { url: other.url });
      expect(newer.status).toBe(200);
      slow.release();
      expect((await older).status).toBe(200);
      expect((await payer.organization()).billing_state).toBe("active");
    });
  });
