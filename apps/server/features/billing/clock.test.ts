import { describe, expect, test } from "bun:test";
import { dayMs } from "@countersign/domain/dates/lengths";
import { removeState, setState } from "@countersign/store/queries/admin/platform-state";
import { billingOf, updateBilling } from "@countersign/store/queries/billing/billing";
import { organizationById } from "@countersign/store/queries/manage/access";
import {
  createOrganization,
  updateOrganization,
} from "@countersign/store/queries/organizations/organizations";
import type { Store } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables";
import {
  changeTermsOf,
  dashboardUrl,
  proSubscription,
  setStateByHand,
  storedTerms,
  subscribe,
} from "../../../../tests/support/billing.ts";
import { openedEmails } from "../../../../tests/support/emails.ts";
import { onDatabase, type QueryFixture } from "../../../../tests/support/query-tests.ts";
import { storedRows } from "../../../../tests/support/stored-rows.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { BillingClock, runClock } from "./clock.ts";

const start = Date.UTC(2031, 0, 2, 3, 4);
const at = (days: number) => start + days * dayMs;

type Organization = Awaited<ReturnType<typeof organization>>;

async function organization({ store, ...fixture }: QueryFixture, columns: Partial<OrganizationRow> = {}) {
  const { organizationId: id } = await fixture.organization({ plan: "free" });
  const owner = await fixture.user();
  const named = { name: "Acme", owner_id: owner.id, created_at: 0, updated_at: 0 };
  await fixture.write((db) => updateOrganization(db, id, { ...named, ...columns }));
  const emails = () => openedEmails(store, { to: owner.email });
  return {
    id,
    emails,
    terms: () => storedTerms(store, id),
    /** The kinds of its owner's emails, oldest first. */
    kinds: async () => (await emails()).map(({ kind }) => kind),
    /** Its audit log entries about plans and payments, oldest first. */
    audited: async () => {
      const rows = await storedRows(store.reads, "audit_log", { organization_id: id });
      rows.sort((a, b) => a.at - b.at);
      return rows.map((row) => [row.action, row.actor_name, JSON.parse(row.after ?? "{}")]);
    },
    change: (changes: Partial<OrganizationRow>) => fixture.write((db) => updateOrganization(db, id, changes)),
    subscribe: (status: Parameters<typeof subscribe>[2], days: number) =>
      subscribe(store, id, status, at(days)),
    setState: (state: Parameters<typeof setStateByHand>[2], days: number) =>
      setStateByHand(store, id, state, at(days)),
  };
}

/** An organization that pays for Pro, whose payment failed at the start. */
async function overdue(fixture: QueryFixture): Promise<Organization> {
  const org = await organization(fixture);
  await org.subscribe("active", -1);
  await org.subscribe("past_due", 0);
  return org;
}

/** The clocks of several nodes at this time, all at once. */
async function runAll({ store }: QueryFixture, days: number): Promise<void> {
  const nodes = Array.from({ length: 4 }, () => new BillingClock(store, dashboardUrl, async () => at(days)));
  await Promise.all(nodes.map((node) => node.run()));
}

