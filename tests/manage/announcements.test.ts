import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { addToken } from "../support/filled-organization.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const minuteMs = 60_000;

describe.each(databases)("announcements on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());
  beforeEach(() => fixture.store.transaction((db) => db.deleteFrom("announcements").execute()));

  const path = "/admin/announcements";
  const create = (body: object) => fixture.admin.api.post(path, { message: "Maintenance", ...body });
  const shown = async () => (await fixture.owner.api.get("/announcements")).body.data;
  const inMs = async (ms: number) => new Date((await fixture.store.clock()) + ms).toISOString();
  const actions = async (id: string) => {
    const { body } = await fixture.admin.api.get(`/admin/audit-log?subject_id=${id}`);
    return body.data.map(({ action }: { action: string }) => action);
  };

  test("everyone who is signed in sees the current ones, the latest first", async () => {
    const now = await create({});
    expect(now.status).toBe(201);
    expect(now.body).toMatchObject({
      level: "info",
      message: "Maintenance",
      url: null,
      ends_at: null,
      created_by: "Test Person",
    });
    const url = "https://status.example.com/";
    const [startsAt, endsAt] = [await inMs(-minuteMs), await inMs(60 * minuteMs)];
    const earlier = await create({ level: "warning", url, starts_at: startsAt, ends_at: endsAt });
    await create({ starts_at: await inMs(60 * minuteMs) });
    await create({ starts_at: await inMs(-2 * minuteMs), ends_at: await inMs(-minuteMs) });
    expect(await shown()).toEqual([
      {
        id: now.body.id,
        level: "info",
        message: "Maintenance",
        url: null,
        starts_at: now.body.starts_at,
        ends_at: null,
      },
      {
        id: earlier.body.id,
        level: "warning",
        message: "Maintenance",
        url,
        starts_at: startsAt,
        ends_at: endsAt,
      },
    ]);
    const all = await fixture.admin.api.get(`${path}?limit=3`);
    expect(all.body.data).toHaveLength(3);
    const rest = await fixture.admin.api.get(`${path}?limit=3&cursor=${all.body.next_cursor}`);
    expect(rest.body).toEqual({ data: [now.body], next_cursor: null });
  });

  test("tokens of organizations do not see them, tokens of users do", async () => {
    const { ofOrganization, narrow } = await fixture.store.transaction(async (db) => ({
      ofOrganization: await addToken(db, { organizationId: fixture.organizationId }, Date.now()),
      narrow: await addToken(db, { userId: fixture.owner.userId }, Date.now(), null, ["licenses:view"]),
    }));
    const answer = await manageClient(fixture.server.url, ofOrganization.token).get("/announcements");
    expect([answer.status, answer.body.code]).toEqual([403, "user_required"]);
    expect((await manageClient(fixture.server.url, narrow.token).get("/announcements")).status).toBe(200);
    expect((await fixture.anonymous.get("/announcements")).status).toBe(401);
  });

  test("a change is shown with the next request and recorded, and one that changes nothing is not", async () => {
    const { body } = await create({ ends_at: await inMs(60 * minuteMs) });
    const one = `${path}/${body.id}`;
    const changed = await fixture.admin.api.patch(one, {
      message: "Delayed",
      level: "warning",
      ends_at: null,
    });
    expect(changed.body).toEqual({
      ...body,
      message: "Delayed",
      level: "warning",
      ends_at: null,
      updated_at: expect.any(String),
    });
    expect(changed.body.updated_at > body.updated_at).toBeTrue();
    expect(await shown()).toMatchObject([{ message: "Delayed" }]);
    const same = await fixture.admin.api.patch(one, { message: "Delayed" });
    expect(same.body).toEqual(changed.body);
    const late = await fixture.admin.api.patch(one, { message: "x" }, { "if-match": `"${body.updated_at}"` });
    expect(late.body.code).toBe("changed_meanwhile");

    expect((await fixture.admin.api.delete(one)).status).toBe(204);
    expect(await shown()).toEqual([]);
    expect(await actions(body.id)).toEqual([
      "announcement.deleted",
      "announcement.updated",
      "announcement.created",
    ]);
    for (const answer of [await fixture.admin.api.delete(one), await fixture.admin.api.patch(one, {})])
      expect([answer.status, answer.body.code]).toEqual([404, "announcement_not_found"]);
  });

  test("the end is after the start, also when only one of them changes", async () => {
    const at = await inMs(0);
    const wrong = await create({ starts_at: at, ends_at: at });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [expect.objectContaining({ field: "ends_at", code: "ends_before_start" })],
    ]);
    expect((await create({ ends_at: await inMs(-minuteMs) })).status).toBe(422);
    const { body } = await create({ starts_at: at, ends_at: await inMs(minuteMs) });
    for (const change of [{ starts_at: await inMs(2 * minuteMs) }, { ends_at: await inMs(-minuteMs) }]) {
      const answer = await fixture.admin.api.patch(`${path}/${body.id}`, change);
      expect(answer.body.errors?.[0]).toMatchObject({ field: "ends_at", code: "ends_before_start" });
    }
    const hostile = [
      { url: "javascript:alert(1)" },
      { message: " " },
      { message: "x".repeat(501) },
      { level: "x" },
    ];
    for (const body of hostile) expect((await create(body)).status).toBe(422);
  });

  test("there are at most 20, even if many are added at the same time", async () => {
    const answers = await Promise.all(Array.from({ length: 24 }, () => create({})));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(20).fill(201), ...Array(4).fill(409)]);
    const refused = answers.find(({ status }) => status === 409);
    expect([refused?.body.code, refused?.body.params]).toEqual(["announcement_limit_reached", { limit: 20 }]);
    expect(await shown()).toHaveLength(20);
    expect((await fixture.admin.api.delete(`${path}/${newId()}`)).status).toBe(404);
  });
});
