import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

setDefaultTimeout(60_000);

describe.each(databases)("platform settings on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const settings = async () => (await fixture.admin.api.get("/admin/settings")).body;
  const choose = (plan: string) => fixture.admin.api.patch("/admin/settings", { default_plan: plan });
  const log = async () => (await fixture.admin.api.get("/admin/audit-log?subject_kind=platform")).body.data;

  test("new organizations have no limits by default, and reading changes nothing", async () => {
    expect(await settings()).toEqual({
      default_plan: "enterprise",
      default_plan_set_by: "nobody",
      sign_up: "closed",
      sign_up_set_by: "nobody",
      daily_emails: 20_000,
      daily_emails_set_by: "nobody",
      webhook_endpoints: 20,
      webhook_endpoints_set_by: "nobody",
      request_log_days: 30,
      request_log_days_set_by: "nobody",
      request_log_mb: 20_480,
      request_log_mb_set_by: "nobody",
      currency: "usd",
      billing_contact: null,
      automatic_tax: false,
      payments: "off",
    });
    expect((await fixture.admin.api.patch("/admin/settings", {})).body).toEqual(await settings());
    expect(await log()).toEqual([]);
  });

  test("the default plan applies to organizations created afterwards", async () => {
    const chosen = { default_plan: "free", default_plan_set_by: "platform_admin" };
    expect((await choose("free")).body).toMatchObject(chosen);
    expect(await settings()).toMatchObject(chosen);
    const person = await fixture.person();
    const made = await person.api.post("/organizations", { name: "One" });
    expect(made.body).toMatchObject({ plan: "free", daily_limit: 10_000 });
    expect((await person.api.post("/organizations", { name: "Two" })).status).toBe(201);
    const third = await person.api.post("/organizations", { name: "Three" });
    expect([third.status, third.body.code]).toEqual([403, "organization_limit_reached"]);
    const before = await fixture.owner.api.get(`/organizations/${fixture.organizationId}`);
    expect(before.body.plan).toBe("enterprise");
    await choose("enterprise");
    const other = await fixture.person();
    expect((await other.api.post("/organizations", { name: "Three" })).body.plan).toBe("enterprise");
  });

  test("a change is audited once, even if it repeats the current value", async () => {
    await choose("enterprise");
    await choose("enterprise");
    expect(await log()).toMatchObject([
      {
        action: "platform.updated",
        before: { default_plan: "free" },
        after: { default_plan: "enterprise" },
        actor: { kind: "platform_admin" },
      },
      { before: { default_plan: null }, after: { default_plan: "free" } },
    ]);
  });

  test("concurrent changes are serialized, and each is audited with the value before it", async () => {
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

  test("every setting applies at once, without a restart, and can be reset where it is optional", async () => {
    const change = (body: object) => fixture.admin.api.patch("/admin/settings", body);
    const signUp = async () => (await fixture.anonymous.get("/setup")).body.sign_up;
    expect(await signUp()).toBe("closed");
    // If anyone can sign up, fewer emails can be sent in the operator's name.
    expect((await change({ sign_up: "open" })).body).toMatchObject({
      sign_up: "open",
      sign_up_set_by: "platform_admin",
      daily_emails: 500,
      daily_emails_set_by: "nobody",
    });
    expect(await signUp()).toBe("open");
    const added = await fixture.admin.api.post("/admin/users", { email: "grace@example.com" });
    const { origin } = new URL(added.body.password_link);
    const registered = await fetch(`${fixture.server.url}/api/auth/sign-up/email`, {
      method: "POST",
      headers: { "content-type": "application/json", origin },
      body: JSON.stringify({ name: "Ada", email: "ada@example.com", password: "words that nobody guesses" }),
    });
    expect(registered.status).toBe(200);
    await change({ sign_up: "closed", daily_emails: 12, request_log_days: 3 });
    expect(await signUp()).toBe("closed");
    expect(await settings()).toMatchObject({ daily_emails: 12, request_log_days: 3 });

    const webhooks = `/organizations/${fixture.organizationId}/webhooks`;
    await change({ webhook_endpoints: 1 });
    const webhook = { url: "https://hooks.example.com/a", event_types: ["license.created"] };
    expect((await fixture.owner.api.post(webhooks, webhook)).status).toBe(201);
    const second = await fixture.owner.api.post(webhooks, webhook);
    expect([second.body.code, second.body.params]).toEqual(["webhook_limit_reached", { limit: 1 }]);
    const own = { max_webhooks_override: 2 };
    await fixture.admin.api.patch(`/admin/organizations/${fixture.organizationId}`, own);
    expect((await fixture.owner.api.post(webhooks, webhook)).status).toBe(201);

    await change({ currency: "EUR", billing_contact: "billing@example.com", automatic_tax: true });
    expect(await settings()).toMatchObject({
      currency: "eur",
      billing_contact: "billing@example.com",
      automatic_tax: true,
    });
    expect((await change({ billing_contact: null })).body.billing_contact).toBeNull();
    for (const [field, value] of [
      ["currency", "euro"],
      ["billing_contact", "javascript:alert(1)"],
      ["sign_up", "maybe"],
      ["daily_emails", -1],
      ["request_log_days", 0],
      ["request_log_mb", 9],
    ])
      expect((await change({ [String(field)]: value })).body.errors[0].field).toBe(field);
    await change({ sign_up: "closed" });
  });

  test("an unknown plan and unknown fields are refused", async () => {
    const wrong = await choose("gold");
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "default_plan"]);
    expect((await fixture.admin.api.patch("/admin/settings", { plan: "free" })).status).toBe(422);
  });
});

describe.each(databases)("with COUNTERSIGN_DEFAULT_PLAN on $kind", ({ make }) => {
  test("the environment determines the plan, and a change is refused with the reason", async () => {
    const fixture = await openManageFixture(make, {
      COUNTERSIGN_DEFAULT_PLAN: "pro",
      COUNTERSIGN_WEBHOOK_ENDPOINTS: "7",
    });
    const read = await fixture.admin.api.get("/admin/settings");
    expect(read.body).toMatchObject({
      default_plan: "pro",
      default_plan_set_by: "environment",
      webhook_endpoints: 7,
      webhook_endpoints_set_by: "environment",
    });
    const refused = await fixture.admin.api.patch("/admin/settings", { default_plan: "free" });
    expect([refused.status, refused.body.errors[0].field]).toEqual([409, "default_plan"]);
    expect(refused.body.code).toBe("default_plan_in_environment");
    const other = await fixture.admin.api.patch("/admin/settings", {
      sign_up: "open",
      webhook_endpoints: 8,
    });
    expect(other.body).toMatchObject({
      status: 409,
      code: "setting_in_environment",
      params: { variable: "COUNTERSIGN_WEBHOOK_ENDPOINTS" },
    });
    expect((await fixture.admin.api.get("/admin/settings")).body.sign_up).toBe("closed");
    const person = await fixture.person();
    expect((await person.api.post("/organizations", { name: "One" })).body.plan).toBe("pro");
    await fixture.close();
  });
});
