import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { JobRuns } from "../../apps/server/jobs/job-runs.ts";
import { jobRunSaving } from "../../apps/server/jobs/save-job-runs.ts";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { type ManageClient, manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

describe.each(on("postgres"))("the platform admin on $kind", ({ kind, make }) => {
  let fixture: ManageFixture;
  let secondNode: ServerProcess | null = null;
  beforeAll(async () => {
    fixture = await openManageFixture(make, { why: "has one platform admin" });
    if (kind === "postgres") secondNode = await startServerProcess(fixture.database.environment);
  });
  afterAll(async () => {
    await secondNode?.stop();
    await fixture.close();
  });

  const organization = () => `/admin/organizations/${fixture.organizationId}`;
  const status = async () => (await fixture.publicApi.validate({ license_key: "x" })).body.status;
  /** The status of a request to the sign-in API. */
  const auth = async (path: string, body: object) => {
    const headers = { "content-type": "application/json", origin: fixture.url };
    const url = `${fixture.url}/api/auth${path}`;
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status;
  };
  const ids = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id);

  test("organizations are found by parts of the name, slug and owner's email address, ignoring case", async () => {
    const person = await fixture.person();
    const made = await person.api.post("/organizations", { name: "Zephyr 100% Tools", slug: "wind-works" });
    const { id } = made.body;
    for (const search of ["ZEPHYR", "100%", "d-WORK", person.email.toUpperCase().slice(5)]) {
      expect(
        ids(await fixture.admin.api.get(`/admin/organizations?q=${encodeURIComponent(search)}`)),
      ).toEqual([id]);
    }
    expect(ids(await fixture.admin.api.get("/admin/organizations?q=_"))).toEqual([]);
    const { body } = await fixture.admin.api.get(`/admin/organizations?q=acme`);
    expect(body.data[0]).toMatchObject({
      id: fixture.organizationId,
      owner: { id: fixture.owner.userId, email: fixture.owner.email },
      plan: "enterprise",
      product_count: 1,
      license_count: 0,
    });
  });

  test("lists are paginated, newest first", async () => {
    for (const path of ["/admin/organizations", "/admin/users"]) {
      const whole = ids(await fixture.admin.api.get(path));
      const first = await fixture.admin.api.get(`${path}?limit=1`);
      const second = await fixture.admin.api.get(`${path}?limit=1&cursor=${first.body.next_cursor}`);
      expect([...ids(first), ...ids(second)]).toEqual(whole.slice(0, 2));
    }
  });

  test("adding a user returns a link to choose a password, which is shown once and works once", async () => {
    const email = `Added-${newId()}@Example.com`;
    const key = { "idempotency-key": newId() };
    const added = await fixture.admin.api.post("/admin/users", { email, name: "Ada Added" }, key);
    expect(added.body).toMatchObject({
      name: "Ada Added",
      email: email.toLowerCase(),
      email_verified: false,
      is_platform_admin: false,
      organizations: [],
    });
    const repeated = await fixture.admin.api.post("/admin/users", { email, name: "Ada Added" }, key);
    expect(repeated.text).not.toContain(added.body.password_link);
    const link = new URL(added.body.password_link);
    expect(link.pathname + link.search).toMatch(/^\/reset-password\?token=[\w-]{32}&first=true$/);
    const inDays = (Date.parse(added.body.password_link_expires_at) - Date.now()) / 86_400_000;
    expect(inDays).toBeWithin(6.9, 7.1);

    const twice = await fixture.admin.api.post("/admin/users", { email: email.toUpperCase() });
    expect(twice.body).toMatchObject({
      status: 409,
      code: "email_taken",
      params: { email: email.toLowerCase() },
    });
    expect(twice.body.errors[0]).toMatchObject({ field: "email", code: "email_taken" });
    const wrong = await fixture.admin.api.post("/admin/users", { email: "ada@localhost" });
    expect(wrong.body.errors[0]).toMatchObject({ field: "email", code: "not_an_email" });

    const token = link.searchParams.get("token");
    const password = "words that nobody guesses";
    expect(await auth("/sign-in/email", { email, password })).toBe(401);
    expect(await auth("/reset-password", { token, newPassword: password })).toBe(200);
    expect(await auth("/reset-password", { token, newPassword: "another good one" })).toBe(401);
    expect(await auth("/sign-in/email", { email, password })).toBe(200);
    const person = await fixture.admin.api.get(`/admin/users/${added.body.id}`);
    expect(person.body.email_verified).toBe(true);
  });

  test("the platform admin can create a password link for a user, and only the latest link works", async () => {
    const person = await fixture.person();
    const path = `/admin/users/${person.userId}/password-link`;
    const first = await fixture.admin.api.post(path);
    const second = await fixture.admin.api.post(path);
    expect(first.status).toBe(201);
    const inspect = (link: string) =>
      auth("/reset-password/inspect", { token: new URL(link).searchParams.get("token") });
    expect(await inspect(first.body.password_link)).toBe(401);
    expect(await inspect(second.body.password_link)).toBe(200);
    expect(second.body.password_link).not.toContain("first=");
    await fixture.admin.api.post(`/admin/users/${person.userId}/suspend`, { reason: "Test" });
    expect((await fixture.admin.api.post(path)).status).toBe(409);
    expect((await fixture.admin.api.post(`/admin/users/${newId()}/password-link`)).status).toBe(404);
    await fixture.admin.api.post(`/admin/users/${person.userId}/restore`);
    expect((await person.api.post(path)).status).not.toBe(201);
    const entries = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["action", "after"])
      .where("subject_id", "=", person.userId)
      .where("action", "=", "user.password_link_created")
      .execute();
    expect(entries).toHaveLength(2);
    expect(JSON.stringify(entries)).not.toContain(new URL(second.body.password_link).search);
  });

  test("plan and limit apply from the next request, and a stale update is refused", async () => {
    const read = await fixture.admin.api.get(organization());
    const changed = await fixture.admin.api.patch(organization(), { plan: "free" });
    expect(changed.body).toMatchObject({ plan: "free", daily_limit: 10_000, member_count: 0 });
    const late = { plan: "pro", updated_at: read.body.updated_at };
    expect((await fixture.admin.api.patch(organization(), late)).status).toBe(412);
    await fixture.admin.api.patch(organization(), { daily_limit_override: 0 });
    expect((await fixture.publicApi.validate({ license_key: "x" })).status).toBe(429);
    await fixture.admin.api.patch(organization(), { daily_limit_override: null });
    expect((await fixture.publicApi.validate({ license_key: "x" })).status).toBe(200);
    const wrong = await fixture.admin.api.patch(organization(), { daily_limit_override: -1, name: "Mine" });
    expect(wrong.body.errors.map((error: { field: string }) => error.field).sort()).toEqual([
      "daily_limit_override",
      "name",
    ]);
  });

  test("the billing state determines the validation status", async () => {
    await fixture.admin.api.patch(organization(), { billing_state: "suspended" });
    expect(await status()).toBe("billing_suspended");
    await fixture.admin.api.patch(organization(), { billing_state: "active" });
    expect(await status()).toBe("license_not_found");
  });

  test("a suspended organization fails validation and cannot be changed until it is restored", async () => {
    expect((await fixture.admin.api.post(`${organization()}/suspend`, {})).body.errors[0].field).toBe(
      "reason",
    );
    const suspended = await fixture.admin.api.post(`${organization()}/suspend`, { reason: "Stolen keys." });
    expect(suspended.status).toBe(200);
    expect(suspended.body.suspension_reason).toBe("Stolen keys.");
    expect(await status()).toBe("org_suspended");
    const refused = await fixture.owner.api.patch(`/products/${fixture.productId}`, { name: "X" });
    expect(refused.status).toBe(403);
    expect(refused.body.code).toBe("organization_suspended");
    expect(refused.body.detail).toContain("Stolen keys.");
    expect((await fixture.admin.api.post(`${organization()}/restore`)).body.suspended_at).toBeNull();
    expect(await status()).toBe("license_not_found");
    expect((await fixture.admin.api.post(`${organization()}/restore`)).status).toBe(200);
  });

  test("the organization's audit log names the platform as the actor, without an IP address", async () => {
    const { body } = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/audit-log`);
    const entries = (action: string) =>
      body.data.filter((entry: { action: string }) => entry.action === action);
    expect(entries("organization.suspended")).toMatchObject([
      {
        actor: { kind: "platform_admin", access_token_id: null },
        after: { suspension_reason: "Stolen keys." },
        ip: null,
      },
    ]);
    expect(entries("organization.restored")).toHaveLength(1);
    const forAdmin = await fixture.admin.api.get("/admin/audit-log?action=organization.suspended");
    expect(forAdmin.body.data[0].ip).toBe("127.0.0.1");
  });

  test("a suspended user's tokens stop with the next request and work again after restoring", async () => {
    const person = await fixture.person();
    const path = `/admin/users/${person.userId}`;
    expect((await person.api.get("/organizations")).status).toBe(200);
    const suspended = await fixture.admin.api.post(`${path}/suspend`, { reason: "Abuse." });
    expect(suspended.body).toMatchObject({ suspension_reason: "Abuse." });
    expect((await person.api.get("/organizations")).status).toBe(401);
    expect(ids(await fixture.admin.api.get("/admin/users?suspended=true"))).toEqual([person.userId]);
    await fixture.admin.api.post(`${path}/restore`);
    expect((await person.api.get("/organizations")).status).toBe(200);
  });

  test("the allowance limits how many organizations a user can own", async () => {
    const person = await fixture.person();
    await fixture.admin.api.patch(`/admin/users/${person.userId}`, { organization_allowance: 1 });
    expect((await person.api.post("/organizations", { name: "One" })).status).toBe(201);
    expect((await person.api.post("/organizations", { name: "Two" })).status).toBe(403);
    const { body } = await fixture.admin.api.get(`/admin/users/${person.userId}`);
    expect(body.organizations).toMatchObject([{ name: "One", is_owner: true }]);
    expect(ids(await fixture.admin.api.get(`/admin/users?q=${person.email}`))).toEqual([person.userId]);
  });

  test("the last platform admin remains even if admins remove each other at the same time", async () => {
    const { admin } = fixture;
    const last = await admin.api.patch(`/admin/users/${admin.userId}`, { is_platform_admin: false });
    expect(last.status).toBe(409);
    expect((await admin.api.post(`/admin/users/${admin.userId}/suspend`, { reason: "x" })).status).toBe(409);
    const other = await fixture.person();
    await admin.api.patch(`/admin/users/${other.userId}`, { is_platform_admin: true });
    expect((await other.api.get("/admin/users?platform_admin=true")).body.data).toHaveLength(2);
    const answers = await Promise.all([
      admin.api.patch(`/admin/users/${other.userId}`, { is_platform_admin: false }),
      other.api.post(`/admin/users/${admin.userId}/suspend`, { reason: "x" }),
    ]);
    // The later request is refused: its target is the last admin, or its caller no longer is an admin.
    const done = answers.filter((answer) => answer.status === 200);
    expect(done).toHaveLength(1);
    const working = await fixture.store.reads
      .selectFrom("users")
      .select("id")
      .where("is_platform_admin", "=", 1)
      .where("suspended_at", "is", null)
      .execute();
    expect(working).toHaveLength(1);
    await fixture.store.transaction(async (db) => {
      await db
        .updateTable("users")
        .set({ is_platform_admin: 1, suspended_at: null, suspension_reason: null })
        .where("id", "=", admin.userId)
        .execute();
      await db.updateTable("users").set({ is_platform_admin: 0 }).where("id", "=", other.userId).execute();
    });
  });

  test("all other users get 404", async () => {
    const narrowAdmin = await fixture.person({ admin: true, permissions: ["products:view"] });
    for (const api of [fixture.owner.api, narrowAdmin.api]) {
      for (const path of ["/admin/organizations", "/admin/users", "/admin/outbox", "/admin/health"]) {
        expect((await api.get(path)).status).toBe(404);
      }
    }
    expect((await fixture.anonymous.get("/admin/users")).status).toBe(401);
  });

  test("a change through one node applies to the next request at the other", async () => {
    const url = secondNode?.url ?? fixture.server.url;
    const api = manageClient(url, fixture.owner.token);
    const validate = async () =>
      (await apiOf(url, fixture.apiKey).validate({ license_key: "x" })).body.status;
    const user = `/admin/users/${fixture.owner.userId}`;
    for (let round = 0; round < 3; round += 1) {
      await fixture.admin.api.post(`${organization()}/suspend`, { reason: "Test." });
      expect(await validate()).toBe("org_suspended");
      expect((await api.patch(`/products/${fixture.productId}`, { name: "X" })).status).toBe(403);
      await fixture.admin.api.post(`${organization()}/restore`);
      expect(await validate()).toBe("license_not_found");
      await fixture.admin.api.patch(organization(), { daily_limit_override: 0 });
      expect(await validate()).toBe("rate_limit_exceeded");
      await fixture.admin.api.patch(organization(), { daily_limit_override: null });
      expect(await validate()).toBe("license_not_found");
      await fixture.admin.api.post(`${user}/suspend`, { reason: "Test." });
      expect((await api.get("/organizations")).status).toBe(401);
      await fixture.admin.api.post(`${user}/restore`);
      expect((await api.get("/organizations")).status).toBe(200);
    }
  });

  test("periodic jobs are listed with when they last ran, also those of other nodes once they are saved", async () => {
    interface Shown {
      readonly node: string;
      readonly is_this_node: boolean;
      readonly job: string;
    }
    const nodes = [fixture.url, ...(secondNode === null ? [] : [secondNode.url])].map((url) =>
      manageClient(url, fixture.admin.token),
    );
    const listed = async (api: ManageClient): Promise<Shown[]> => (await api.get("/admin/jobs")).body.data;
    const ownJobs = async (api: ManageClient) =>
      (await listed(api)).filter(({ is_this_node: isThisNode }) => isThisNode);
    const names: string[] = [];
    for (const api of nodes) {
      await until("its jobs have run", async () => {
        const jobs = (await ownJobs(api)).map(({ job }) => job);
        return ["organization removal", "webhook deliveries", "imports"].every((job) => jobs.includes(job));
      });
      names.push((await ownJobs(api))[0]?.node ?? "");
    }
    expect(new Set(names).size).toBe(nodes.length);
    // What each of them saves within a minute.
    for (const name of [...names, "another"]) {
      const runs = new JobRuns(name);
      runs.start({ name: "saved", everyMs: 1_500 })(new Error("no"));
      await jobRunSaving(fixture.store, runs).run();
    }
    for (const [index, api] of nodes.entries()) {
      const saved = (await listed(api)).filter(({ job }) => job === "saved");
      const others = [...names, "another"].filter((name) => name !== names[index]);
      expect(saved.map(({ node }) => node).sort()).toEqual(others.sort());
      expect(saved[0]).toMatchObject({ is_this_node: false, every_seconds: 1.5, failure: "no" });
    }
    expect((await fixture.owner.api.get("/admin/jobs")).status).toBe(404);
  });
});