onDatabase("postgres", "a grace period", (fixture) => {
  const run = (days: number) => runAll(fixture, days);

  test("has its emails on day 0, 3 and 6, ends after day 7, and a payment ends the suspension", async () => {
    const org = await overdue(fixture);
    for (const day of [0, 2.99, 3, 5.99, 6, 6.99]) await run(day);
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

  test("that goes on writes nothing, and ends with a payment", async () => {
    const org = await overdue(fixture);
    const before = [await organizationById(fixture.reads, org.id), await org.audited()];
    await org.subscribe("past_due", 1);
    await run(1);
    expect([await organizationById(fixture.reads, org.id), await org.audited()]).toEqual(before);
    await org.subscribe("active", 4);
    await run(20);
    expect(await org.kinds()).toEqual(["billing_grace", "billing_restored"]);
    expect(await org.terms()).toMatchObject({ state: "active", graceEndsAtMs: null });
  });

  test("goes on for an organization that the operator suspended, without emails about its service", async () => {
    const org = await overdue(fixture);
    await org.change({ suspended_at: start });
    await run(3);
    await run(7);
    expect(await org.terms()).toMatchObject({ state: "suspended" });
    expect(await org.kinds()).toEqual(["billing_grace"]);
  });

  test("of a deleted organization is left alone", async () => {
    const org = await overdue(fixture);
    await org.change({ deleted_at: start });
    await run(10);
    expect(await org.terms()).toMatchObject({ state: "grace" });
    expect(await org.kinds()).toEqual(["billing_grace"]);
    expect((await billingOf(fixture.reads, org.id))?.due_at).toBeNull();
  });
});

onDatabase("postgres", "the billing clock of several nodes", (fixture) => {
  const atEnd = at(7);

  test("a node that stops in the middle leaves nothing, and another one does it all", async () => {
    const org = await overdue(fixture);
    const interrupted = fixture.write(async (db) => {
      await runClock(db, org.id, dashboardUrl, atEnd);
      throw new Error("The process ended.");
    });
    await expect(interrupted).rejects.toThrow("The process ended.");
    expect(await org.terms()).toMatchObject({ state: "grace" });
    expect(await org.kinds()).toEqual(["billing_grace"]);
    await runAll(fixture, 7);
    expect(await org.kinds()).toEqual(["billing_grace", "billing_suspended"]);
    expect(await org.audited()).toHaveLength(3);
  });

  test("a node that cannot change an organization goes on with the others", async () => {
    // What other tests left is done.
    await runAll(fixture, 7);
    const all = [await overdue(fixture), await overdue(fixture), await overdue(fixture)];
    let attempts = 0;
    const failing = new Proxy(fixture.store, {
      get: (store, name) => {
        if (name !== "transaction") return Reflect.get(store, name);
        return (...parts: Parameters<Store["transaction"]>) =>
          ++attempts === 1 ? Promise.reject(new Error("The disk is full.")) : store.transaction(...parts);
      },
    });
    const failed = new BillingClock(failing, dashboardUrl, async () => atEnd).run();
    await expect(failed).rejects.toThrow("disk is full");
    const states = await Promise.all(all.map(async (org) => (await org.terms()).state));
    expect(states.toSorted()).toEqual(["grace", "suspended", "suspended"]);
    await runAll(fixture, 7);
    for (const org of all) expect(await org.kinds()).toEqual(["billing_grace", "billing_suspended"]);
  });

  test("a node handles any number of organizations that are due at once", async () => {
    const ids = Array.from({ length: 105 }, () => newId());
    await fixture.write(async (db) => {
      for (const id of ids) {
        await createOrganization(db, { id, name: "One of many", slug: id, plan: "pro" }, start);
        await updateOrganization(db, id, { billing_state: "grace", grace_ends_at: atEnd });
      }
      const row = { grace_started_at: start, due_at: start, updated_at: start };
      const rows = ids.map((id) => ({ organization_id: id, ...row }));
      await db.insertInto("organization_billing").values(rows).execute();
    });
    await new BillingClock(fixture.store, dashboardUrl, async () => atEnd).run();
    const suspended = await fixture.reads
      .selectFrom("organizations")
      .select("id")
      .where("id", "in", ids)
      .where("billing_state", "=", "suspended")
      .execute();
    expect(suspended).toHaveLength(ids.length);
  });
});

onDatabase("postgres", "emails of the billing clock", (fixture) => {
  const run = (days: number) => runAll(fixture, days);
  /** Whom to ask about payments, while `work` runs. */
  const withContact = async (work: () => Promise<void>) => {
    await fixture.write((db) => setState(db, "billing_contact", "sales@example.com"));
    try {
      await work();
    } finally {
      await fixture.write((db) => removeState(db, "billing_contact"));
    }
  };

  test("go to the owner and to members who manage billing, each in their language", async () => {
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
    for (const { email } of [viewer, suspended])
      expect(await openedEmails(fixture.store, { to: email })).toEqual([]);
    const emails = await org.emails();
    const ends = "January 9, 2031 at 04:04 (Europe/Berlin)";
    expect(emails[0]?.subject).toBe(`Payment overdue: Acme will be suspended on ${ends}`);
    for (const text of [
      "A payment for the Pro plan of Acme is overdue.",
      `Everything keeps working until ${ends}.`,
      "pay the open invoice in the billing settings",
      `${dashboardUrl}/o/org-${org.id}/settings/billing`,
    ])
      expect(emails[0]?.body_text).toContain(text);
    expect(emails.slice(1).map((email) => email.body_text)).toEqual([
      expect.stringContaining("is still overdue"),
      expect.stringContaining("This is the last reminder"),
    ]);
    const german = await openedEmails(fixture.store, { to: payer.email });
    expect(german).toHaveLength(3);
    expect(german[0]?.subject).toBe(
      "Zahlung überfällig: Acme wird am 9. Januar 2031 um 04:04 (Europe/Berlin) gesperrt",
    );
  });

  test("say whom to ask if there is no subscription, and that a suspension was ended by hand", async () => {
    const org = await organization(fixture, { plan: "enterprise" });
    await org.setState("grace", 0);
    await withContact(async () => {
      await run(3);
      await run(7);
    });
    await org.setState("active", 8);
    const [first, second, stopped, restored] = await org.emails();
    expect(first?.body_text).toContain("contact this server's administrator");
    expect(second?.body_text).toContain("To pay, or if you have already paid, contact sales@example.com.");
    expect([stopped?.kind, restored?.kind]).toEqual(["billing_suspended", "billing_restored"]);
    expect(stopped?.body_text).toContain("A payment for the Enterprise plan of Acme hasn't arrived.");
    expect(stopped?.body_text).toContain("contact sales@example.com");
  });

  describe("about a plan that ends", () => {
    const subscribed = (cancelsAtMs: number | null) => {
      const { id, status, plan, interval, amount, currency } = proSubscription("active");
      return {
        ...{ subscription_id: id, subscription_status: status, subscription_plan: plan },
        ...{ subscription_interval: interval, subscription_amount: amount, subscription_currency: currency },
        cancels_at: cancelsAtMs,
      };
    };
    const planUntil = async (org: Organization, plan: "pro" | "enterprise", days: number) => {
      const byHand = { plan, planSetBy: "operator", planEndsAtMs: at(days) } as const;
      await changeTermsOf(fixture.store, org.id, (terms) => ({ ...terms, ...byHand }), start);
    };

    test("announce the end of a cancelled subscription 3 days before, once, and Stripe ends it", async () => {
      const org = await organization(fixture);
      await org.subscribe("active", 0);
      await fixture.write((db) => updateBilling(db, org.id, subscribed(at(10))));
      await changeTermsOf(fixture.store, org.id, (terms) => terms, start);
      await run(7);
      await run(20);
      expect(await org.kinds()).toEqual(["plan_ending"]);
      expect(await org.terms()).toMatchObject({ plan: "pro", state: "active" });
      const renew = "To keep the Pro plan, renew the subscription in the billing settings";
      expect((await org.emails())[0]?.body_text).toContain(renew);
    });

    test("come 3 days before the date that was set and at that date, when the plan falls back to Free", async () => {
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

    test("say what happens to version checks", async () => {
      const org = await organization(fixture);
      const [product] = await fixture.rows("products", { organization_id: org.id });
      await fixture.change("products", product?.id ?? "", { version_module_enabled: 1 });
      await planUntil(org, "pro", 2);
      await org.change({ version_checks_on_downgrade: "report" });
      await run(2);
      expect((await org.emails()).map((email) => email.body_text)).toEqual([
        expect.stringContaining("Your products keep refusing the versions that they refuse now."),
        expect.stringContaining("then only report the versions"),
      ]);
      expect((await organizationById(fixture.reads, org.id))?.had_version_module).toBe(1);
    });

    test("name the plan of a subscription that is paid, which follows", async () => {
      const org = await organization(fixture);
      await planUntil(org, "enterprise", 1);
      await fixture.write((db) => updateBilling(db, org.id, subscribed(null)));
      await run(1);
      expect(await org.terms()).toMatchObject({ plan: "pro", planSetBy: "subscription", state: "active" });
      const ended = "The Enterprise plan of Acme has ended. It now has the Pro plan.";
      expect((await org.emails()).at(-1)?.body_text).toContain(ended);
    });

    test("report a subscription that has ended, and that it falls back to Free", async () => {
      const org = await organization(fixture);
      await org.subscribe("active", 0);
      await org.subscribe("canceled", 1);
      expect(await org.terms()).toMatchObject({ plan: "free", state: "cancelled" });
      expect(await org.kinds()).toEqual(["plan_ended"]);
    });
  });
});
