import { describe, expect, test } from "bun:test";
import { dayMs, hourMs } from "@countersign/domain/dates/lengths";
import type { Permission } from "@countersign/domain/members/permissions";
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
import { onBothDatabases, type QueryFixture } from "../../../../tests/support/query-tests.ts";
import { newId } from "../../../../tests/support/test-organization.ts";
import { BillingClock, runClock } from "./clock.ts";

const start = Date.UTC(2031, 0, 2, 3, 4);

interface Organization {
  readonly id: string;
  readonly ownerEmail: string;
  terms(): ReturnType<typeof storedTerms>;
  /** The kinds of its owner's emails, oldest first. */
  kinds(): Promise<string[]>;
  /** Its audit log entries about plans and payments, oldest first. */
  audited(): Promise<[action: string, actor: string, after: object][]>;
}

async function organization(
  fixture: QueryFixture,
  columns: Partial<OrganizationRow> = {},
): Promise<Organization> {
  const { organizationId: id, store } = await fixture.organization({ plan: "free" });
  const owner = await fixture.user();
  const named = { name: "Acme", owner_id: owner.id, created_at: 0, updated_at: 0 };
  await fixture.write((db) => updateOrganization(db, id, { ...named, ...columns }));
  return {
    id,
    ownerEmail: owner.email,
    terms: () => storedTerms(store, id),
    kinds: async () => (await openedEmails(store, { to: owner.email })).map(({ kind }) => kind),
    audited: async () => {
      const rows = await store.reads
        .selectFrom("audit_log")
        .select(["action", "actor_name", "after"])
        .where("organization_id", "=", id)
        .orderBy("at")
        .orderBy("id")
        .execute();
      return rows.map((row) => [row.action, row.actor_name, JSON.parse(row.after ?? "{}")]);
    },
  };
}

/** An organization that pays for Pro, whose payment failed at this time. */
async function overdue(fixture: QueryFixture, sinceMs = start): Promise<Organization> {
  const org = await organization(fixture);
  await subscribe(fixture.store, org.id, "active", sinceMs - dayMs);
  await subscribe(fixture.store, org.id, "past_due", sinceMs);
  return org;
}

/** The clocks of several nodes at this time, all at once. */
async function runAll({ store }: QueryFixture, nowMs: number): Promise<void> {
  const nodes = Array.from({ length: 4 }, () => new BillingClock(store, dashboardUrl, async () => nowMs));
  await Promise.all(nodes.map((node) => node.run()));
}

/** A member with a role of their own. */
async function member(fixture: QueryFixture, organizationId: string, permission: Permission) {
  const user = await fixture.user();
  const role = { id: newId(), organization_id: organizationId, created_at: 0, updated_at: 0 };
  await fixture.write(async (db) => {
    await db
      .insertInto("roles")
      .values({ ...role, name: role.id, permissions: JSON.stringify([permission]) })
      .execute();
    await db
      .insertInto("members")
      .values({ organization_id: organizationId, user_id: user.id, role_id: role.id, created_at: 0 })
      .execute();
  });
  return user;
}

