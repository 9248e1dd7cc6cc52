import { expect, test } from "bun:test";
import { removeState } from "@countersign/store/queries/admin/platform-state";
import type { TestedDatabase } from "../support/databases.ts";
import { openedEmails } from "../support/emails.ts";
import { refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { signInFixtureOf } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

type Make = TestedDatabase["make"];

const openOwn = (make: Make) => openManageFixture(make, { why: "changes the settings" });

testsOn("postgres", "platform settings", openOwn, (fixture) => {
  const settings = async () => (await fixture.admin.api.get("/admin/settings")).body;
  const change = (body: object) => fixture.admin.api.patch("/admin/settings", body);
  const choose = (plan: string) => change({ default_plan: plan });
  const log = async () => (await fixture.admin.api.get("/admin/audit-log?subject_kind=platform")).body.data;

  test("new organizations have no limits by default, and reading changes nothing", async () => {
    const byNobody = ["default_plan", "sign_up", "daily_emails", "webhook_endpoints", "request_log_days"];
    const setBy = [...byNobody, "request_log_mb"].map((name) => [`${name}_set_by`, "nobody"]);
    expect(await settings()).toEqual({
      ...{ default_plan: "enterprise", sign_up: "closed", daily_emails: 20_000, webhook_endpoints: 20 },
      ...{ request_log_days: 30, request_log_mb: 20_480, ...Object.fromEntries(setBy) },
      ...{ audit_log_archive: "unset", audit_log_limited: false },
      ...{ currency: "usd", billing_contact: null, automatic_tax: false, payments: "off" },
    });
    expect((await change({})).body).toEqual(await settings());
    expect(await log()).toEqual([]);
  });

  test("the default plan applies to organizations created afterwards, and a change is audited once", async () => {
    const chosen = { default_plan: "free", default_plan_set_by: "platform_admin" };
    expect((await choose("free")).body).toMatchObject(chosen);
    expect(await settings()).toMatchObject(chosen);
    const person = await fixture.person();
    const create = async () => (await person.api.post("/organizations", { name: "New" })).body;
    expect(await create()).toMatchObject({ plan: "free", daily_limit: 10_000 });
    const before = await fixture.owner.api.get(`/organizations/${fixture.organizationId}`);
    expect(before.body.plan).toBe("enterprise");
    // The second one changes nothing.
    for (const _ of [1, 2]) await choose("enterprise");
    expect(await create()).toMatchObject({ plan: "enterprise", daily_limit: null });
    const [action, actor] = ["platform.updated", { kind: "platform_admin" }];
    expect(await log()).toMatchObject([
      { action, actor, before: { default_plan: "free" }, after: { default_plan: "enterprise" } },
      { action, actor, before: { default_plan: null }, after: { default_plan: "free" } },
    ]);
  });

  test("concurrent changes of settings are serialized, and each is audited with the value before it", async () => {
    const plans = ["free", "pro", "enterprise", "pro", "free"];
    const answers = await Promise.all(plans.map(choose));
    expect(answers.map((answer) => answer.status)).toEqual(plans.map(() => 200));
    const entries: { id: string; before: object; after: object }[] = await log();
    // IDs are assigned in order of execution; the time is that of the request.
    const inOrder = entries.sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(inOrder.slice(1).map(({ before }) => before)).toEqual(
      inOrder.slice(0, -1).map(({ after }) => after),
    );
    expect(inOrder.at(-1)?.after).toEqual({ default_plan: (await settings()).default_plan });
  });

  test("open sign-up applies at once, limits emails, and greets people in their browser's language", async () => {
    const signUp = async () => (await fixture.anonymous.get("/setup")).body.sign_up;
    expect(await signUp()).toBe("closed");
    // If anyone can sign up, fewer emails can be sent in the operator's name.
    await fixture.store.transaction((db) => removeState(db, "default_plan"));
    expect((await settings()).default_plan).toBe("enterprise");
    expect((await change({ sign_up: "open" })).body).toMatchObject({
      ...{ sign_up: "open", sign_up_set_by: "platform_admin" },
      // Without a decision, people who sign up do not get a plan without limits.
      ...{ default_plan: "free", default_plan_set_by: "nobody" },
      ...{ daily_emails: 500, daily_emails_set_by: "nobody" },
    });
    expect(await signUp()).toBe("open");
    const newcomer = await fixture.person();
    expect((await newcomer.api.post("/organizations", { name: "New" })).body.plan).toBe("free");
    expect((await choose("enterprise")).body.default_plan).toBe("enterprise");
    const person = { name: "Ada", email: `${newId()}@example.net`, password: "words that nobody guesses" };
    const register = (more: object) =>
      signInFixtureOf(fixture)
        .browser()
        .auth("/sign-up/email", { ...person, ...more }, { "accept-language": "de-AT,de;q=0.9" });
    expect((await register({ locale: "es" })).status).toBe(422);
    expect((await register({})).status).toBe(200);
    const [message] = await openedEmails(fixture.store, { to: person.email });
    expect(message?.subject).toBe("Bestätige deine E-Mail-Adresse");
    await change({ sign_up: "closed", daily_emails: 12, request_log_days: 3 });
    expect(await signUp()).toBe("closed");
    expect(await settings()).toMatchObject({ daily_emails: 12, request_log_days: 3 });
  });

  test("the number of webhook endpoints is limited, unless the organization has its own limit", async () => {
    const organization = `/organizations/${fixture.organizationId}`;
    const add = () => fixture.owner.api.post(`${organization}/webhooks`, { url: "https://example.com/a" });
    await change({ webhook_endpoints: 1 });
    const answers = await Promise.all([add(), add(), add()]);
    const refused = answers.filter(({ status }) => status !== 201);
    const reached = { status: 403, code: "webhook_limit_reached", params: { limit: 1 } };
    expect(refused.map(({ body }) => body)).toMatchObject([reached, reached]);
    await fixture.admin.api.patch(`/admin${organization}`, { max_webhooks_override: 2 });
    expect((await add()).status).toBe(201);
  });

  test("payment settings are stored, and reset where they are optional", async () => {
    const stored = { currency: "eur", billing_contact: "billing@example.com", automatic_tax: true };
    await change({ ...stored, currency: "EUR" });
    expect(await settings()).toMatchObject(stored);
    expect((await change({ billing_contact: null })).body.billing_contact).toBeNull();
  });

  test.each([
    ["default_plan", "gold"],
    ["currency", "euro"],
    ["billing_contact", "javascript:alert(1)"],
    ["sign_up", "maybe"],
    ["daily_emails", -1],
    ["request_log_days", 0],
    ["request_log_mb", 9],
    ["plan", "free"],
  ])("a setting %s of %p is refused with the field's name", async (field, value) => {
    expect(refusal(await change({ [field]: value }))).toEqual([422, field]);
  });
});

const openWithSettings = (make: Make) => {
  const environment = {
    COUNTERSIGN_DEFAULT_PLAN: "pro",
    COUNTERSIGN_WEBHOOK_ENDPOINTS: "7",
    COUNTERSIGN_WEBHOOK_ALLOW: "192.0.2.1",
  };
  return openManageFixture(make, { why: "has these settings", environment });
};

testsOn("postgres", "environment", openWithSettings, (fixture) => {
  const path = "/admin/settings";

  test("settings in the environment apply instead of those of the platform, whose change is refused with the reason", async () => {
    const { api } = fixture.admin;
    expect((await api.get(path)).body).toMatchObject({
      ...{ default_plan: "pro", default_plan_set_by: "environment" },
      ...{ webhook_endpoints: 7, webhook_endpoints_set_by: "environment" },
    });
    expect((await api.patch(path, { default_plan: "free" })).body).toMatchObject({
      ...{ status: 409, code: "default_plan_in_environment", errors: [{ field: "default_plan" }] },
    });
    const both = await api.patch(path, { sign_up: "open", webhook_endpoints: 8 });
    const params = { variable: "COUNTERSIGN_WEBHOOK_ENDPOINTS" };
    expect(both.body).toMatchObject({ status: 409, code: "setting_in_environment", params });
    expect((await api.get(path)).body.sign_up).toBe("closed");
    expect((await api.post("/organizations", { name: "One" })).body.plan).toBe("pro");
  });

  test.each(["http://127.0.0.1/", "http://localhost:3000/", "http://a.localhost/"])(
    "a webhook to this machine is refused unless it is allowed: %s",
    async (url) => {
      const webhooks = `/organizations/${fixture.organizationId}/webhooks`;
      const { body } = await fixture.owner.api.post(webhooks, { url });
      expect(body).toMatchObject({ status: 422, errors: [{ field: "url", code: "url_not_public" }] });
    },
  );
});
