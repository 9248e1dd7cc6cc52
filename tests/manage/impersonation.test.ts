import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { permissions, viewPermissions } from "@countersign/domain/members/permissions";
import { impersonationPruning } from "../../apps/server/features/impersonations/prune.ts";
import { databases } from "../support/databases.ts";
import { addToken } from "../support/filled-organization.ts";
import { type ManageClient, manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openSharedManageFixture, type Person } from "../support/manage-fixture.ts";
import { goodPassword, openSignInFixture, type SignInFixture } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;
const reason = { reason: "Ticket 1" };

describe.each(databases)("impersonation on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let admin: Person;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  const organization = () => `/organizations/${fixture.organizationId}`;
  const impersonation = (organizationId = fixture.organizationId) =>
    `/admin/organizations/${organizationId}/impersonation`;
  const started = async () => {
    admin = await fixture.person({ admin: true });
    const answer = await admin.api.post(impersonation(), reason);
    expect(answer.status).toBe(201);
    return answer.body;
  };
  const statusOf = async (client: ManageClient) => (await client.get(organization())).status;
  const rowsOf = ({ userId }: Person) =>
    fixture.store.reads.selectFrom("impersonations").selectAll().where("user_id", "=", userId).execute();
  const expire = ({ userId }: Person, byMs: number) =>
    fixture.store.transaction((db) =>
      db
        .updateTable("impersonations")
        .set((row) => ({ expires_at: row("expires_at", "-", byMs) }))
        .where("user_id", "=", userId)
        .execute(),
    );
  const entries = async (userId: string) => {
    const { body } = await fixture.owner.api.get(`${organization()}/audit-log?actor_id=${userId}`);
    return body.data;
  };

  test("lasts an hour by the database's clock, with every permission to view and no other", async () => {
    const { organization_id: id, expires_at: until } = await started();
    expect(id).toBe(fixture.organizationId);
    const clockMs = await fixture.store.clock();
    expect(Date.parse(until) - clockMs).toBeWithin(hourMs - 60_000, hourMs + 60_000);

    const { body } = await admin.api.get(organization());
    expect(body).toMatchObject({ is_owner: false, impersonated_until: until });
    expect(new Set(body.permissions)).toEqual(new Set(viewPermissions));
    const details = await admin.api.get(`/admin${organization()}`);
    expect(details.body.impersonated_until).toBe(until);

    const list = await admin.api.get("/organizations");
    expect(list.body.data).toEqual([body]);
  });

  test("the organization's audit log says who, why and until when, without the admin's IP address", async () => {
    const { expires_at: until } = await started();
    expect((await admin.api.delete(impersonation())).status).toBe(204);
    expect(await entries(admin.userId)).toEqual([
      expect.objectContaining({ action: "organization.impersonation_ended", ip: null }),
      expect.objectContaining({
        action: "organization.impersonation_started",
        actor: { kind: "platform_admin", id: admin.userId, name: "Test Person", access_token_id: null },
        subject: { kind: "organization", id: fixture.organizationId, name: "Acme" },
        after: { ...reason, until },
        ip: null,
      }),
    ]);
  });

  test("ends when it is ended, and ending it again changes nothing", async () => {
    await started();
    expect(await statusOf(admin.api)).toBe(200);
    for (const _ of [1, 2]) expect((await admin.api.delete(impersonation())).status).toBe(204);
    expect(await statusOf(admin.api)).toBe(404);
    expect((await admin.api.get("/organizations")).body.data).toEqual([]);
    expect((await admin.api.get(`/admin${organization()}`)).body.impersonated_until).toBeNull();
    expect(await entries(admin.userId)).toHaveLength(2);
    expect(await rowsOf(admin)).toEqual([]);
  });

  test("ends after the hour, and is pruned", async () => {
    await started();
    await expire(admin, hourMs);
    expect(await statusOf(admin.api)).toBe(404);
    expect((await admin.api.get("/organizations")).body.data).toEqual([]);
    await impersonationPruning(fixture.store).run();
    expect(await rowsOf(admin)).toEqual([]);
    await started();
    await impersonationPruning(fixture.store).run();
    expect(await rowsOf(admin)).toHaveLength(1);
  });

  test("starting it again starts the hour again, with the new reason", async () => {
    const { expires_at: first } = await started();
    await expire(admin, hourMs / 2);
    const again = await admin.api.post(impersonation(), { reason: "Ticket 2" });
    expect(Date.parse(again.body.expires_at)).toBeGreaterThanOrEqual(Date.parse(first));
    expect(await rowsOf(admin)).toEqual([
      expect.objectContaining({ reason: "Ticket 2", expires_at: Date.parse(again.body.expires_at) }),
    ]);
    expect(await entries(admin.userId)).toHaveLength(2);
  });

  test("belongs to one session or access token", async () => {
    await started();
    const { token, narrow } = await fixture.store.transaction(async (db) => ({
      token: (await addToken(db, admin, Date.now())).token,
      narrow: (await addToken(db, admin, Date.now(), null, permissions.slice(1))).token,
    }));
    for (const other of [token, narrow]) {
      const client = manageClient(fixture.server.url, other);
      expect(await statusOf(client)).toBe(404);
      expect((await client.get("/organizations")).body.data).toEqual([]);
    }
    expect((await manageClient(fixture.server.url, narrow).post(impersonation(), reason)).status).toBe(404);
  });

  test.each([
    ["losing the right to administer the platform", "is_platform_admin"],
    ["being suspended", "suspended_at"],
  ] as const)("%s ends it, even if that is undone", async (_, column) => {
    await started();
    const other = await fixture.person({ admin: true });
    const user = `/admin/users/${admin.userId}`;
    const [undo, back] =
      column === "suspended_at"
        ? [() => other.api.post(`${user}/suspend`, reason), () => other.api.post(`${user}/restore`)]
        : [
            () => other.api.patch(user, { is_platform_admin: false }),
            () => other.api.patch(user, { is_platform_admin: true }),
          ];
    expect((await undo()).status).toBe(200);
    expect([401, 404]).toContain(await statusOf(admin.api));
    expect((await back()).status).toBe(200);
    expect(await statusOf(admin.api)).toBe(404);
    // The other admin ended it.
    expect(await entries(other.userId)).toEqual([
      expect.objectContaining({ action: "organization.impersonation_ended" }),
    ]);
  });

  test("without the right, a row that is left has no effect", async () => {
    await started();
    await fixture.store.transaction((db) =>
      db.updateTable("users").set({ is_platform_admin: 0 }).where("id", "=", admin.userId).execute(),
    );
    expect(await statusOf(admin.api)).toBe(404);
    expect((await admin.api.get("/organizations")).body.data).toEqual([]);
  });

  test("members and the owner have their own access instead", async () => {
    const owner = await fixture.person({ admin: true });
    const own = await owner.api.post("/organizations", { name: "Own" });
    const answer = await owner.api.post(impersonation(own.body.id), reason);
    expect([answer.status, answer.body.code]).toEqual([409, "already_member"]);

    await started();
    const roleId = newId();
    const nowMs = Date.now();
    await fixture.store.transaction(async (db) => {
      await db
        .insertInto("roles")
        .values({
          id: roleId,
          organization_id: fixture.organizationId,
          name: roleId,
          permissions: JSON.stringify(["products:view", "organization:manage"]),
          created_at: nowMs,
          updated_at: nowMs,
        })
        .execute();
      await db
        .insertInto("members")
        .values({
          organization_id: fixture.organizationId,
          user_id: admin.userId,
          role_id: roleId,
          created_at: nowMs,
        })
        .execute();
    });
    const { body } = await admin.api.get(organization());
    expect(body).toMatchObject({
      permissions: ["products:view", "organization:manage"],
      impersonated_until: null,
    });
    expect((await admin.api.patch(organization(), { name: "Acme" })).status).toBe(200);
    const member = await admin.api.post(impersonation(), reason);
    expect([member.status, member.body.code]).toEqual([409, "already_member"]);
  });

  test("an admin can look at 20 organizations at a time, in all sessions together", async () => {
    const busy = await fixture.person({ admin: true });
    const nowMs = await fixture.store.clock();
    await fixture.store.transaction(async (db) => {
      for (let number = 0; number < 20; number += 1)
        await db
          .insertInto("impersonations")
          .values({
            id: newId(),
            session_id: newId(),
            user_id: busy.userId,
            organization_id: fixture.organizationId,
            reason: "",
            started_at: nowMs,
            expires_at: number === 0 ? nowMs : nowMs + hourMs,
          })
          .execute();
    });
    // One of them has expired.
    expect((await busy.api.post(impersonation(), reason)).status).toBe(201);
    expect((await busy.api.post(impersonation(), reason)).status).toBe(201);
    const other = await fixture.owner.api.post("/organizations", { name: "Second" });
    const answer = await busy.api.post(impersonation(other.body.id), reason);
    expect([answer.status, answer.body.code, answer.body.params]).toEqual([
      409,
      "impersonation_limit_reached",
      { limit: 20 },
    ]);
  });

  test("an organization that does not exist or was deleted cannot be looked at", async () => {
    const other = await fixture.person({ admin: true });
    for (const send of [other.api.post, other.api.delete] as const) {
      const answer = await send(impersonation(newId()), reason as never);
      expect([answer.status, answer.body.code]).toEqual([404, "organization_not_found"]);
    }
    const owner = await fixture.person();
    const gone = String((await owner.api.post("/organizations", { name: "Gone" })).body.id);
    expect((await other.api.post(impersonation(gone), reason)).status).toBe(201);
    await fixture.store.transaction((db) =>
      db
        .updateTable("organizations")
        .set({ deleted_at: Date.now(), owner_id: null })
        .where("id", "=", gone)
        .execute(),
    );
    expect((await other.api.get(`/organizations/${gone}`)).status).toBe(404);
    expect((await other.api.get("/organizations")).body.data).toEqual([]);
    expect((await other.api.post(impersonation(gone), reason)).status).toBe(404);
  });

  test("nobody else can start it, and it needs a reason", async () => {
    expect((await fixture.owner.api.post(impersonation(), reason)).status).toBe(404);
    for (const body of [{}, { reason: " " }, { reason: "x".repeat(1_001) }])
      expect((await fixture.admin.api.post(impersonation(), body)).status).toBe(422);
  });

  test("a suspended organization can be read", async () => {
    const owner = await fixture.person();
    const { body } = await owner.api.post("/organizations", { name: "Suspended" });
    const other = await fixture.person({ admin: true });
    await other.api.post(`/admin/organizations/${body.id}/suspend`, reason);
    expect((await other.api.post(impersonation(body.id), reason)).status).toBe(201);
    expect((await other.api.get(`/organizations/${body.id}/members`)).status).toBe(200);
    const write = await other.api.patch(`/organizations/${body.id}`, { name: "Changed" });
    expect([write.status, write.body.code]).toEqual([403, "impersonation_read_only"]);
  });
});