onBothDatabases("a grace period", (fixture) => {
  const at = (days: number) => start + days * dayMs;
  const run = (days: number) => runAll(fixture, at(days));

  test("has its emails on day 0, 3 and 6, ends after day 7, and a payment ends the suspension", async () => {
    const org = await overdue(fixture);
    const story: [day: number, emails: number, state: string][] = [];
    const tell = async (day: number) =>
      story.push([day, (await org.kinds()).length, (await org.terms()).state]);
    for (const day of [0, 2.99, 3, 5.99, 6, 6.99, 7, 30]) {
      await run(day);
      await tell(day);
    }
    await subscribe(fixture.store, org.id, "active", at(31));
    await tell(31);
    await run(131);
    await tell(131);
    expect(story).toEqual([
      [0, 1, "grace"],
      [2.99, 1, "grace"],
      [3, 2, "grace"],
      [5.99, 2, "grace"],
      [6, 3, "grace"],
      [6.99, 3, "grace"],
      [7, 4, "suspended"],
      [30, 4, "suspended"],
      [31, 5, "active"],
      [131, 5, "active"],
    ]);
    const emails = await openedEmails(fixture.store, { to: org.ownerEmail });
    expect(emails.map((email) => [email.kind, (email.created_at - start) / dayMs])).toEqual([
      ["billing_grace", 0],
      ["billing_grace", 3],
      ["billing_grace", 6],
      ["billing_suspended", 7],
      ["billing_restored", 31],
    ]);
    const graceEndsAt = new Date(at(7)).toISOString();
    expect(await org.audited()).toEqual([
      ["organization.plan_changed", "Stripe", { plan: "pro", plan_set_by: "subscription" }],
      ["organization.billing_changed", "Stripe", { billing_state: "grace", grace_ends_at: graceEndsAt }],
      ["organization.billing_changed", "Countersign", { billing_state: "suspended", grace_ends_at: null }],
      ["organization.billing_changed", "Stripe", { billing_state: "active" }],
    ]);
  });

  test("ends with a payment, and the next one starts at its beginning", async () => {
    const org = await overdue(fixture);
    await run(3);
    await subscribe(fixture.store, org.id, "active", at(4));
    await run(20);
    expect(await org.kinds()).toEqual(["billing_grace", "billing_grace", "billing_restored"]);
    expect(await org.terms()).toMatchObject({ state: "active", graceEndsAtMs: null });
    await subscribe(fixture.store, org.id, "past_due", at(30));
    await subscribe(fixture.store, org.id, "past_due", at(31));
    await runAll(fixture, at(36) + 23 * hourMs);
    expect(await org.terms()).toMatchObject({ state: "grace" });
    expect((await org.kinds()).slice(3)).toEqual(["billing_grace", "billing_grace"]);
    await run(37);
    expect(await org.terms()).toMatchObject({ state: "suspended" });
  });

  test("has only its latest email after a downtime, and suspends at once if it has ended", async () => {
    const [late, later] = [await overdue(fixture), await overdue(fixture, at(-2.5))];
    await run(6.5);
    expect(await late.kinds()).toEqual(["billing_grace", "billing_grace"]);
    expect(await later.kinds()).toEqual(["billing_grace", "billing_suspended"]);
    await run(100);
    expect(await late.kinds()).toEqual(["billing_grace", "billing_grace", "billing_suspended"]);
    expect(await later.kinds()).toEqual(["billing_grace", "billing_suspended"]);
  });

  test("set by hand lasts 7 days, and setting it again does not restart it", async () => {
    const org = await organization(fixture, { plan: "pro" });
    await setStateByHand(fixture.store, org.id, "grace", start);
    await setStateByHand(fixture.store, org.id, "grace", at(1));
    expect(await org.terms()).toMatchObject({ graceEndsAtMs: at(7) });
    await setStateByHand(fixture.store, org.id, "suspended", at(2));
    await setStateByHand(fixture.store, org.id, "active", at(3));
    await run(50);
    expect(await org.kinds()).toEqual(["billing_grace", "billing_suspended", "billing_restored"]);
  });

  test("that goes on changes nothing and writes nothing", async () => {
    const org = await overdue(fixture);
    const before = await organizationById(fixture.reads, org.id);
    const audited = await org.audited();
    await subscribe(fixture.store, org.id, "past_due", start + hourMs);
    await runAll(fixture, start + hourMs);
    expect(await organizationById(fixture.reads, org.id)).toEqual(before as never);
    expect(await org.audited()).toEqual(audited);
    expect(await org.kinds()).toEqual(["billing_grace"]);
  });

  test("goes on for an organization that the operator suspended, without emails about its service", async () => {
    const org = await overdue(fixture);
    await fixture.write((db) => updateOrganization(db, org.id, { suspended_at: start }));
    await run(3);
    await run(7);
    expect(await org.terms()).toMatchObject({ state: "suspended" });
    expect(await org.kinds()).toEqual(["billing_grace"]);
  });

  test("of a deleted organization is left alone", async () => {
    const org = await overdue(fixture);
    await fixture.write((db) => updateOrganization(db, org.id, { deleted_at: start }));
    await run(10);
    expect(await org.terms()).toMatchObject({ state: "grace" });
    expect(await org.kinds()).toEqual(["billing_grace"]);
    expect((await billingOf(fixture.reads, org.id))?.due_at).toBeNull();
  });
});

