import { describe, expect, test } from "bun:test";
import type { SubscriptionStatus } from "@countersign/domain/billing/subscription";
import { type BillingTerms, inState, withSubscription } from "@countersign/domain/billing/terms";
import { dayMs } from "@countersign/domain/dates/lengths";
import { removeState, setState } from "@countersign/store/queries/admin/platform-state";
import { billingOf, lockedBilling, updateBilling } from "@countersign/store/queries/billing/billing";
import {
  createOrganization,
  updateOrganization,
} from "@countersign/store/queries/organizations/organizations";
import type { Store } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables/organizations";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { dashboardUrl } from "../../../../tests/support/payers.ts";
import { onDatabase, type QueryFixture, several } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { billingClock, changeTerms, runClock, termsOf } from "./change-terms.ts";

const start = Date.UTC(2031, 0, 2, 3, 4);
const at = (days: number) => start + days * dayMs;

type Organization = Awaited<ReturnType<typeof organization>>;

const price = { plan: "pro", interval: "month", amount: 2900, currency: "usd" } as const;
const noDates = { periodEndsAtMs: null, cancelsAtMs: null, trialEndsAtMs: null };
const subscription = { id: "sub_1", createdAtMs: 0, ...price, ...noDates };

async function organization(fixture: QueryFixture, columns: Partial<OrganizationRow> = {}) {
  const { organizationId: id } = await fixture.organization({ plan: "free" });
  const owner = await fixture.user();
  const change = (changes: Partial<OrganizationRow>) => fixture.change("organizations", id, changes);
  await change({ name: "Acme", owner_id: owner.id, created_at: 0, updated_at: 0, ...columns });
  const row = () => fixture.row("organizations", { id });
  const emails = () => openedEmails(fixture.store, { to: owner.email });
  /** Changes its terms in a transaction of its own, as what processes a payment does. */
  const setTerms = (days: number, nextOf: (terms: BillingTerms) => BillingTerms) =>
    fixture.write(async (db) => {
      const locked = await lockedBilling(db, id);
      if (locked === undefined) throw new Error("There is no such organization.");
      const next = nextOf(termsOf(locked.organization, locked.billing));
      const actor = { kind: "system", name: "Stripe" } as const;
      await changeTerms(db, { ...locked, next, actor, url: dashboardUrl }, at(days));
    });
  return {
    id,
    row,
    change,
    emails,
    setTerms,
    terms: async () => termsOf(await row(), await billingOf(fixture.reads, id)),
    /** The kinds of its owner's emails, oldest first. */
    kinds: async () => (await emails()).map(({ kind }) => kind),
    /** Its audit log entries about plans and payments, oldest first. */
    audited: async () => {
      const rows = await fixture.rows("audit_log", { organization_id: id });
      rows.sort((a, b) => a.at - b.at);
      return rows.map((entry) => [entry.action, entry.actor_name, JSON.parse(entry.after ?? "{}")]);
    },
    subscribe: (status: SubscriptionStatus, days: number) =>
      setTerms(days, (terms) => withSubscription(terms, { ...subscription, status }, at(days))),
  };
}

/** An organization that pays for Pro, whose payment failed at the start. */
async function overdue(fixture: QueryFixture, columns: Partial<OrganizationRow> = {}): Promise<Organization> {
  const org = await organization(fixture, columns);
  await org.subscribe("active", -1);
  await org.subscribe("past_due", 0);
  return org;
}

/** The clocks of several nodes at this time, all at once. */
async function runAll({ store }: QueryFixture, days: number): Promise<void> {
  const nodes = Array.from({ length: 4 }, () => billingClock(store, dashboardUrl, async () => at(days)));
  await Promise.all(nodes.map((node) => node.run()));
}

