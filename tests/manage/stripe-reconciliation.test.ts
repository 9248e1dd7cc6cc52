import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { StripeReconciliation, stripeEventPruning } from "../../apps/server/features/billing/reconcile.ts";
import { OrganizationRemoval } from "../../apps/server/features/organizations/remove-due.ts";
import { createLog } from "../../apps/server/log.ts";
import { databases } from "../support/databases.ts";
import type { FakeCustomer } from "../support/fake-stripe.ts";
import { openPaymentFixture, type Payer, type PaymentFixture } from "../support/payment-fixture.ts";
import { skipWithReason } from "../support/skip.ts";
import { howToGetStripeMock, stripeMock, stripeMockPath } from "../support/stripe-mock.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(180_000);

if (stripeMockPath === null) skipWithReason("the comparison with Stripe", howToGetStripeMock);
else
  describe.each(databases)("the comparison with Stripe on $kind", ({ make }) => {
    let fixture: PaymentFixture;
    let lines: string[];
    beforeAll(async () => {
      fixture = await openPaymentFixture(make);
    });
    afterAll(() => fixture.close());
    beforeEach(() => {
      lines = [];
      fixture.stripe.fails = null;
    });

    /** The server runs the same job, so that every test has two nodes. */
    const job = (settings = fixture.settings) =>
      new StripeReconciliation(
        { store: fixture.store, settings, url: fixture.server.url },
        createLog({ level: "info", pretty: false, now: Date.now, write: (line) => lines.push(line) }),
        0,
      );

    const makeDue = async (...payers: readonly Payer[]) => {
      const ids = payers.map(({ id }) => id);
      await fixture.store.transaction((db) =>
        db
          .updateTable("organization_billing")
          .set({ sync_due_at: 0 })
          .where("organization_id", "in", ids)
          .execute(),
      );
    };

    const subscriber = async () => {
      const payer = await fixture.customer();
      const subscription = fixture.stripe.subscribe(payer.customer);
      await makeDue(payer);
      await job().run();
      await until("the organization has the plan", async () => (await payer.organization()).plan === "pro");
      return { ...payer, subscription };
    };

    const reads = ({ id }: FakeCustomer) =>
      fixture.stripe.calls.filter(
        ({ method, path, params }) =>
          method === "GET" && path === "/v1/subscriptions" && params.get("customer") === id,
      ).length;

    /** Whether it was compared since it was made due. */
    const isCompared = async (payer: Payer) => {
      const { sync_due_at: dueAt, synced_at: syncedAt } = (await payer.billing()) ?? {};
      return dueAt === (syncedAt ?? 0) + dayMs;
    };

    /** Deletes an organization at once. */
    const remove = async (payer: Payer) => {
      await fixture.store.transaction((db) =>
        db.updateTable("organizations").set({ delete_after: 1 }).where("id", "=", payer.id).execute(),
      );
      await new OrganizationRemoval(fixture.store, { deleteOrganization: async () => {} }).run();
      await until("it is deleted", async () => (await payer.organization()).deleted_at !== null);
    };

    test("repairs what a lost event left wrong, once a day", async () => {
      const payer = await subscriber();
      payer.subscription.status = "past_due";
      await job().run();
      expect((await payer.organization()).billing_state).toBe("active");
      await makeDue(payer);
      await job().run();
      await until("it was compared", () => isCompared(payer));
      expect((await payer.organization()).billing_state).toBe("grace");
      const before = reads(payer.customer);
      await job().run();
      expect(reads(payer.customer)).toBe(before);
    });

    test("compares each organization once, on any number of nodes", async () => {
      const payers = await Promise.all(Array.from({ length: 12 }, () => fixture.customer()));
      for (const { customer } of payers) fixture.stripe.subscribe(customer);
      const before = payers.map(({ customer }) => reads(customer));
      await makeDue(...payers);
      await Promise.all([job().run(), job().run(), job().run()]);
      for (const payer of payers) await until("it was compared", () => isCompared(payer));
      expect(payers.map(({ customer }) => reads(customer))).toEqual(before.map((count) => count + 1));
      for (const payer of payers) expect((await payer.organization()).plan).toBe("pro");
    });

    test("goes on after the failure of one, which is retried later", async () => {
      const [failing, working] = [await subscriber(), await subscriber()];
      failing.subscription.status = "past_due";
      working.subscription.status = "past_due";
      fixture.stripe.fails = ({ params }) => (params.get("customer") === failing.customer.id ? 400 : null);
      await makeDue(failing, working);
      await job().run();
      await until("the other was compared", () => isCompared(working));
      await until("it is retried later", async () => ((await failing.billing())?.sync_due_at ?? 0) > 0);
      expect((await working.organization()).billing_state).toBe("grace");
      expect((await failing.organization()).billing_state).toBe("active");
      expect((await failing.billing())?.sync_due_at).toBeLessThan(Date.now() + dayMs / 2);
      fixture.stripe.fails = null;
      await makeDue(failing);
      await job().run();
      await until("it was compared", () => isCompared(failing));
      expect((await failing.organization()).billing_state).toBe("grace");
    });

    test("goes on after a subscription that it does not understand, which changes nothing", async () => {
      const [odd, working] = [await subscriber(), await subscriber()];
      odd.subscription.status = "confused";
      working.subscription.status = "past_due";
      await makeDue(odd, working);
      await job().run();
      await until("the other was compared", () => isCompared(working));
      await until("it is retried later", async () => ((await odd.billing())?.sync_due_at ?? 0) > 0);
      expect(await odd.organization()).toMatchObject({ plan: "pro", billing_state: "active" });
    });

    test("changes nothing for a customer who is in another account or mode, and says so", async () => {
      const payer = await subscriber();
      fixture.stripe.forget(payer.customer.id);
      await makeDue(payer);
      await job().run();
      await until("it is retried later", async () => ((await payer.billing())?.sync_due_at ?? 0) > 0);
      expect((await payer.organization()).plan).toBe("pro");
      await until("it was logged", () =>
        `${lines.join("")}${fixture.server.output()}`.includes("Stripe does not know the customer"),
      );
    });

    test("cancels the subscription of a deleted organization, and removes its row", async () => {
      const payer = await subscriber();
      const page = fixture.stripe.openPages(payer.customer.id);
      expect(page).toBe(1);
      await remove(payer);
      await job().run();
      await until("its row is removed", async () => (await payer.billing()) === undefined);
      expect(payer.subscription.status).toBe("canceled");
      expect(fixture.stripe.openPages(payer.customer.id)).toBe(0);
    });

    test("does not lose a subscription that could not be cancelled", async () => {
      const payer = await subscriber();
      fixture.stripe.fails = ({ method, path }) =>
        method === "DELETE" && path.endsWith(payer.subscription.id) ? 400 : null;
      await remove(payer);
      await job().run();
      await until("it was tried", () => fixture.stripe.calls.some(({ method }) => method === "DELETE"));
      expect(payer.subscription.status).toBe("active");
      expect(await payer.billing()).toMatchObject({
        stripe_customer_id: payer.customer.id,
        subscription_id: null,
        due_at: null,
      });
      fixture.stripe.fails = null;
      await makeDue(payer);
      await job().run();
      await until("its row is removed", async () => (await payer.billing()) === undefined);
      expect(payer.subscription.status).toBe("canceled");
    });

    test("an organization that never paid leaves no row when it is deleted", async () => {
      const payer = await fixture.payer();
      await fixture.admin.api.patch(`/admin/organizations/${payer.id}`, { plan: "enterprise" });
      expect(await payer.billing()).toMatchObject({ plan_set_by: "operator" });
      await remove(payer);
      expect(await payer.billing()).toBeUndefined();
    });

    test("works with Stripe's own test server, which answers every customer with the same subscription", async () => {
      const [kept, deleted] = [await fixture.customer(), await fixture.customer()];
      await remove(deleted);
      await fixture.store.transaction((db) =>
        db
          .insertInto("organization_billing")
          .values({
            organization_id: deleted.id,
            stripe_customer_id: "cus_QXg1o8vcGmoR32",
            sync_due_at: Number.MAX_SAFE_INTEGER,
            updated_at: 0,
          })
          .onConflict((conflict) =>
            conflict.column("organization_id").doUpdateSet({ sync_due_at: Number.MAX_SAFE_INTEGER }),
          )
          .execute(),
      );
      const mocked = job({ ...fixture.settings, url: await stripeMock() });
      await until("the row is removed", async () => {
        // The server may have taken it, and asks the fake.
        await makeDue(kept, deleted);
        await mocked.run();
        return (await deleted.billing()) === undefined;
      });
      expect((await kept.organization()).plan).toBe("free");
      expect(lines.join("")).not.toContain("validation error");
    });

    test("the record of events is pruned after 90 days", async () => {
      const nowMs = await fixture.store.clock();
      const event = (id: string, days: number) => ({
        id: `evt_${id}`,
        type: "invoice.paid",
        organization_id: null,
        received_at: nowMs - days * dayMs,
      });
      const old = Array.from({ length: 450 }, (_, index) => event(`old_${index}`, 91));
      await fixture.store.transaction(async (db) => {
        await db.insertInto("stripe_events").values(old).execute();
        await db.insertInto("stripe_events").values(event("new", 89)).execute();
      });
      await stripeEventPruning(fixture.store).run();
      const rows = await fixture.store.reads
        .selectFrom("stripe_events")
        .select("id")
        .where("id", "in", ["evt_new", ...old.map(({ id }) => id)])
        .execute();
      expect(rows).toEqual([{ id: "evt_new" }]);
    });
  });