onBothDatabases("the billing clock of several nodes", (fixture) => {
  const atEnd = start + 7 * dayMs;

  test("a node that stops in the middle leaves nothing, and another one does it all", async () => {
    const org = await overdue(fixture);
    const interrupted = fixture.write(async (db) => {
      await runClock(db, org.id, dashboardUrl, atEnd);
      throw new Error("The process ended.");
    });
    expect(interrupted).rejects.toThrow("The process ended.");
    await interrupted.catch(() => {});
    expect(await org.terms()).toMatchObject({ state: "grace" });
    expect(await org.kinds()).toEqual(["billing_grace"]);
    await runAll(fixture, atEnd);
    expect(await org.kinds()).toEqual(["billing_grace", "billing_suspended"]);
    expect(await org.audited()).toHaveLength(3);
  });

  test("a node that cannot change an organization goes on with the others", async () => {
    // What other tests left is done.
    await runAll(fixture, atEnd);
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
    const terms = await Promise.all(all.map((org) => org.terms()));
    expect(terms.map(({ state }) => state).toSorted()).toEqual(["grace", "suspended", "suspended"]);
    await runAll(fixture, atEnd);
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
    const audited = await fixture.reads
      .selectFrom("audit_log")
      .innerJoin("organizations", "organizations.id", "audit_log.organization_id")
      .select("billing_state")
      .where("organization_id", "in", ids)
      .execute();
    expect(audited.map((row) => row.billing_state)).toEqual(ids.map(() => "suspended"));
  });
});