onDatabase("postgres", "the billing clock", (fixture) => {
  const run = (days: number) => runAll(fixture, days);

  test("a grace period has its emails on day 0, 3 and 6, ends after day 7, and a payment ends the suspension", async () => {
    const org = await overdue(fixture);
    const before = [await org.row(), await org.audited()];
    await org.subscribe("past_due", 1);
    await run(1);
    expect([await org.row(), await org.audited()]).toEqual(before);
    for (const day of [2.99, 3, 5.99, 6, 6.99]) await run(day);
    expect(await org.terms()).toMatchObject({ state: "grace" });
    await run(7);
    await run(30);
    expect(await org.terms()).toMatchObject({ state: "suspended" });
    await org.subscribe("active", 31);
    await run(131);
    expect(await org.terms()).toMatchObject({ state: "active" });
    const written = (await org.emails()).map(
      (email) => `${(email.created_at - start) / dayMs} ${email.kind}`,
    );
    const notices = ["0 billing_grace", "3 billing_grace", "6 billing_grace", "7 billing_suspended"];
    expect(written).toEqual([...notices, "31 billing_restored"]);
    const graceEndsAt = new Date(at(7)).toISOString();
    expect(await org.audited()).toEqual([
      ["organization.plan_changed", "Stripe", { plan: "pro", plan_set_by: "subscription" }],
      ["organization.billing_changed", "Stripe", { billing_state: "grace", grace_ends_at: graceEndsAt }],
      ["organization.billing_changed", "Countersign", { billing_state: "suspended", grace_ends_at: null }],
      ["organization.billing_changed", "Stripe", { billing_state: "active" }],
    ]);
  });

  test("a grace period ends with a payment, goes on without emails while the operator suspends, and not after a deletion", async () => {
    const [paid, suspended, deleted] = await several(3, () => overdue(fixture));
    await paid.subscribe("active", 1);
    await suspended.change({ suspended_at: start });
    await deleted.change({ deleted_at: start });
    for (const day of [3, 7, 10]) await run(day);
    expect(await paid.terms()).toMatchObject({ state: "active", graceEndsAtMs: null });
    expect(await paid.kinds()).toEqual(["billing_grace", "billing_restored"]);
    expect(await suspended.terms()).toMatchObject({ state: "suspended" });
    expect(await deleted.terms()).toMatchObject({ state: "grace" });
    for (const org of [suspended, deleted]) expect(await org.kinds()).toEqual(["billing_grace"]);
    expect((await billingOf(fixture.reads, deleted.id))?.due_at).toBeNull();
  });

  test("a suspension that is interrupted on one node changes nothing, and another node does all of it", async () => {
    const org = await overdue(fixture);
    const interrupted = fixture.write(async (db) => {
      await runClock(db, org.id, dashboardUrl, at(7));
      throw new Error("The process ended.");
    });
    await expect(interrupted).rejects.toThrow("The process ended.");
    expect(await org.terms()).toMatchObject({ state: "grace" });
    expect(await org.kinds()).toEqual(["billing_grace"]);
    await run(7);
    expect(await org.kinds()).toEqual(["billing_grace", "billing_suspended"]);
    expect(await org.audited()).toHaveLength(3);
  });

  test("a node that cannot change an organization continues with the others", async () => {
    // What other tests left is done.
    await run(7);
    const all = await several(3, () => overdue(fixture));
    let attempts = 0;
    const failing = new Proxy(fixture.store, {
      get: (store, name) => {
        if (name !== "transaction") return Reflect.get(store, name);
        return (...parts: Parameters<Store["transaction"]>) =>
          ++attempts === 1 ? Promise.reject(new Error("The disk is full.")) : store.transaction(...parts);
      },
    });
    const failed = billingClock(failing, dashboardUrl, async () => at(7)).run();
    await expect(failed).rejects.toThrow("disk is full");
    const states = await Promise.all(all.map(async (org) => (await org.terms()).state));
    expect(states.toSorted()).toEqual(["grace", "suspended", "suspended"]);
    await run(7);
    for (const org of all) expect(await org.kinds()).toEqual(["billing_grace", "billing_suspended"]);
  });

  test("a node handles any number of organizations that are due at once", async () => {
    const ids = Array.from({ length: 105 }, () => newId());
    await fixture.write(async (db) => {
      for (const id of ids) {
        await createOrganization(db, { id, name: "One of many", slug: id, plan: "pro" }, start);
        await updateOrganization(db, id, { billing_state: "grace", grace_ends_at: at(7) });
      }
      const row = { grace_started_at: start, due_at: start, updated_at: start };
      const rows = ids.map((id) => ({ organization_id: id, ...row }));
      await db.insertInto("organization_billing").values(rows).execute();
    });
    await billingClock(fixture.store, dashboardUrl, async () => at(7)).run();
    const suspended = await fixture.rows("organizations", { id: ids, billing_state: "suspended" });
    expect(suspended).toHaveLength(ids.length);
  });

  describe("emails", () => {
    /** Whom to ask about payments, while `work` runs. */
    const withContact = async (work: () => Promise<void>) => {
      await fixture.write((db) => setState(db, "billing_contact", "sales@example.com"));
      await work().finally(() => fixture.write((db) => removeState(db, "billing_contact")));
    };
    const subscribed = (org: Organization, cancels_at: number | null) => {
      const paid = { subscription_id: "sub_1", subscription_status: "active", cancels_at } as const;
      const columns = { subscription_plan: "pro", subscription_interval: "month", ...paid } as const;
      return fixture.write((db) => updateBilling(db, org.id, columns));
    };
    const planUntil = (org: Organization, plan: "pro" | "enterprise", days: number) => {
      const byHand = { plan, planSetBy: "operator", planEndsAtMs: at(days) } as const;
      return org.setTerms(0, (terms) => ({ ...terms, ...byHand }));
    };

    test("reminders to pay go to the owner and to members who manage billing, each in their language", async () => {
      const org = await organization(fixture, { time_zone: "Europe/Berlin" });
      const payer = await fixture.member(org.id, ["billing:manage"]);
      const viewer = await fixture.member(org.id, ["billing:view"]);
      const suspended = await fixture.member(org.id, ["billing:manage"]);
      await fixture.change("users", payer.id, { locale: "de" });
      await fixture.change("users", suspended.id, { suspended_at: start });
      await org.subscribe("active", 0);
      await org.subscribe("past_due", 0);
      await run(3);
      await run(6);
      const others = { to: [viewer.email, suspended.email] };
      expect(await openedEmails(fixture.store, others)).toEqual([]);
      const [first, ...reminders] = await org.emails();
      const ends = "January 9, 2031 at 04:04 (Europe/Berlin)";
      expect(first?.subject).toBe(`Payment overdue: Acme will be suspended on ${ends}`);
      for (const text of [
        "A payment for the Pro plan of Acme is overdue.",
        `Everything keeps working until ${ends}.`,
        "pay the open invoice in the billing settings",
        `${dashboardUrl}/o/org-${org.id}/settings/billing`,
      ])
        expect(first?.body_text).toContain(text);
      expect(reminders.map((email) => email.body_text)).toEqual([
        expect.stringContaining("is still overdue"),
        expect.stringContaining("This is the last reminder"),
      ]);
      const german = await openedEmails(fixture.store, { to: payer.email });
      expect(german).toHaveLength(3);
      expect(german[0]?.subject).toBe(
        "Zahlung überfällig: Acme wird am 9. Januar 2031 um 04:04 (Europe/Berlin) gesperrt",
      );
    });

    test("reminders without a subscription say whom to ask, and the end of a suspension by hand is reported", async () => {
      const org = await organization(fixture, { plan: "enterprise" });
      await org.setTerms(0, (terms) => inState(terms, "grace", at(0)));
      await withContact(async () => {
        await run(3);
        await run(7);
      });
      await org.setTerms(8, (terms) => inState(terms, "active", at(8)));
      const [first, second, stopped, restored] = await org.emails();
      expect(first?.body_text).toContain("contact this server's administrator");
      expect(second?.body_text).toContain("To pay, or if you have already paid, contact sales@example.com.");
      expect([stopped?.kind, restored?.kind]).toEqual(["billing_suspended", "billing_restored"]);
      expect(stopped?.body_text).toContain("A payment for the Enterprise plan of Acme hasn't arrived.");
      expect(stopped?.body_text).toContain("contact sales@example.com");
    });

    test("the end of a cancelled subscription is announced 3 days before, once, and reported when Stripe has ended it", async () => {
      const org = await organization(fixture);
      await org.subscribe("active", 0);
      await subscribed(org, at(10));
      await org.setTerms(0, (terms) => terms);
      await run(7);
      await run(20);
      expect(await org.kinds()).toEqual(["plan_ending"]);
      expect(await org.terms()).toMatchObject({ plan: "pro", state: "active" });
      const renew = "To keep the Pro plan, renew the subscription in the billing settings";
      expect((await org.emails())[0]?.body_text).toContain(renew);
      await org.subscribe("canceled", 21);
      expect(await org.terms()).toMatchObject({ plan: "free", state: "cancelled" });
      expect(await org.kinds()).toEqual(["plan_ending", "plan_ended"]);
    });

    test("the end that was set for a plan is announced 3 days before, and reported on that date, when Free follows", async () => {
      const org = await organization(fixture);
      await withContact(async () => {
        await planUntil(org, "pro", 10);
        await run(7);
        expect(await org.kinds()).toEqual(["plan_ending"]);
        expect(await org.terms()).toMatchObject({ plan: "pro" });
        await run(10);
        await run(20);
      });
      const ended = { plan: "free", planSetBy: "default", planEndsAtMs: null, state: "active" };
      expect(await org.terms()).toMatchObject(ended);
      expect(await org.kinds()).toEqual(["plan_ending", "plan_ended"]);
      const [before, after] = await org.emails();
      expect(before?.subject).toContain("The Pro plan of Acme ends on ");
      for (const text of ["it has the Free plan.", "To keep the Pro plan, contact sales@example.com."])
        expect(before?.body_text).toContain(text);
      expect(before?.body_text).not.toContain("version checks");
      expect(after?.body_text).toContain("It now has the Free plan.");
    });

    test("the end of a plan is announced and reported with what happens to version checks", async () => {
      const org = await organization(fixture);
      const { id: productId } = await fixture.row("products", { organization_id: org.id });
      await fixture.change("products", productId, { version_module_enabled: 1 });
      await planUntil(org, "pro", 2);
      await org.change({ version_checks_on_downgrade: "report" });
      await run(2);
      expect((await org.emails()).map((email) => email.body_text)).toEqual([
        expect.stringContaining("Your products keep refusing the versions that they refuse now."),
        expect.stringContaining("then only report the versions"),
      ]);
      expect((await org.row()).had_version_module).toBe(1);
    });

    test("the end of a plan is reported with the plan of the paid subscription that follows", async () => {
      const org = await organization(fixture);
      await planUntil(org, "enterprise", 1);
      await subscribed(org, null);
      await run(1);
      expect(await org.terms()).toMatchObject({ plan: "pro", planSetBy: "subscription", state: "active" });
      const ended = "The Enterprise plan of Acme has ended. It now has the Pro plan.";
      expect((await org.emails()).at(-1)?.body_text).toContain(ended);
    });
  });
});
