import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { closeOrganization, finishRemoval } from "@countersign/store/queries/organizations/remove";
import { openPayments, type Payer } from "../../../../tests/support/payers.ts";
import { onDatabase } from "../../../../tests/support/query-tests.ts";
import { skipWithReason } from "../../../../tests/support/skip.ts";
import { howToGetStripeMock, stripeMock, stripeMockPath } from "../../../../tests/support/stripe-mock.ts";
import { checkoutUrl } from "./checkout.ts";
import { StripeReconciliation } from "./reconcile.ts";

if (stripeMockPath === null) skipWithReason("the comparison with Stripe", howToGetStripeMock);
else
  onDatabase("postgres", "the comparison with Stripe", (fixture) => {
    const payments = openPayments(fixture);

    const run = (settings = payments.parts.settings) =>
      new StripeReconciliation({ ...payments.parts, settings }, payments.log, 0).run();
    const makeDue = async (...payers: readonly Payer[]) => {
      for (const { id } of payers) await fixture.write((db) => updateBilling(db, id, { sync_due_at: 0 }));
    };
    /** Whether it was compared since it was made due. */
    const isCompared = async (payer: Payer) => {
      const { sync_due_at: dueAt, synced_at: syncedAt } = (await payer.billing()) ?? {};
      return dueAt === (syncedAt ?? 0) + dayMs;
    };
    /** Whether it was not compared, and is tried again before the next day. */
    const isRetried = async (payer: Payer) => {
      const dueAt = (await payer.billing())?.sync_due_at ?? 0;
      return dueAt > Date.now() && dueAt < Date.now() + dayMs / 2;
    };
    const removeOrganization = ({ id }: Payer) =>
      fixture.write(async (db) => {
        await updateOrganization(db, id, { delete_after: 1 });
        await closeOrganization(db, id, await fixture.store.clock());
        await finishRemoval(db, id);
      });
    const openPage = async (payer: Payer) => {
      const request = { plan: "pro", interval: "month", locale: "en" } as const;
      await checkoutUrl(payments.parts, { ...request, organization: await payer.organization() });
    };

    test("repairs what a lost event left wrong, once a day", async () => {
      const payer = await payments.subscriber();
      payer.subscription.status = "past_due";
      await run();
      expect(await payer.state()).toEqual({ plan: "pro", state: "active" });
      await makeDue(payer);
      await run();
      expect(await isCompared(payer)).toBe(true);
      expect(await payer.state()).toEqual({ plan: "pro", state: "grace" });
      const before = payments.stripe.reads(payer.customer);
      await run();
      expect(payments.stripe.reads(payer.customer)).toBe(before);
    });

    test("goes on after the failure of one, which is retried later", async () => {
      const [failing, working] = [await payments.subscriber(), await payments.subscriber()];
      failing.subscription.status = "past_due";
      working.subscription.status = "past_due";
      await makeDue(failing, working);
      payments.stripe.fails = ({ params }) => (params.get("customer") === failing.customer.id ? 400 : null);
      await run();
      payments.stripe.fails = null;
      expect([await isCompared(working), await isRetried(failing)]).toEqual([true, true]);
      expect((await working.state()).state).toBe("grace");
      expect((await failing.state()).state).toBe("active");
      await makeDue(failing);
      await run();
      expect((await failing.state()).state).toBe("grace");
    });

    test("goes on after a subscription that it does not understand, which changes nothing", async () => {
      const [odd, working] = [await payments.subscriber(), await payments.subscriber()];
      odd.subscription.status = "confused";
      working.subscription.status = "past_due";
      await makeDue(odd, working);
      await run();
      expect([await isCompared(working), await isRetried(odd)]).toEqual([true, true]);
      expect(await odd.state()).toEqual({ plan: "pro", state: "active" });
    });

    test("changes nothing for a customer who is in another account or mode, and says so", async () => {
      const payer = await payments.subscriber();
      payments.stripe.forget(payer.customer.id);
      await makeDue(payer);
      await run();
      expect(await isRetried(payer)).toBe(true);
      expect((await payer.organization()).plan).toBe("pro");
      const warnings = payments.logged().split("\n");
      const warning = warnings.find((line) => line.includes(payer.id));
      expect(warning).toContain("Stripe does not know the customer");
    });

    test("cancels the subscription of a deleted organization, closes its payment page, and removes its row", async () => {
      const payer = await payments.payer();
      await openPage(payer);
      const subscription = payments.stripe.subscribe(payer.customer);
      expect(payments.stripe.openPages(payer.customer.id)).toBe(1);
      await removeOrganization(payer);
      await run();
      expect(await payer.billing()).toBeUndefined();
      expect(subscription.status).toBe("canceled");
      expect(payments.stripe.openPages(payer.customer.id)).toBe(0);
    });

    test("does not lose a subscription that could not be cancelled", async () => {
      const payer = await payments.subscriber();
      await removeOrganization(payer);
      payments.stripe.fails = ({ method, path }) =>
        method === "DELETE" && path.endsWith(payer.subscription.id) ? 400 : null;
      await run();
      payments.stripe.fails = null;
      expect(payer.subscription.status).toBe("active");
      const closed = { subscription_id: null, due_at: null };
      expect(await payer.billing()).toMatchObject({ stripe_customer_id: payer.customer.id, ...closed });
      await makeDue(payer);
      await run();
      expect(await payer.billing()).toBeUndefined();
      expect(payer.subscription.status).toBe("canceled");
    });

    test("works with Stripe's own test server, which answers every customer with the same subscription", async () => {
      const [kept, deleted] = [await payments.payer(), await payments.payer()];
      await removeOrganization(deleted);
      await fixture.write(async (db) => {
        await lockedBilling(db, deleted.id);
        await updateBilling(db, deleted.id, { stripe_customer_id: "cus_QXg1o8vcGmoR32" });
      });
      await makeDue(kept, deleted);
      await run({ ...payments.parts.settings, url: await stripeMock() });
      expect(await deleted.billing()).toBeUndefined();
      expect((await kept.organization()).plan).toBe("free");
      expect(payments.logged()).not.toContain("validation error");
    });
  });