onBothDatabases("emails of the billing clock", (fixture) => {
  const run = (days: number) => runAll(fixture, start + days * dayMs);
  const to = (email: string) => openedEmails(fixture.store, { to: email });
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
    const payer = await member(fixture, org.id, "billing:manage");
    const viewer = await member(fixture, org.id, "billing:view");
    const suspended = await member(fixture, org.id, "billing:manage");
    await fixture.write(async (db) => {
      await db.updateTable("users").set({ locale: "de" }).where("id", "=", payer.id).execute();
      await db.updateTable("users").set({ suspended_at: start }).where("id", "=", suspended.id).execute();
    });
    await subscribe(fixture.store, org.id, "active", start);
    await subscribe(fixture.store, org.id, "past_due", start);
    await run(3);
    await run(6);
    expect(await to(viewer.email)).toEqual([]);
    expect(await to(suspended.email)).toEqual([]);
    const [first, second, last, ...more] = await to(org.ownerEmail);
    expect(more).toEqual([]);
    const ends = "January 9, 2031 at 04:04 (Europe/Berlin)";
    expect(first?.subject).toBe(`Payment overdue: Acme will be suspended on ${ends}`);
    for (const text of [
      "A payment for the Pro plan of Acme is overdue.",
      `Everything keeps working until ${ends}.`,
      "pay the open invoice in the billing settings",
      `${dashboardUrl}/o/org-${org.id}/settings/billing`,
    ])
      expect(first?.body_text).toContain(text);
    expect(second?.body_text).toContain("is still overdue");
    expect(last?.body_text).toContain("This is the last reminder");
    const german = await to(payer.email);
    expect(german).toHaveLength(3);
    expect(german[0]?.subject).toBe(
      "Zahlung überfällig: Acme wird am 9. Januar 2031 um 04:04 (Europe/Berlin) gesperrt",
    );
  });

  test("say whom to ask if there is no subscription", async () => {
    const org = await organization(fixture, { plan: "enterprise" });
    await setStateByHand(fixture.store, org.id, "grace", start);
    await withContact(async () => {
      await run(3);
      await run(7);
    });
    const [first, second, stopped] = await to(org.ownerEmail);
    expect(first?.body_text).toContain("contact this server's administrator");
    expect(second?.body_text).toContain("To pay, or if you have already paid, contact sales@example.com.");
    expect(stopped?.kind).toBe("billing_suspended");
    expect(stopped?.body_text).toContain("A payment for the Enterprise plan of Acme hasn't arrived.");
    expect(stopped?.body_text).toContain("contact sales@example.com");
  });

  describe("about a plan that ends", () => {
    const subscribed = (cancelsAtMs: number | null) => {
      const { id, status, plan, interval, amount, currency } = proSubscription("active");
      return {
        subscription_id: id,
        subscription_status: status,
        subscription_plan: plan,
        subscription_interval: interval,
        subscription_amount: amount,
        subscription_currency: currency,
        cancels_at: cancelsAtMs,
      };
    };
    const planUntil = async (org: Organization, plan: "pro" | "enterprise", days: number) => {
      const byHand = { plan, planSetBy: "operator", planEndsAtMs: start + days * dayMs } as const;
      await changeTermsOf(fixture.store, org.id, (terms) => ({ ...terms, ...byHand }), start);
    };

    test("announce the end of a cancelled subscription 3 days before, once, and Stripe ends it", async () => {
      const org = await organization(fixture);
      await subscribe(fixture.store, org.id, "active", start);
      await fixture.write((db) => updateBilling(db, org.id, subscribed(start + 10 * dayMs)));
      await changeTermsOf(fixture.store, org.id, (terms) => terms, start);
      await run(6.9);
      expect(await org.kinds()).toEqual([]);
      await run(7);
      await run(20);
      expect(await org.kinds()).toEqual(["plan_ending"]);
      expect(await org.terms()).toMatchObject({ plan: "pro", state: "active" });
      const [ending] = await to(org.ownerEmail);
      expect(ending?.body_text).toContain(
        "To keep the Pro plan, renew the subscription in the billing settings",
      );
    });

    test("come 3 days before the date that was set and at that date, when the plan falls back to Free", async () => {
      const org = await organization(fixture);
      await withContact(async () => {
        await planUntil(org, "pro", 10);
        await run(6.9);
        expect(await org.kinds()).toEqual([]);
        await run(7);
        await run(9.9);
        expect(await org.kinds()).toEqual(["plan_ending"]);
        expect(await org.terms()).toMatchObject({ plan: "pro" });
        await run(10);
        await run(20);
      });
      expect(await org.kinds()).toEqual(["plan_ending", "plan_ended"]);
      const ended = { plan: "free", planSetBy: "default", planEndsAtMs: null, state: "active" };
      expect(await org.terms()).toMatchObject(ended);
      const [before, after] = await to(org.ownerEmail);
      expect(before?.subject).toContain("The Pro plan of Acme ends on ");
      expect(before?.body_text).toContain("After that, it has the Free plan.");
      expect(before?.body_text).toContain("To keep the Pro plan, contact sales@example.com.");
      expect(before?.body_text).not.toContain("version checks");
      expect(after?.body_text).toContain("It now has the Free plan.");
    });

    test("say what happens to version checks", async () => {
      const org = await organization(fixture);
      await fixture.write((db) =>
        db
          .updateTable("products")
          .set({ version_module_enabled: 1 })
          .where("organization_id", "=", org.id)
          .execute(),
      );
      await planUntil(org, "pro", 2);
      const [soon] = await to(org.ownerEmail);
      expect(soon?.body_text).toContain("Your products keep refusing the versions that they refuse now.");
      await fixture.write((db) => updateOrganization(db, org.id, { version_checks_on_downgrade: "report" }));
      await run(2);
      const [, ended] = await to(org.ownerEmail);
      expect(ended?.body_text).toContain("then only report the versions");
      expect((await organizationById(fixture.reads, org.id))?.had_version_module).toBe(1);
    });

    test("name the plan of a subscription that is paid, which follows", async () => {
      const org = await organization(fixture);
      await planUntil(org, "enterprise", 1);
      await fixture.write((db) => updateBilling(db, org.id, subscribed(null)));
      await run(1);
      const terms = { plan: "pro", planSetBy: "subscription", state: "active" };
      expect(await org.terms()).toMatchObject(terms);
      const ended = (await to(org.ownerEmail)).at(-1);
      expect(ended?.body_text).toContain("The Enterprise plan of Acme has ended. It now has the Pro plan.");
    });

    test("report a subscription that has ended, and that it falls back to Free", async () => {
      const org = await organization(fixture);
      await subscribe(fixture.store, org.id, "active", start);
      await subscribe(fixture.store, org.id, "canceled", start + dayMs);
      expect(await org.terms()).toMatchObject({ plan: "free", state: "cancelled" });
      expect(await org.kinds()).toEqual(["plan_ended"]);
    });
  });
});
