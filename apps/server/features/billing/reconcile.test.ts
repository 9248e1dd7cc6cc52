import { expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import { updateOrganization } from "@countersign/store/queries/organizations/organizations";
import { closeOrganization, finishRemoval } from "@countersign/store/queries/organizations/remove";
import { type Payer, paymentTests } from "../../../../tests/support/payers.ts";
import { several } from "../../../../tests/support/query-tests.ts";
import { stripeMock } from "../../../../tests/support/stripe-mock.ts";
import { checkoutUrl } from "./checkout.ts";
import { stripeReconciliation } from "./reconcile.ts";
import { syncOrganization } from "./sync.ts";

paymentTests("postgres", "the comparison with Stripe", (fixture, payments) => {
  const run = (settings = payments.parts.settings) =>
    stripeReconciliation({ ...payments.parts, settings }, payments.log, 0).run();
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
  test("the reconciliation repairs what a lost event left wrong, once a day", async () => {
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

  test("a customer whose comparison fails or whose status is unknown is unchanged, retried, and delays no other", async () => {
    const [failing, odd, working] = await several(3, () => payments.subscriber());
    for (const { subscription } of [failing, working]) subscription.status = "past_due";
    odd.subscription.status = "confused";
    await makeDue(failing, odd, working);
    payments.stripe.fails = ({ params }) => (params.get("customer") === failing.customer.id ? 400 : null);
    await run();
    payments.stripe.fails = null;
    expect([await isCompared(working), await isRetried(failing), await isRetried(odd)]).toEqual([
      true,
      true,
      true,
    ]);
    expect((await working.state()).state).toBe("grace");
    for (const payer of [failing, odd]) expect(await payer.state()).toEqual({ plan: "pro", state: "active" });
    await makeDue(failing);
    await run();
    expect((await failing.state()).state).toBe("grace");
  });

  test("the reconciliation changes nothing for a customer in another account or mode, and logs that", async () => {
    const payer = await payments.subscriber();
    payments.stripe.forget(payer.customer.id);
    await makeDue(payer);
    await run();
    expect(await isRetried(payer)).toBe(true);
    expect((await payer.organization()).plan).toBe("pro");
    const warning = payments
      .logged()
      .split("\n")
      .find((line) => line.includes(payer.id));
    expect(warning).toContain("Stripe does not know the customer");
  });

  test("a deleted organization loses its subscription, its payment page and its row, if necessary later", async () => {
    const payer = await payments.payer();
    const organization = await payer.organization();
    await checkoutUrl(payments.parts, { organization, plan: "pro", interval: "month", locale: "en" });
    const subscription = payments.stripe.subscribe(payer.customer);
    expect(payments.stripe.openPages(payer.customer.id)).toBe(1);
    await syncOrganization(payments.parts, payer.id);
    await removeOrganization(payer);
    payments.stripe.fails = ({ method, path }) =>
      method === "DELETE" && path.endsWith(subscription.id) ? 400 : null;
    await run();
    payments.stripe.fails = null;
    expect(subscription.status).toBe("active");
    const closed = { subscription_id: null, due_at: null };
    expect(await payer.billing()).toMatchObject({ stripe_customer_id: payer.customer.id, ...closed });
    await makeDue(payer);
    await run();
    expect(await payer.billing()).toBeUndefined();
    expect(subscription.status).toBe("canceled");
    expect(payments.stripe.openPages(payer.customer.id)).toBe(0);
  });

  test("the reconciliation works with Stripe's own test server, where every customer has the same subscription", async () => {
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
