import { expect, test } from "bun:test";
import { minuteMs } from "@countersign/domain/dates/lengths";
import { storeJobRuns } from "@countersign/store/queries/jobs/job-runs";
import { JobRuns } from "../../apps/server/jobs/job-runs.ts";
import { jobRunSaving } from "../../apps/server/jobs/periodic-jobs.ts";
import { allRows, problemOf, refusedFields } from "../support/answers.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { type ManageAnswer, manageClient } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { startServerProcess } from "../support/server-process.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";
import { until } from "../support/until.ts";

const openOwn = (make: TestedDatabase["make"]) =>
  openManageFixture(make, { why: "has one platform admin, and changes what concerns every organization" });

/** Who may call these routes is tested in tests/routes. */
testsOn("postgres", "the platform admin", openOwn, (fixture) => {
  const get = (path: string) => fixture.admin.api.get(path);
  const post = (path: string, body?: object, headers = {}) => fixture.admin.api.post(path, body, headers);
  const patch = (path: string, body: object) => fixture.admin.api.patch(path, body);
  const organization = () => `/admin/organizations/${fixture.organizationId}`;
  const ids = ({ body }: ManageAnswer): string[] => body.data.map(({ id }: { id: string }) => id);
  const validated = async () => (await fixture.publicApi.validate({ license_key: "x" })).body.status;
  /** The status of a request to the sign-in API. */
  const auth = async (path: string, body: object) => {
    const headers = { "content-type": "application/json", origin: fixture.url };
    const url = `${fixture.url}/api/auth${path}`;
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).status;
  };

  test("organizations are found by parts of the name, slug and owner's email address, ignoring case", async () => {
    const person = await fixture.person();
    const made = await person.api.post("/organizations", { name: "Zephyr 100% Tools", slug: "wind-works" });
    const find = (text: string) => get(`/admin/organizations?q=${encodeURIComponent(text)}`);
    for (const text of ["ZEPHYR", "100%", "d-WORK", person.email.toUpperCase().slice(5)])
      expect(ids(await find(text))).toEqual([made.body.id]);
    expect(ids(await find("_"))).toEqual([]);
    expect((await find("acme")).body.data[0]).toMatchObject({
      ...{ id: fixture.organizationId, plan: "enterprise", product_count: 1, license_count: 0 },
      owner: { id: fixture.owner.userId, email: fixture.owner.email },
    });
  });

  test.each(["/admin/organizations", "/admin/users"])("%s has pages, newest first", async (path) => {
    const whole: { created_at: string }[] = (await get(path)).body.data;
    const rows = await allRows(fixture.admin.api, `${path}?limit=1`);
    expect(rows).toEqual(whole);
    expect(whole).toEqual(whole.toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1)));
  });

  test("adding a user returns a link to choose a password, which is shown once and works once", async () => {
    const email = `Added-${newId()}@Example.com`;
    const key = { "idempotency-key": newId() };
    const added = await post("/admin/users", { email, name: "Ada Added" }, key);
    expect(added.body).toMatchObject({
      ...{ name: "Ada Added", email: email.toLowerCase(), email_verified: false },
      ...{ is_platform_admin: false, organizations: [] },
    });
    const repeated = await post("/admin/users", { email, name: "Ada Added" }, key);
    expect(repeated.text).not.toContain(added.body.password_link);
    const taken = await post("/admin/users", { email: email.toUpperCase() });
    expect(problemOf(taken)).toEqual([409, "email_taken"]);
    expect(refusedFields(taken)).toEqual([409, "email"]);
    expect(refusedFields(await post("/admin/users", { email: "ada@localhost" }))).toEqual([422, "email"]);
    const link = new URL(added.body.password_link);
    expect(link.pathname + link.search).toMatch(/^\/reset-password\?token=[\w-]{32}&first=true$/);
    const inDays = (Date.parse(added.body.password_link_expires_at) - Date.now()) / 86_400_000;
    expect(inDays).toBeWithin(6.9, 7.1);

    const token = link.searchParams.get("token");
    const password = "words that nobody guesses";
    expect(await auth("/sign-in/email", { email, password })).toBe(401);
    expect(await auth("/reset-password", { token, newPassword: password })).toBe(200);
    expect(await auth("/reset-password", { token, newPassword: "another good one" })).toBe(401);
    expect(await auth("/sign-in/email", { email, password })).toBe(200);
    expect((await get(`/admin/users/${added.body.id}`)).body.email_verified).toBe(true);
  });

  test("the platform admin can create a password link for a user, and only the latest link works", async () => {
    const { userId } = await fixture.person();
    const path = `/admin/users/${userId}`;
    const [first, second] = [await post(`${path}/password-link`), await post(`${path}/password-link`)];
    const inspected = ({ body }: ManageAnswer) =>
      auth("/reset-password/inspect", { token: new URL(body.password_link).searchParams.get("token") });
    expect([await inspected(first), await inspected(second)]).toEqual([401, 200]);
    expect(second.body.password_link).not.toContain("first=");
    await post(`${path}/suspend`, { reason: "Test" });
    expect((await post(`${path}/password-link`)).status).toBe(409);
    const audited = await get(`/admin/audit-log?subject_id=${userId}&action=user.password_link_created`);
    expect(audited.body.data).toHaveLength(2);
    expect(audited.text).not.toContain(new URL(second.body.password_link).search);
  });

  test("plan, limit and payment state apply from the next request, and a stale update is refused", async () => {
    const read = await get(organization());
    const changed = await patch(organization(), { plan: "free" });
    expect(changed.body).toMatchObject({ plan: "free", daily_limit: 10_000, member_count: 0 });
    const late = { plan: "pro", updated_at: read.body.updated_at };
    expect((await patch(organization(), late)).status).toBe(412);
    for (const [changes, status] of [
      [{ daily_limit_override: 0 }, "rate_limit_exceeded"],
      [{ daily_limit_override: null }, "license_not_found"],
      [{ billing_state: "suspended" }, "billing_suspended"],
      [{ billing_state: "active" }, "license_not_found"],
    ] as const) {
      await patch(organization(), changes);
      expect([changes, await validated()]).toEqual([changes, status]);
    }
    const wrong = await patch(organization(), { daily_limit_override: -1, name: "Mine" });
    expect(refusedFields(wrong)).toEqual([422, "daily_limit_override", "name"]);
  });

  test("a suspended organization fails validation and cannot be changed until it is restored, and its audit log names the platform, without an IP address", async () => {
    const withoutReason = await post(`${organization()}/suspend`, {});
    expect(withoutReason.body.errors).toMatchObject([{ field: "reason" }]);
    const suspended = await post(`${organization()}/suspend`, { reason: "Stolen keys." });
    expect(suspended.body).toMatchObject({ suspension_reason: "Stolen keys." });
    expect(await validated()).toBe("org_suspended");
    const refused = await fixture.owner.api.patch(`/products/${fixture.productId}`, { name: "X" });
    const body = { code: "organization_suspended", detail: expect.stringContaining("Stolen keys.") };
    expect(refused).toMatchObject({ status: 403, body });
    expect((await post(`${organization()}/restore`)).body.suspended_at).toBeNull();
    expect(await validated()).toBe("license_not_found");
    expect((await post(`${organization()}/restore`)).status).toBe(200);
    const log = `/organizations/${fixture.organizationId}/audit-log?action=organization`;
    const after = { suspension_reason: "Stolen keys." };
    expect((await fixture.owner.api.get(`${log}.suspended`)).body.data).toMatchObject([
      { actor: { kind: "platform_admin", access_token_id: null }, after, ip: null },
    ]);
    expect((await fixture.owner.api.get(`${log}.restored`)).body.data).toHaveLength(1);
    const forAdmin = await get("/admin/audit-log?action=organization.suspended");
    expect(forAdmin.body.data[0].ip).toBe("127.0.0.1");
  });

  test("the allowance limits how many organizations a user can own", async () => {
    const { userId, email, api } = await fixture.person();
    await patch(`/admin/users/${userId}`, { organization_allowance: 1 });
    expect((await api.post("/organizations", { name: "One" })).status).toBe(201);
    expect((await api.post("/organizations", { name: "Two" })).status).toBe(403);
    const { body } = await get(`/admin/users/${userId}`);
    expect(body.organizations).toMatchObject([{ name: "One", is_owner: true }]);
    expect(ids(await get(`/admin/users?q=${email}`))).toEqual([userId]);
  });

  test("the last platform admin remains even if admins remove each other at the same time", async () => {
    const { admin } = fixture;
    const isNoAdmin = { is_platform_admin: false };
    expect((await patch(`/admin/users/${admin.userId}`, isNoAdmin)).status).toBe(409);
    expect((await post(`/admin/users/${admin.userId}/suspend`, { reason: "x" })).status).toBe(409);
    const other = await fixture.person();
    await patch(`/admin/users/${other.userId}`, { is_platform_admin: true });
    const admins = async () => ids(await other.api.get("/admin/users?platform_admin=true"));
    expect((await admins()).sort()).toEqual([admin.userId, other.userId].sort());
    const answers = await Promise.all([
      patch(`/admin/users/${other.userId}`, isNoAdmin),
      other.api.post(`/admin/users/${admin.userId}/suspend`, { reason: "x" }),
    ]);
    // The later request is refused: its target is the last admin, or its caller no longer is an admin.
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(await fixture.stored("users", { is_platform_admin: 1, suspended_at: null })).toHaveLength(1);
    const restored = { is_platform_admin: 1, suspended_at: null, suspension_reason: null } as const;
    await fixture.change("users", { id: admin.userId }, restored);
    await fixture.change("users", { id: other.userId }, { is_platform_admin: 0 });
  });

  /** To validations: tests/races/several-nodes.test.ts. */
  test("a suspension of a user or an organization applies until it is lifted, from the next request at the other node", async () => {
    const node = await startServerProcess({ ...fixture.environment, PORT: "0" });
    const owner = manageClient(node.url, fixture.owner.token);
    const user = `/admin/users/${fixture.owner.userId}`;
    const rename = async () => (await owner.patch(`/products/${fixture.productId}`, { name: "X" })).status;
    try {
      expect(await rename()).toBe(200);
      for (const [path, status] of [
        [organization(), 403],
        [user, 401],
      ] as const) {
        const suspended = await post(`${path}/suspend`, { reason: "Test." });
        expect(suspended.body.suspension_reason).toBe("Test.");
        expect(await rename()).toBe(status);
        const list = await get(`${path.slice(0, path.lastIndexOf("/"))}?suspended=true`);
        expect(ids(list)).toContain(path.split("/").at(-1) ?? "");
        await post(`${path}/restore`);
        expect(await rename()).toBe(200);
      }
    } finally {
      await node.stop();
    }
  });

  test("periodic jobs are listed with when they last ran, also those of other nodes once they are saved", async () => {
    type Run = { readonly is_this_node: boolean; readonly job: string };
    const runsOf = async (job: string) =>
      (await get("/admin/jobs")).body.data.filter((run: Run) => run.job === job);
    for (const job of ["organization removal", "webhook deliveries", "imports", "billing clock"])
      await until(`${job} has run`, async () => (await runsOf(job))[0]?.is_this_node);
    // What each node saves within a minute.
    const runs = new JobRuns("another");
    runs.start({ name: "saved", everyMs: 1_500 })(new Error("no"));
    await jobRunSaving(fixture.store, runs).run();
    expect(await runsOf("saved")).toMatchObject([
      { node: "another", is_this_node: false, every_seconds: 1.5, failure: "no" },
    ]);
  });

  test("a run whose node stopped is interrupted, and soon the node is no longer listed", async () => {
    const nowMs = await fixture.store.clock();
    const stopped = (node: string, agoMs: number) => ({
      ...{ node, job: "interrupted", every_ms: 1_000, started_at: nowMs - agoMs },
      ...{ finished_at: null, failed_at: null, failure: null },
    });
    await fixture.store.transaction((db) =>
      storeJobRuns(db, [
        stopped("running", minuteMs),
        stopped("silent", 3 * minuteMs),
        stopped("gone", 32 * minuteMs),
      ]),
    );
    const listed: { job: string; node: string; is_interrupted: boolean }[] = (await get("/admin/jobs")).body
      .data;
    const shown = listed
      .filter(({ job }) => job === "interrupted")
      .map(({ node, is_interrupted }) => [node, is_interrupted]);
    expect(shown).toEqual([
      ["running", false],
      ["silent", true],
    ]);
  });
});
