import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { openStore } from "@countersign/store/open";
import { setState } from "@countersign/store/queries/admin/platform-state";
import { updateBilling } from "@countersign/store/queries/billing/billing";
import {
  createOrganization,
  updateOrganization,
} from "@countersign/store/queries/organizations/organizations";
import type { Store } from "@countersign/store/store";
import type { OrganizationRow } from "@countersign/store/tables";
import { BillingClock, runClock } from "../../apps/server/features/billing/clock.ts";
import { addLicense } from "../support/add-license.ts";
import { type Api, apiOf } from "../support/api.ts";
import {
  changeTermsOf,
  dashboardUrl,
  proSubscription,
  setStateByHand,
  storedTerms,
  subscribe,
} from "../support/billing.ts";
import { databases } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { type ManageFixture, openManageFixture, type Person } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { newId, openTestOrganization } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(120_000);

const dayMs = 86_400_000;
const hourMs = 3_600_000;

describe.each(databases)("the billing clock on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  /** On PostgreSQL, another server and another store on the same database. */
  let secondServer: ServerProcess | null = null;
  let stores: Store[];
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    const { database, store } = fixture;
    stores = [store];
    if (kind !== "postgres") return;
    secondServer = await startServerProcess(database.environment);
    stores.push(await openStore(database.location, { encryptionKey: null, durability: "standard" }));
  });
  afterAll(async () => {
    await secondServer?.stop();
    await stores[1]?.close();
    await fixture.close();
  });

  interface Organization {
    readonly id: string;
    readonly owner: Person;
    readonly apis: readonly Api[];
    readonly license: { readonly license_key: string };
    /** The result of a validation on each node. */
    validate(): Promise<unknown[]>;
    emails(): Promise<{ kind: string; at: number; to: string }[]>;
    /** Its audit log entries about plans and payments, oldest first. */
    audited(): Promise<[action: string, actor: string, after: object][]>;
  }

  const organization = async (columns: Partial<OrganizationRow> = {}): Promise<Organization> => {
    const owner = await fixture.person();
    const { body: made } = await owner.api.post("/organizations", { name: "Acme" });
    const id = String(made.id);
    const { body: product } = await owner.api.post(`/organizations/${id}/products`, { name: "Tool" });
    const { key } = await addLicense({
      store: fixture.store,
      organizationId: id,
      productId: String(product.id),
    });
    await fixture.store.transaction((db) => updateOrganization(db, id, { plan: "free", ...columns }));
    const servers = [fixture.server, ...(secondServer === null ? [] : [secondServer])];
    const apis = servers.map((server) => apiOf(server.url, String(product.api_key)));
    const license = { license_key: key };
    return {
      id,
      owner,
      apis,
      license,
      validate: () => Promise.all(apis.map(async (api) => (await api.validate(license)).body.status)),
      emails: async () => {
        const rows = await openedEmails(fixture.store, { to: owner.email });
        return rows
          .filter((row) => /^(?:billing|plan)_/.test(row.kind))
          .map((row) => ({ kind: row.kind, at: row.created_at, to: row.recipient }));
      },
      audited: async () => {
        const rows = await fixture.store.reads
          .selectFrom("audit_log")
          .select(["action", "actor_name", "after"])
          .where("organization_id", "=", id)
          .where("action", "in", ["organization.plan_changed", "organization.billing_changed"])
          .orderBy("at")
          .orderBy("id")
          .execute();
        return rows.map((row) => [row.action, row.actor_name, JSON.parse(row.after ?? "{}")]);
      },
    };
  };
  /** Every node's clock at this time, several times and all at once. */
  const runAll = async (nowMs: number, times = 4) => {
    const clocks = Array.from({ length: times }, () => stores).flat();
    await Promise.all(clocks.map((store) => new BillingClock(store, dashboardUrl, async () => nowMs).run()));
  };
  const kinds = async ({ emails }: Organization) => (await emails()).map((email) => email.kind);
  /** An organization that pays for Pro, whose payment failed at this time. */
  const overdue = async (startMs: number) => {
    const org = await organization();
    await subscribe(fixture.store, org.id, "active", startMs - dayMs);
    await subscribe(fixture.store, org.id, "past_due", startMs);
    return org;
  };
  const now = () => fixture.store.clock();

  test("a grace period has its emails on day 0, 3 and 6, ends after day 7, and a payment ends the suspension", async () => {
    const start = await now();
    const org = await overdue(start);
    const story: [time: string, emails: number, state: string, validations: unknown[]][] = [];
    const tell = async (nowMs: number) => {
      const { state } = await storedTerms(fixture.store, org.id);
      const days = ((nowMs - start) / dayMs).toFixed(2);
      story.push([`day ${days}`, (await org.emails()).length, state, await org.validate()]);
    };
    const times = [0, 2.99, 3, 5.99, 6, 6.99, 7, 30].map((days) => start + days * dayMs);
    for (const time of times) {
      await runAll(time);
      await tell(time);
    }
    const paidAt = start + 31 * dayMs;
    await subscribe(fixture.store, org.id, "active", paidAt);
    // The very next validation, on every node.
    await tell(paidAt);
    await runAll(paidAt + 100 * dayMs);
    await tell(paidAt + 100 * dayMs);

    const [active, suspended] = [org.apis.map(() => "active"), org.apis.map(() => "billing_suspended")];
    expect(story).toEqual([
      ["day 0.00", 1, "grace", active],
      ["day 2.99", 1, "grace", active],
      ["day 3.00", 2, "grace", active],
      ["day 5.99", 2, "grace", active],
      ["day 6.00", 3, "grace", active],
      ["day 6.99", 3, "grace", active],
      ["day 7.00", 4, "suspended", suspended],
      ["day 30.00", 4, "suspended", suspended],
      ["day 31.00", 5, "active", active],
      ["day 131.00", 5, "active", active],
    ]);
    expect((await org.emails()).map((email) => [email.kind, (email.at - start) / dayMs])).toEqual([
      ["billing_grace", 0],
      ["billing_grace", 3],
      ["billing_grace", 6],
      ["billing_suspended", 7],
      ["billing_restored", 31],
    ]);
    const graceEndsAt = new Date(start + 7 * dayMs).toISOString();
    expect(await org.audited()).toEqual([
      ["organization.plan_changed", "Stripe", { plan: "pro", plan_set_by: "subscription" }],
      ["organization.billing_changed", "Stripe", { billing_state: "grace", grace_ends_at: graceEndsAt }],
      ["organization.billing_changed", "Countersign", { billing_state: "suspended", grace_ends_at: null }],
      ["organization.billing_changed", "Stripe", { billing_state: "active" }],
    ]);
  });

  test("a payment in the grace period ends it, and the next one starts at its beginning", async () => {
    const start = await now();
    const org = await overdue(start);
    await runAll(start + 3 * dayMs);
    await subscribe(fixture.store, org.id, "active", start + 4 * dayMs);
    await runAll(start + 20 * dayMs);
    expect(await kinds(org)).toEqual(["billing_grace", "billing_grace", "billing_restored"]);
    expect(await storedTerms(fixture.store, org.id)).toMatchObject({ state: "active", graceEndsAtMs: null });

    await subscribe(fixture.store, org.id, "past_due", start + 30 * dayMs);
    await subscribe(fixture.store, org.id, "past_due", start + 31 * dayMs);
    await runAll(start + 36 * dayMs + 23 * hourMs);
    expect(await storedTerms(fixture.store, org.id)).toMatchObject({ state: "grace" });
    expect((await kinds(org)).slice(3)).toEqual(["billing_grace", "billing_grace"]);
    await runAll(start + 37 * dayMs);
    expect(await storedTerms(fixture.store, org.id)).toMatchObject({ state: "suspended" });
  });

  test("after a downtime only the latest email is written, and a grace period that ended suspends at once", async () => {
    const start = await now();
    // Not three days ago: the servers' own clocks would write that day's email at any moment.
    const [late, later] = [await overdue(start), await overdue(start - 2.5 * dayMs)];
    await runAll(start + 6.5 * dayMs);
    expect(await kinds(late)).toEqual(["billing_grace", "billing_grace"]);
    expect(await kinds(later)).toEqual(["billing_grace", "billing_suspended"]);
    expect(await later.validate()).toEqual(later.apis.map(() => "billing_suspended"));
    await runAll(start + 100 * dayMs);
    expect(await kinds(late)).toEqual(["billing_grace", "billing_grace", "billing_suspended"]);
    expect(await kinds(later)).toEqual(["billing_grace", "billing_suspended"]);
  });

  test("a node that stops in the middle leaves nothing, and another one does it all", async () => {
    const start = await now();
    const org = await overdue(start);
    const atEnd = start + 7 * dayMs;
    const interrupted = fixture.store.transaction(async (db) => {
      await runClock(db, org.id, dashboardUrl, atEnd);
      throw new Error("The process ended.");
    });
    expect(interrupted).rejects.toThrow("The process ended.");
    await interrupted.catch(() => {});
    expect(await storedTerms(fixture.store, org.id)).toMatchObject({ state: "grace" });
    expect(await kinds(org)).toEqual(["billing_grace"]);
    await runAll(atEnd);
    expect(await kinds(org)).toEqual(["billing_grace", "billing_suspended"]);
    expect((await org.audited()).length).toBe(3);
  });

  test("an organization that cannot be changed does not stop the others", async () => {
    const start = await now();
    const all = [await overdue(start), await overdue(start), await overdue(start)];
    let failures = 0;
    const failing = new Proxy(fixture.store, {
      get: (store, name) => {
        if (name !== "transaction") return Reflect.get(store, name);
        return (...parts: Parameters<Store["transaction"]>) => {
          if (failures > 0) return store.transaction(...parts);
          failures++;
          return Promise.reject(new Error("The disk is full."));
        };
      },
    });
    const later = start + 8 * dayMs;
    expect(new BillingClock(failing, dashboardUrl, async () => later).run()).rejects.toThrow("disk is full");
    await until("the others are suspended", async () => {
      const terms = await Promise.all(all.map(({ id }) => storedTerms(fixture.store, id)));
      return terms.filter(({ state }) => state === "suspended").length === 2;
    });
    await runAll(later);
    for (const org of all) expect(await kinds(org)).toEqual(["billing_grace", "billing_suspended"]);
  });

  test("many organizations that are due at once are all handled", async () => {
    const start = await now();
    const ids = Array.from({ length: 250 }, () => newId());
    await fixture.store.transaction(async (db) => {
      for (const id of ids) {
        await createOrganization(db, { id, name: "One of many", slug: id, plan: "pro" }, start);
        await db
          .insertInto("organization_billing")
          .values({ organization_id: id, grace_started_at: start, due_at: start, updated_at: start })
          .execute();
        const grace = { billing_state: "grace", grace_ends_at: start + 7 * dayMs } as const;
        await updateOrganization(db, id, grace);
      }
    });
    await runAll(start + 7 * dayMs, 1);
    const rows = await fixture.store.reads
      .selectFrom("organizations")
      .select("billing_state")
      .where("name", "=", "One of many")
      .execute();
    expect(rows.map((row) => row.billing_state)).toEqual(ids.map(() => "suspended"));
    expect(await audits(ids)).toBe(ids.length);
  });

  const audits = async (ids: readonly string[]) => {
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select("id")
      .where("organization_id", "in", ids)
      .where("action", "=", "organization.billing_changed")
      .execute();
    return rows.length;
  };

  test("emails go to the owner and to members who manage billing, each in their language", async () => {
    const start = await now();
    const org = await organization();
    const payer = await fixture.member(["billing:manage"], org.id);
    const viewer = await fixture.member(["billing:view"], org.id);
    const suspended = await fixture.member(["billing:manage"], org.id);
    await fixture.store.transaction(async (db) => {
      await db.updateTable("users").set({ locale: "de" }).where("id", "=", payer.userId).execute();
      await db.updateTable("users").set({ suspended_at: start }).where("id", "=", suspended.userId).execute();
      await updateOrganization(db, org.id, { time_zone: "Europe/Berlin" });
    });
    await subscribe(fixture.store, org.id, "active", start);
    const failedAt = Date.UTC(2031, 0, 2, 3, 4);
    await subscribe(fixture.store, org.id, "past_due", failedAt);
    await runAll(failedAt + 3 * dayMs);
    await runAll(failedAt + 6 * dayMs);

    const to = async ({ email }: Person) => openedEmails(fixture.store, { to: email });
    expect(await to(viewer)).toEqual([]);
    expect(await to(suspended)).toEqual([]);
    const [first, second, last, ...more] = await to(org.owner);
    expect(more).toEqual([]);
    const ends = "January 9, 2031 at 04:04 (Europe/Berlin)";
    expect(first?.subject).toBe(`Payment overdue: Acme will be suspended on ${ends}`);
    expect(first?.body_text).toContain("A payment for the Pro plan of Acme is overdue.");
    expect(first?.body_text).toContain(`Everything keeps working until ${ends}.`);
    expect(first?.body_text).toContain("pay the open invoice in the billing settings");
    const { slug } = (await org.owner.api.get(`/organizations/${org.id}`)).body;
    expect(first?.body_text).toContain(`${dashboardUrl}/o/${slug}/settings/billing`);
    expect(second?.body_text).toContain("is still overdue");
    expect(last?.body_text).toContain("This is the last reminder");
    const german = await to(payer);
    expect(german.length).toBe(3);
    expect(german[0]?.subject).toBe(
      "Zahlung überfällig: Acme wird am 9. Januar 2031 um 04:04 (Europe/Berlin) gesperrt",
    );
  });

  test("without a subscription the emails say whom to ask", async () => {
    const start = await now();
    const org = await organization({ plan: "enterprise" });
    await setStateByHand(fixture.store, org.id, "grace", start);
    await fixture.store.transaction((db) => setState(db, "billing_contact", "sales@example.com"));
    await runAll(start + 3 * dayMs);
    await runAll(start + 7 * dayMs);
    const [first, second, stopped] = await openedEmails(fixture.store, { to: org.owner.email });
    expect(first?.body_text).toContain("contact this server's administrator");
    expect(second?.body_text).toContain("To pay, or if you have already paid, contact sales@example.com.");
    expect(stopped?.kind).toBe("billing_suspended");
    expect(stopped?.body_text).toContain("A payment for the Enterprise plan of Acme hasn't arrived.");
    expect(stopped?.body_text).toContain("contact sales@example.com");
  });

  test("a grace period set by hand starts the 7 days, and setting it again does not restart them", async () => {
    const start = await now();
    const org = await organization({ plan: "pro" });
    await setStateByHand(fixture.store, org.id, "grace", start);
    await setStateByHand(fixture.store, org.id, "grace", start + dayMs);
    expect(await storedTerms(fixture.store, org.id)).toMatchObject({ graceEndsAtMs: start + 7 * dayMs });
    await setStateByHand(fixture.store, org.id, "suspended", start + 2 * dayMs);
    expect(await org.validate()).toEqual(org.apis.map(() => "billing_suspended"));
    await setStateByHand(fixture.store, org.id, "active", start + 3 * dayMs);
    expect(await org.validate()).toEqual(org.apis.map(() => "active"));
    await runAll(start + 50 * dayMs);
    expect(await kinds(org)).toEqual(["billing_grace", "billing_suspended", "billing_restored"]);
  });

  test("a change that changes nothing writes nothing", async () => {
    const start = await now();
    const org = await overdue(start);
    const read = async () => (await org.owner.api.get(`/organizations/${org.id}`)).body;
    const before = await read();
    const audited = await org.audited();
    await subscribe(fixture.store, org.id, "past_due", start + hourMs);
    await runAll(start + hourMs);
    expect(await read()).toEqual(before);
    expect(await org.audited()).toEqual(audited);
    expect(await kinds(org)).toEqual(["billing_grace"]);
  });

  test("the clock runs for an organization that the operator suspended, without emails about its service", async () => {
    const start = await now();
    const org = await overdue(start);
    const suspend = { reason: "Abuse" };
    await fixture.admin.api.post(`/admin/organizations/${org.id}/suspend`, suspend);
    await runAll(start + 3 * dayMs);
    await runAll(start + 7 * dayMs);
    expect(await storedTerms(fixture.store, org.id)).toMatchObject({ state: "suspended" });
    expect(await kinds(org)).toEqual(["billing_grace"]);
    expect(await org.validate()).toEqual(org.apis.map(() => "org_suspended"));
  });

  test("a deleted organization is left alone", async () => {
    const start = await now();
    const org = await overdue(start);
    await fixture.store.transaction((db) => updateOrganization(db, org.id, { deleted_at: start }));
    await runAll(start + 10 * dayMs);
    expect(await storedTerms(fixture.store, org.id)).toMatchObject({ state: "grace" });
    expect(await kinds(org)).toEqual(["billing_grace"]);
    const due = await fixture.store.reads
      .selectFrom("organization_billing")
      .select("due_at")
      .where("organization_id", "=", org.id)
      .executeTakeFirstOrThrow();
    expect(due.due_at).toBeNull();
  });

  test("the end of a cancelled subscription is announced 3 days before, once, and Stripe ends it", async () => {
    const start = await now();
    const org = await organization();
    await changeTermsOf(
      fixture.store,
      org.id,
      (terms) => ({ ...terms, plan: "pro", planSetBy: "subscription" }),
      start,
    );
    await fixture.store.transaction((db) =>
      updateBilling(db, org.id, {
        subscription_id: "sub_1",
        subscription_status: "active",
        subscription_plan: "pro",
        subscription_interval: "month",
        subscription_amount: 2_900,
        subscription_currency: "usd",
        cancels_at: start + 10 * dayMs,
      }),
    );
    await changeTermsOf(fixture.store, org.id, (terms) => terms, start);
    await runAll(start + 6.9 * dayMs);
    expect(await kinds(org)).toEqual([]);
    await runAll(start + 7 * dayMs);
    await runAll(start + 20 * dayMs);
    expect(await kinds(org)).toEqual(["plan_ending"]);
    expect(await storedTerms(fixture.store, org.id)).toMatchObject({ plan: "pro", state: "active" });
    const [ending] = await openedEmails(fixture.store, { to: org.owner.email });
    expect(ending?.body_text).toContain(
      "To keep the Pro plan, renew the subscription in the billing settings",
    );
  });

  describe("a plan that was set until a date", () => {
    const planUntil = async (org: Organization, endsAtMs: number, nowMs: number) => {
      const byHand = { plan: "pro", planSetBy: "operator", planEndsAtMs: endsAtMs } as const;
      await changeTermsOf(fixture.store, org.id, (terms) => ({ ...terms, ...byHand }), nowMs);
    };

    test("falls back to Free at that date, with an email 3 days before and one then", async () => {
      const start = await now();
      const org = await organization();
      await planUntil(org, start + 10 * dayMs, start);
      await runAll(start + 6.9 * dayMs);
      expect(await kinds(org)).toEqual([]);
      await runAll(start + 7 * dayMs);
      await runAll(start + 9.9 * dayMs);
      expect(await kinds(org)).toEqual(["plan_ending"]);
      expect(await storedTerms(fixture.store, org.id)).toMatchObject({ plan: "pro" });
      await runAll(start + 10 * dayMs);
      await runAll(start + 20 * dayMs);
      expect(await kinds(org)).toEqual(["plan_ending", "plan_ended"]);
      const terms = await storedTerms(fixture.store, org.id);
      expect(terms).toMatchObject({
        plan: "free",
        planSetBy: "default",
        planEndsAtMs: null,
        state: "active",
      });
      const row = await fixture.admin.api.get(`/admin/organizations/${org.id}`);
      expect(row.body).toMatchObject({ plan: "free", plan_set_by: "default", plan_ends_at: null });
      const [ending, ended] = await openedEmails(fixture.store, { to: org.owner.email });
      expect(ending?.subject).toContain("The Pro plan of Acme ends on ");
      expect(ending?.body_text).toContain("After that, it has the Free plan.");
      expect(ending?.body_text).toContain("To keep the Pro plan, contact sales@example.com.");
      expect(ending?.body_text).not.toContain("version checks");
      expect(ended?.body_text).toContain("It now has the Free plan.");
    });

    test("is announced with what happens to version checks", async () => {
      const start = await now();
      const org = await organization();
      await fixture.store.transaction((db) =>
        db
          .updateTable("products")
          .set({ version_module_enabled: 1 })
          .where("organization_id", "=", org.id)
          .execute(),
      );
      await planUntil(org, start + 2 * dayMs, start);
      const [soon] = await openedEmails(fixture.store, { to: org.owner.email });
      expect(soon?.body_text).toContain("Your products keep refusing the versions that they refuse now.");
      await fixture.store.transaction((db) =>
        updateOrganization(db, org.id, { version_checks_on_downgrade: "report" }),
      );
      await runAll(start + 2 * dayMs);
      const [, ended] = await openedEmails(fixture.store, { to: org.owner.email });
      expect(ended?.body_text).toContain("then only report the versions");
      const row = await fixture.store.reads
        .selectFrom("organizations")
        .select("had_version_module")
        .where("id", "=", org.id)
        .executeTakeFirstOrThrow();
      expect(row.had_version_module).toBe(1);
    });

    test("is followed by the plan of a subscription that is paid", async () => {
      const start = await now();
      const org = await organization();
      const byHand = { plan: "enterprise", planSetBy: "operator", planEndsAtMs: start + dayMs } as const;
      await changeTermsOf(fixture.store, org.id, (terms) => ({ ...terms, ...byHand }), start);
      const { id, status, plan, interval, amount, currency } = proSubscription("active");
      await fixture.store.transaction((db) =>
        updateBilling(db, org.id, {
          subscription_id: id,
          subscription_status: status,
          subscription_plan: plan,
          subscription_interval: interval,
          subscription_amount: amount,
          subscription_currency: currency,
        }),
      );
      await runAll(start + dayMs);
      expect(await storedTerms(fixture.store, org.id)).toMatchObject({
        plan: "pro",
        planSetBy: "subscription",
        state: "active",
      });
      const ended = (await openedEmails(fixture.store, { to: org.owner.email })).at(-1);
      expect(ended?.body_text).toContain("The Enterprise plan of Acme has ended. It now has the Pro plan.");
    });
  });

  test("a subscription that ends falls back to Free, with an email", async () => {
    const start = await now();
    const org = await organization();
    await subscribe(fixture.store, org.id, "active", start);
    await subscribe(fixture.store, org.id, "canceled", start + dayMs);
    expect(await storedTerms(fixture.store, org.id)).toMatchObject({ plan: "free", state: "cancelled" });
    expect(await org.validate()).toEqual(org.apis.map(() => "active"));
    expect(await kinds(org)).toEqual(["plan_ended"]);
  });

  test("GET billing shows the plan, its limits, and how it is paid", async () => {
    const start = await now();
    const org = await overdue(start);
    const path = `/organizations/${org.id}/billing`;
    const { status, body } = await org.owner.api.get(path);
    expect([status, body]).toMatchObject([
      200,
      {
        plan: "pro",
        plan_name: "Pro",
        plan_set_by: "subscription",
        plan_ends_at: null,
        billing_state: "grace",
        grace_ends_at: new Date(start + 7 * dayMs).toISOString(),
        subscription: null,
        payments_available: false,
        can_manage_payments: false,
        contact: "sales@example.com",
        version_checks: { included: true, product_count: 0, on_downgrade: "enforce" },
      },
    ]);
    expect(body.limits.map((limit: { name: string; used: number }) => [limit.name, limit.used])).toEqual([
      ["products", 1],
      ["licenses", 1],
      ["members", 1],
      ["webhooks", 0],
    ]);
    const viewer = await fixture.member(["billing:view"], org.id);
    expect((await viewer.api.get(path)).status).toBe(200);
    const other = await fixture.member(["products:view"], org.id);
    expect((await other.api.get(path)).status).toBe(403);
    const none = await organization();
    expect((await none.owner.api.get(`/organizations/${none.id}/billing`)).body).toMatchObject({
      plan: "free",
      plan_set_by: "default",
      billing_state: "active",
      grace_ends_at: null,
    });
  });
});

describe.each(databases)("a server that starts after a downtime on $kind", ({ make }) => {
  test("suspends an organization whose grace period ended in the meantime", async () => {
    const database = await make();
    const org = await openTestOrganization(database.location, { plan: "free" });
    const license = await org.license();
    const nowMs = await org.store.clock();
    // As if the payment had failed ten days ago, and every server had stopped then.
    await subscribe(org.store, org.organizationId, "active", nowMs - 40 * dayMs);
    await subscribe(org.store, org.organizationId, "past_due", nowMs - 10 * dayMs);
    const server = await startServerProcess(database.environment);
    try {
      const api = apiOf(server.url, org.apiKey);
      const status = async () => (await api.validate({ license_key: license.key })).body.status;
      await until("validations are refused", async () => (await status()) === "billing_suspended");
      await subscribe(org.store, org.organizationId, "active", nowMs);
      expect(await status()).toBe("active");
    } finally {
      await server.stop();
      await org.store.close();
      database.remove();
    }
  });
});