describe.each(databases)("impersonation in a browser on $kind", ({ make }) => {
  let fixture: SignInFixture;
  beforeAll(async () => {
    fixture = await openSignInFixture(make);
  });
  afterAll(() => fixture.close());

  test("belongs to the session and ends with it", async () => {
    const owner = await fixture.createSignedInUser();
    const { body } = await owner.browser.manage("POST", "/organizations", { name: "Acme" });
    const path = `/organizations/${body.id}`;
    const admin = await fixture.createSignedInUser({ admin: true });
    const start = await admin.browser.manage("POST", `/admin${path}/impersonation`, reason);
    expect(start.status).toBe(201);
    expect((await admin.browser.manage("GET", path)).status).toBe(200);

    const signIn = { email: admin.email, password: goodPassword };
    const second = fixture.browser();
    expect((await second.auth("/sign-in/email", signIn)).status).toBe(200);
    expect((await second.manage("GET", path)).status).toBe(404);

    const oldCookies = new Map(admin.browser.cookies);
    expect((await admin.browser.auth("/sign-out", {})).status).toBe(200);
    for (const [name, value] of oldCookies) admin.browser.cookies.set(name, value);
    expect((await admin.browser.manage("GET", path)).status).toBe(401);
    admin.browser.cookies.clear();
    expect((await admin.browser.auth("/sign-in/email", signIn)).status).toBe(200);
    expect((await admin.browser.manage("GET", path)).status).toBe(404);
  });
});
