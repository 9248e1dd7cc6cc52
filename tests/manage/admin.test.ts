import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createLicenses } from "@countersign/store/queries/licenses/create";
import { writeEmail } from "../../apps/server/features/mail/email.ts";
import { apiOf } from "../support/api.ts";
import { databases, postgres } from "../support/databases.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

describe.each(databases)("the platform admin on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());

  const organization = () => `/admin/organizations/${fixture.organizationId}`;
  const status = async () => (await fixture.publicApi.validate({ license_key: "x" })).body.status;
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

    const signIn = (path: string, body: object) =>
      fetch(`${fixture.server.url}/api/auth${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", origin: link.origin },
        body: JSON.stringify(body),
      });
    const token = link.searchParams.get("token");
    const password = "words that nobody guesses";
    expect((await signIn("/sign-in/email", { email, password })).status).toBe(401);
    expect((await signIn("/reset-password", { token, newPassword: password })).status).toBe(200);
    expect((await signIn("/reset-password", { token, newPassword: "another good one" })).status).toBe(401);
    expect((await signIn("/sign-in/email", { email, password })).status).toBe(200);
    const person = await fixture.admin.api.get(`/admin/users/${added.body.id}`);
    expect(person.body.email_verified).toBe(true);
  });

  test("the platform admin can create a password link for a user, and only the latest link works", async () => {
    const person = await fixture.person();
    const path = `/admin/users/${person.userId}/password-link`;
    const first = await fixture.admin.api.post(path);
    const second = await fixture.admin.api.post(path);
    expect(first.status).toBe(201);
    const inspect = async (link: string) =>
      (
        await fetch(`${fixture.server.url}/api/auth/reset-password/inspect`, {
          method: "POST",
          headers: { "content-type": "application/json", origin: new URL(link).origin },
          body: JSON.stringify({ token: new URL(link).searchParams.get("token") }),
        })
      ).status;
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
    const suspended = body.data.filter(
      (entry: { action: string }) => entry.action === "organization.suspended",
    );
    expect(suspended).toHaveLength(1);
    expect(suspended[0]).toMatchObject({
      actor: { kind: "platform_admin", access_token_id: null },
      after: { suspension_reason: "Stolen keys." },
      ip: null,
    });
    const restored = body.data.filter(
      (entry: { action: string }) => entry.action === "organization.restored",
    );
    expect(restored).toHaveLength(1);
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

  test("a platform IP block applies to every organization until it is removed", async () => {
    const wrong = await fixture.admin.api.post("/admin/ip-blocks", { cidr: "everywhere" });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors[0].field).toBe("cidr");
    const license = {
      id: newId(),
      organizationId: fixture.organizationId,
      productId: fixture.productId,
      customerId: null,
      key: "BLOCKED-OR-NOT",
    };
    await fixture.store.transaction((db) => createLicenses(db, [license], Date.now()));
    const validated = async () =>
      (await fixture.publicApi.validate({ license_key: license.key })).body.status;
    expect(await validated()).toBe("active");
    const made = await fixture.admin.api.post("/admin/ip-blocks", { cidr: "127.0.0.9/8", note: "Bots" });
    expect(made.body).toMatchObject({ cidr: "127.0.0.0/8", note: "Bots", created_by: "Test Person" });
    expect(await validated()).toBe("ip_blocked");
    expect((await fixture.admin.api.post("/admin/ip-blocks", { cidr: "127.0.0.0/8" })).status).toBe(409);
    expect(ids(await fixture.admin.api.get("/admin/ip-blocks"))).toEqual([made.body.id]);
    const path = `/admin/ip-blocks/${made.body.id}`;
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    expect((await fixture.admin.api.patch(path, { expires_at: inAnHour })).body.expires_at).toBe(inAnHour);
    expect((await fixture.admin.api.delete(path)).status).toBe(204);
    expect((await fixture.admin.api.delete(path)).status).toBe(404);
    expect(await validated()).toBe("active");
    const { body } = await fixture.admin.api.get("/admin/audit-log?subject_kind=ip_block");
    expect(body.data.map((entry: { action: string }) => entry.action)).toEqual([
      "ip_block.removed",
      "ip_block.updated",
      "ip_block.added",
    ]);
    expect(body.data[0].actor.kind).toBe("platform_admin");
  });

  test("emails are listed without their text, and can be read until they are sent", async () => {
    await fixture.store.transaction(async (db) => {
      for (const kind of ["invitation", "reset"]) {
        const message = { to: "ada@example.com", subject: kind, text: `secret ${kind}`, html: null, kind };
        await writeEmail(db, message, Date.now());
      }
    });
    const listed = await fixture.admin.api.get("/admin/outbox?recipient=Ada@example.com");
    expect(listed.body.data.map((mail: { subject: string }) => mail.subject)).toEqual([
      "reset",
      "invitation",
    ]);
    expect(listed.text).not.toContain("secret");
    const [reset] = (await fixture.admin.api.get("/admin/outbox?kind=reset")).body.data;
    expect((await fixture.admin.api.get(`/admin/outbox/${reset.id}`)).body.body_text).toBe("secret reset");
    await fixture.store.transaction((db) =>
      db.updateTable("outbox").set({ sent_at: Date.now() }).where("id", "=", reset.id).execute(),
    );
    expect((await fixture.admin.api.get(`/admin/outbox/${reset.id}`)).body.body_text).toBeNull();
  });

  test("health reports the database and the row counts", async () => {
    const { body } = await fixture.admin.api.get("/admin/health");
    expect(body.database.kind).toBe(fixture.store.kind);
    expect(body.database.latency_ms).toBeGreaterThanOrEqual(0);
    expect(Math.abs(body.database.clock_offset_ms)).toBeLessThan(60_000);
    expect(body.counts.products).toBe(1);
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
});

describe("with two nodes on PostgreSQL", () => {
  test("a change through one node applies to the next request at the other", async () => {
    const fixture = await openManageFixture(postgres.make);
    const second = await startServerProcess(fixture.database.environment);
    try {
      const api = manageClient(second.url, fixture.owner.token);
      const validate = async () =>
        (await apiOf(second.url, fixture.apiKey).validate({ license_key: "x" })).body.status;
      const path = `/admin/organizations/${fixture.organizationId}`;
      for (let round = 0; round < 5; round += 1) {
        await fixture.admin.api.post(`${path}/suspend`, { reason: "Test." });
        expect(await validate()).toBe("org_suspended");
        expect((await api.patch(`/products/${fixture.productId}`, { name: "X" })).status).toBe(403);
        await fixture.admin.api.post(`${path}/restore`);
        expect(await validate()).toBe("license_not_found");
        await fixture.admin.api.patch(path, { daily_limit_override: 0 });
        expect(await validate()).toBe("rate_limit_exceeded");
        await fixture.admin.api.patch(path, { daily_limit_override: null });
        expect(await validate()).toBe("license_not_found");
        await fixture.admin.api.post(`/admin/users/${fixture.owner.userId}/suspend`, { reason: "Test." });
        expect((await api.get("/organizations")).status).toBe(401);
        await fixture.admin.api.post(`/admin/users/${fixture.owner.userId}/restore`);
        expect((await api.get("/organizations")).status).toBe(200);
      }
    } finally {
      await second.stop();
      await fixture.close();
    }
  });
});
