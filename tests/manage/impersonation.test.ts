import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { viewPermissions } from "@countersign/domain/members/permissions";
import { addMember } from "@countersign/store/queries/members/members";
import { pruningJobs } from "../../apps/server/jobs/pruning.ts";
import { problemOf } from "../support/answers.ts";
import { addToken } from "../support/filled-organization.ts";
import { type ManageClient, manageClient } from "../support/manage-client.ts";
import { openManageFixture, type Person } from "../support/manage-fixture.ts";
import { signInFixtureOf } from "../support/sign-in-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const hourMs = 3_600_000;
const reason = { reason: "Ticket 1" };

testsOn("postgres", "impersonation", openManageFixture, (fixture) => {
  let organization: string;
  beforeAll(() => {
    organization = `/organizations/${fixture.organizationId}`;
  });

  const impersonation = (organizationId = fixture.organizationId) =>
    `/admin/organizations/${organizationId}/impersonation`;
  /** A platform admin who looks at the organization. */
  const started = async () => {
    const admin = await fixture.person({ admin: true });
    const { status, body } = await admin.api.post(impersonation(), reason);
    expect(status).toBe(201);
    return { ...admin, until: String(body.expires_at) };
  };
  const statusOf = async (client: ManageClient) => (await client.get(organization)).status;
  const listedFor = async (client: ManageClient) => (await client.get("/organizations")).body.data;
  const rowsOf = ({ userId }: Person) => fixture.stored("impersonations", { user_id: userId });
  const endsAt = ({ userId }: Person, expires_at: number) =>
    fixture.change("impersonations", { user_id: userId }, { expires_at });
  /** What a user did, as the organization's audit log shows it. */
  const entriesOf = async ({ userId }: Person) =>
    (await fixture.owner.api.get(`${organization}/audit-log?actor_id=${userId}`)).body.data;
  const newOrganization = async ({ api }: Person) =>
    String((await api.post("/organizations", { name: "Other" })).body.id);

  test("an impersonation lasts an hour by the database's clock, with every permission to view and no other", async () => {
    const { api, until } = await started();
    const clockMs = await fixture.store.clock();
    expect(Date.parse(until) - clockMs).toBeWithin(hourMs - 60_000, hourMs + 60_000);
    const { body } = await api.get(organization);
    expect(body).toMatchObject({ is_owner: false, impersonated_until: until });
    expect(new Set(body.permissions)).toEqual(new Set(viewPermissions));
    expect((await api.get(`/admin${organization}`)).body.impersonated_until).toBe(until);
    expect(await listedFor(api)).toEqual([body]);
  });

  test("an impersonation ends when it is ended, and the audit log says who, why and until when, without an IP address", async () => {
    const admin = await started();
    expect(await statusOf(admin.api)).toBe(200);
    // Ending it again changes nothing.
    for (const _ of [1, 2]) expect((await admin.api.delete(impersonation())).status).toBe(204);
    expect(await statusOf(admin.api)).toBe(404);
    expect(await listedFor(admin.api)).toEqual([]);
    expect((await admin.api.get(`/admin${organization}`)).body.impersonated_until).toBeNull();
    expect(await rowsOf(admin)).toEqual([]);
    expect(await entriesOf(admin)).toEqual([
      expect.objectContaining({ action: "organization.impersonation_ended", ip: null }),
      expect.objectContaining({
        action: "organization.impersonation_started",
        actor: { kind: "platform_admin", id: admin.userId, name: "Test Person", access_token_id: null },
        subject: { kind: "organization", id: fixture.organizationId, name: "Acme" },
        after: { ...reason, until: admin.until },
        ip: null,
      }),
    ]);
  });

  test("an impersonation has no effect without the right to administer or after the hour, and is pruned", async () => {
    const [expired, active] = [await started(), await started()];
    await endsAt(expired, Date.now() - 1_000);
    for (const job of pruningJobs(fixture.store, true)) await job.run();
    expect([await rowsOf(expired), await rowsOf(active)]).toMatchObject([[], [{}]]);
    const past = await started();
    await endsAt(past, Date.now() - 1_000);
    await fixture.change("users", { id: active.userId }, { is_platform_admin: 0 });
    for (const { api } of [past, active])
      expect([await statusOf(api), await listedFor(api)]).toEqual([404, []]);
  });

  test("an impersonation needs a reason, and starting it again starts the hour again, with the new reason", async () => {
    for (const body of [{}, { reason: " " }, { reason: "x".repeat(1_001) }])
      expect((await fixture.admin.api.post(impersonation(), body)).status).toBe(422);
    const admin = await started();
    await endsAt(admin, Date.parse(admin.until) - hourMs / 2);
    const again = await admin.api.post(impersonation(), { reason: "Ticket 2" });
    const expires_at = Date.parse(again.body.expires_at);
    expect(expires_at).toBeGreaterThanOrEqual(Date.parse(admin.until));
    expect(await rowsOf(admin)).toMatchObject([{ reason: "Ticket 2", expires_at }]);
    expect(await entriesOf(admin)).toHaveLength(2);
  });

  test("an impersonation belongs to one access token", async () => {
    const admin = await started();
    const other = await fixture.store.transaction((db) => addToken(db, admin, Date.now()));
    const api = manageClient(fixture.server.url, other.token);
    expect([await statusOf(api), await listedFor(api)]).toEqual([404, []]);
  });

  test("an impersonation belongs to one session of a browser, and ends with it", async () => {
    const people = signInFixtureOf(fixture);
    const { browser, email } = await people.createSignedInUser({ admin: true });
    const statusIn = async (at: typeof browser) => (await at.manage("GET", organization)).status;
    const start = await browser.manage("POST", impersonation(), reason);
    expect([start.status, await statusIn(browser)]).toEqual([201, 200]);
    const second = people.browser();
    await people.signIn(email, { browser: second });
    expect(await statusIn(second)).toBe(404);
    const oldCookies = new Map(browser.cookies);
    expect((await browser.auth("/sign-out", {})).status).toBe(200);
    for (const [name, value] of oldCookies) browser.cookies.set(name, value);
    expect(await statusIn(browser)).toBe(401);
    browser.cookies.clear();
    await people.signIn(email, { browser });
    expect(await statusIn(browser)).toBe(404);
  });

  test.each([
    [
      "losing the right to administer the platform",
      (api: ManageClient, user: string) => api.patch(user, { is_platform_admin: false }),
      (api: ManageClient, user: string) => api.patch(user, { is_platform_admin: true }),
    ],
    [
      "being suspended",
      (api: ManageClient, user: string) => api.post(`${user}/suspend`, reason),
      (api: ManageClient, user: string) => api.post(`${user}/restore`),
    ],
  ])("%s ends an impersonation, even if that is undone", async (_, take, giveBack) => {
    const [admin, other] = [await started(), await fixture.person({ admin: true })];
    const user = `/admin/users/${admin.userId}`;
    for (const change of [take, giveBack]) {
      expect((await change(other.api, user)).status).toBe(200);
      expect([401, 404]).toContain(await statusOf(admin.api));
    }
    // The other admin ended it.
    expect(await entriesOf(other)).toMatchObject([{ action: "organization.impersonation_ended" }]);
  });

  test("members and the owner have their own access instead of an impersonation", async () => {
    const owner = await fixture.person({ admin: true });
    const { api, userId } = await started();
    const allowed = ["products:view", "organization:manage"] as const;
    const { roleId } = await fixture.member(allowed);
    const member = { organizationId: fixture.organizationId, userId, roleId };
    await fixture.store.transaction((db) => addMember(db, member, Date.now()));
    const { body } = await api.get(organization);
    expect(body).toMatchObject({ permissions: [...allowed], impersonated_until: null });
    expect((await api.patch(organization, { name: "Acme" })).status).toBe(200);
    for (const refused of [
      await api.post(impersonation(), reason),
      await owner.api.post(impersonation(await newOrganization(owner)), reason),
    ])
      expect(problemOf(refused)).toEqual([409, "already_member"]);
  });

  test("an admin can impersonate 20 organizations at a time, in all sessions together", async () => {
    const { api, userId } = await fixture.person({ admin: true });
    const nowMs = await fixture.store.clock();
    const looking = {
      user_id: userId,
      organization_id: fixture.organizationId,
      reason: "",
      started_at: nowMs,
    };
    // One of them has expired.
    const rows = Array.from({ length: 20 }, (_, number) => {
      const expires_at = number === 0 ? nowMs - 60_000 : nowMs + hourMs;
      return { ...looking, id: newId(), session_id: newId(), expires_at };
    });
    await fixture.store.transaction((db) => db.insertInto("impersonations").values(rows).execute());
    for (const _ of [1, 2]) expect((await api.post(impersonation(), reason)).status).toBe(201);
    const answer = await api.post(impersonation(await newOrganization(fixture.owner)), reason);
    const body = { code: "impersonation_limit_reached", params: { limit: 20 } };
    expect(answer).toMatchObject({ status: 409, body });
  });

  test("a suspended organization can be impersonated, and one that does not exist or was deleted cannot", async () => {
    const { api } = await fixture.person({ admin: true });
    const id = await newOrganization(await fixture.person());
    await api.post(`/admin/organizations/${id}/suspend`, reason);
    expect((await api.post(impersonation(id), reason)).status).toBe(201);
    expect((await api.get(`/organizations/${id}/members`)).status).toBe(200);
    const changed = await api.patch(`/organizations/${id}`, { name: "Changed" });
    expect(problemOf(changed)).toEqual([403, "impersonation_read_only"]);
    await fixture.change("organizations", { id }, { deleted_at: Date.now(), owner_id: null });
    expect((await api.get(`/organizations/${id}`)).status).toBe(404);
    expect(await listedFor(api)).toEqual([]);
    for (const unknown of [id, newId()])
      for (const answer of [
        await api.post(impersonation(unknown), reason),
        await api.delete(impersonation(unknown)),
      ])
        expect(problemOf(answer)).toEqual([404, "organization_not_found"]);
  });
});
