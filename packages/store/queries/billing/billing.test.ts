import { expect, test } from "bun:test";
import type { OrganizationBillingRow, StripePriceRow } from "@countersign/store/tables/billing";
import { onBothDatabases, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { watched } from "../../../../tests/support/watched-queries.ts";
import * as organizations from "../organizations/organizations.ts";
import { setDailyUsage } from "../usage/daily.ts";
import * as billingQueries from "./billing.ts";
import { dueBillings, lockedBilling, updateBilling } from "./billing.ts";
import * as platform from "./platform.ts";
import * as prices from "./stripe.ts";
import * as stripeEvents from "./stripe.ts";
import * as sync from "./stripe.ts";
import { dueSyncs } from "./stripe.ts";

/** A time at which nothing of other tests is due. */
const nowMs = 1_000;

onBothDatabases("billing", (fixture) => {
  const payments = { ...billingQueries, ...prices, ...stripeEvents, ...sync };
  const { read, write } = fixture.queries({ ...payments, ...organizations, ...platform });

  /** An organization that pays, with these columns. */
  const paying = async (columns: Partial<OrganizationBillingRow> = {}): Promise<string> => {
    const { organizationId } = await fixture.organization({ plan: "pro" });
    await write.lockedBilling(organizationId);
    await write.updateBilling(organizationId, { updated_at: 0, ...columns });
    return organizationId;
  };
  const deleteOrganization = (id: string) => write.updateOrganization(id, { deleted_at: 1 });

  test("an organization has no row of payments until they are first locked, and then keeps it", async () => {
    const { organizationId: id } = await fixture.organization({ plan: "pro" });
    expect(await read.billingOf(id)).toBeUndefined();
    expect(await write.lockedBilling(id)).toMatchObject({
      organization: { id, plan: "pro" },
      billing: { organization_id: id, plan_set_by: "default", stripe_customer_id: null, sync_started: 0 },
    });
    await write.updateBilling(id, { plan_note: "Paid by bank transfer" });
    expect((await write.lockedBilling(id))?.billing.plan_note).toBe("Paid by bank transfer");
    expect(await write.lockedBilling(newId())).toBeUndefined();
  });

  test("changes of locked payments are made one after the other, and affect one organization", async () => {
    const [id, other] = [await paying(), await paying({ notices_sent: 7 })];
    const addNotice = () =>
      fixture.write(async (db) => {
        const locked = await lockedBilling(db, id);
        await updateBilling(db, id, { notices_sent: (locked?.billing.notices_sent ?? 0) + 1 });
      });
    await Promise.all(Array.from({ length: 5 }, addNotice));
    const rows = await read.billingsOf([id, other, newId()]);
    expect([...rows].map(([key, row]) => [key, row.notices_sent]).sort()).toEqual(
      [
        [id, 5],
        [other, 7],
      ].sort(),
    );
    expect((await read.billingsOf([])).size).toBe(0);
  });

  test.each([
    ["the billing clock", "due_at", dueBillings],
    ["the comparison with Stripe", "sync_due_at", dueSyncs],
  ] as const)("%s gets what is due, the longest overdue first", async (_, column, due) => {
    const second = await paying({ [column]: nowMs - 1 });
    const first = await paying({ [column]: nowMs - 2 });
    const last = await paying({ [column]: nowMs });
    await paying({ [column]: nowMs + 1 });
    await paying({ [column]: null });
    expect(await due(fixture.reads, nowMs, 10)).toEqual([first, second, last]);
    expect(await due(fixture.reads, nowMs, 2)).toEqual([first, second]);
    for (const id of [first, second, last]) await write.updateBilling(id, { [column]: null });
  });

  test("a comparison that is due is claimed once, and is due again at the given time", async () => {
    const id = await paying({ sync_due_at: nowMs, stripe_customer_id: "cus_claimed" });
    const claims = await Promise.all([1, 2, 3].map(() => write.claimSync(id, nowMs, nowMs + 50)));
    expect(claims.filter((row) => row !== undefined)).toMatchObject([{ stripe_customer_id: "cus_claimed" }]);
    expect(await write.claimSync(id, nowMs + 49, 0)).toBeUndefined();
    expect(await write.claimSync(id, nowMs + 50, Number.MAX_SAFE_INTEGER)).toBeDefined();
  });

  test("the fetches of a customer are numbered one after the other", async () => {
    const id = await paying({ stripe_customer_id: "cus_numbered" });
    const taken = await Promise.all([1, 2, 3].map(() => write.takeSyncTicket(id)));
    expect(taken.map((one) => one?.ticket).toSorted()).toEqual([1, 2, 3]);
    expect(taken[0]?.customerId).toBe("cus_numbered");
    for (const none of [await paying(), newId()]) expect(await write.takeSyncTicket(none)).toBeUndefined();
  });

  test("the organizations of a customer include deleted ones, and none of another customer", async () => {
    const customer = `cus_${newId()}`;
    const [kept, deleted] = await several(2, () => paying({ stripe_customer_id: customer }));
    await paying({ stripe_customer_id: `cus_${newId()}` });
    await deleteOrganization(deleted);
    const found = await read.organizationsOfCustomer(customer);
    expect(found.flatMap(({ id, deleted_at }) => [id, deleted_at])).toEqual([kept, null, deleted, 1]);
    expect(await read.organizationsOfCustomer("cus_unknown")).toEqual([]);
  });

  test("the row of a deleted organization is removed only for the customer whose subscription was cancelled", async () => {
    const id = await paying({ stripe_customer_id: "cus_new" });
    const other = await paying({ stripe_customer_id: "cus_new" });
    await write.removeBillingOfDeleted(id, "cus_old");
    expect(await read.billingOf(id)).toBeDefined();
    await write.removeBillingOfDeleted(id, "cus_new");
    expect(await read.billingOf(id)).toBeUndefined();
    expect(await read.billingOf(other)).toBeDefined();
  });

  test("products that check versions are counted without deleted ones", async () => {
    const checks = { version_module_enabled: 1 } as const;
    const organization = await fixture.organization({ settings: checks });
    await organization.product({ version_module_enabled: 0 });
    const deleted = await organization.product(checks);
    await fixture.organization({ settings: checks });
    await fixture.change("products", deleted.productId, { deleted_at: 1 });
    expect(await read.countVersionChecks(organization.organizationId)).toBe(1);
  });

  test("the requests of a day are those of all products of an organization, also deleted ones", async () => {
    const [ours, other, unused] = await several(3, () => fixture.organization());
    const second = await ours.product();
    const used = [
      [ours, 20_000, 3],
      [ours, 20_001, 100],
      [second, 20_000, 4],
      [other, 20_000, 5],
    ] as const;
    for (const [{ productId }, day, count] of used)
      await fixture.write((db) => setDailyUsage(db, productId, day, count));
    await fixture.change("products", second.productId, { deleted_at: 1 });
    const usage = await read.usageOfDay([ours.organizationId, unused.organizationId], 20_000);
    expect([...usage]).toEqual([[ours.organizationId, 7]]);
    expect((await read.usageOfDay([], 20_000)).size).toBe(0);
  });

  test("subscriptions are summed up by currency, interval and status, without those of deleted organizations", async () => {
    const currency = `x${newId()}`.slice(-8);
    const common = { subscription_id: "sub_1", subscription_currency: currency };
    const subscribed = (subscription_amount: number, columns: Partial<OrganizationBillingRow> = {}) => {
      const active = { subscription_interval: "month", subscription_status: "active" } as const;
      return paying({ ...common, ...active, subscription_amount, ...columns });
    };
    await subscribed(2_900);
    await subscribed(3_100);
    await subscribed(29_000, { subscription_interval: "year" });
    await subscribed(2_900, { subscription_status: "trialing" });
    await subscribed(1, { subscription_id: null });
    await deleteOrganization(await subscribed(2));
    const sums = (await read.subscriptionSums()).filter((sum) => sum.currency === currency);
    expect(sums).toHaveLength(3);
    expect(sums).toEqual(
      expect.arrayContaining([
        { currency, interval: "month", status: "active", amount: 6_000, count: 2 },
        { currency, interval: "year", status: "active", amount: 29_000, count: 1 },
        { currency, interval: "month", status: "trialing", amount: 2_900, count: 1 },
      ]),
    );
  });

  test("organizations are counted by plan and payment state, without deleted ones", async () => {
    const counted = async () => {
      const rows = await read.countsByPlan();
      return rows.find((row) => row.plan === "pro" && row.billing_state === "suspended")?.count ?? 0;
    };
    const before = await counted();
    for (const deleted_at of [null, null, 1]) {
      const id = await paying();
      await write.updateOrganization(id, { billing_state: "suspended", deleted_at });
    }
    expect(await counted()).toBe(before + 2);
    const watching = watched(fixture.store);
    await platform.countsByPlan(watching.store.reads);
    for (const { text } of await watching.plans()) expect(text).toMatch(/ limit (?:\?|\$\d+)$/);
  });

  test("a stored price is found only by all of its terms, and a later one replaces it", async () => {
    const product = { mode: "live", plan: "pro", interval_unit: "month" } as const;
    const terms: Omit<StripePriceRow, "price_id"> = { ...product, currency: "nok", amount: 2_900 };
    const find = (changes: Partial<StripePriceRow> = {}) => read.storedPrice({ ...terms, ...changes });
    await write.storePrice({ ...terms, price_id: "price_old" });
    expect(await find()).toBe("price_old");
    const others: Partial<StripePriceRow>[] = [{ mode: "test" }, { plan: "enterprise" }, { currency: "eur" }];
    for (const other of [...others, { interval_unit: "year" } as const, { amount: 2_901 }])
      expect([other, await find(other)]).toEqual([other, undefined]);
    await write.storePrice({ ...terms, price_id: "price_new" });
    await write.storePrice({ ...terms, plan: "enterprise", price_id: "price_enterprise" });
    expect(await find()).toBe("price_new");
    const plans = await read.plansOfPrices(["price_new", "price_enterprise", "price_unknown"]);
    expect(Object.fromEntries(plans)).toEqual({ price_new: "pro", price_enterprise: "enterprise" });
    expect((await read.plansOfPrices([])).size).toBe(0);
  });

  test("an event of Stripe is recorded once", async () => {
    const event = { id: `evt_${newId()}`, type: "invoice.paid", organization_id: null, received_at: 1 };
    expect(await read.wasProcessed(event.id)).toBe(false);
    await Promise.all([1, 2, 3].map(() => write.recordStripeEvent(event)));
    expect(await read.wasProcessed(event.id)).toBe(true);
    expect(await read.wasProcessed(`${event.id}x`)).toBe(false);
  });
});
