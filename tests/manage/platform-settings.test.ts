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
    expect(await settings()).toEqual({ default_plan: "enterprise", default_plan_set_by: "nobody" });
    expect((await fixture.admin.api.patch("/admin/settings", {})).body).toEqual(await settings());
    expect(await log()).toEqual([]);
  });

  test("the default plan applies to organizations created afterwards", async () => {
    const chosen = { default_plan: "free", default_plan_set_by: "platform_admin" };
    expect((await choose("free")).body).toEqual(chosen);
    expect(await settings()).toEqual(chosen);
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

  test("an unknown plan and unknown fields are refused", async () => {
    const wrong = await choose("gold");
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "default_plan"]);
    expect((await fixture.admin.api.patch("/admin/settings", { plan: "free" })).status).toBe(422);
  });
});

describe.each(databases)("with COUNTERSIGN_DEFAULT_PLAN on $kind", ({ make }) => {
  test("the environment determines the plan, and a change is refused with the reason", async () => {
    const fixture = await openManageFixture(make, { COUNTERSIGN_DEFAULT_PLAN: "pro" });
    const read = await fixture.admin.api.get("/admin/settings");
    expect(read.body).toEqual({ default_plan: "pro", default_plan_set_by: "environment" });
    const refused = await fixture.admin.api.patch("/admin/settings", { default_plan: "free" });
    expect([refused.status, refused.body.errors[0].field]).toEqual([409, "default_plan"]);
    expect(refused.body.code).toBe("default_plan_in_environment");
    const person = await fixture.person();
    expect((await person.api.post("/organizations", { name: "One" })).body.plan).toBe("pro");
    await fixture.close();
  });
});
