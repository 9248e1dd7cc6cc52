import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { languages } from "@countersign/domain/mail/languages";
import { emailKinds } from "../../apps/server/features/admin/sample-emails.ts";
import { writeEmail } from "../../apps/server/features/mail/email.ts";
import { addLicense } from "../support/add-license.ts";
import { on } from "../support/databases.ts";
import { addToken } from "../support/filled-organization.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";

setDefaultTimeout(60_000);

const minuteMs = 60_000;

describe.each(on("postgres"))("the whole installation on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make, { why: "changes what concerns every organization" });
  });
  afterAll(() => fixture.close());

  const announcements = "/admin/announcements";
  const announce = (body: object) =>
    fixture.admin.api.post(announcements, { message: "Maintenance", ...body });
  const shown = async () => (await fixture.owner.api.get("/announcements")).body.data;
  const inMs = async (ms: number) => new Date((await fixture.store.clock()) + ms).toISOString();
  const actions = async (query: string) => {
    const { body } = await fixture.admin.api.get(`/admin/audit-log?${query}`);
    return body.data.map(({ action }: { action: string }) => action);
  };

  test("everyone who is signed in sees the current announcements, the latest first", async () => {
    const now = await announce({});
    expect(now.status).toBe(201);
    const url = "https://status.example.com/";
    const [startsAt, endsAt] = [await inMs(-minuteMs), await inMs(60 * minuteMs)];
    const earlier = await announce({ level: "warning", url, starts_at: startsAt, ends_at: endsAt });
    await announce({ starts_at: endsAt });
    const message = "Maintenance";
    const unlimited = { level: "info", message, url: null, starts_at: now.body.starts_at, ends_at: null };
    expect(now.body).toMatchObject({ ...unlimited, created_by: "Test Person" });
    expect(await shown()).toEqual([
      { id: now.body.id, ...unlimited },
      { id: earlier.body.id, level: "warning", message, url, starts_at: startsAt, ends_at: endsAt },
    ]);
    const all = await fixture.admin.api.get(`${announcements}?limit=2`);
    expect(all.body.data).toHaveLength(2);
    const rest = await fixture.admin.api.get(`${announcements}?limit=2&cursor=${all.body.next_cursor}`);
    expect(rest.body).toEqual({ data: [now.body], next_cursor: null });
  });

  test("tokens of organizations do not see announcements, tokens of users do", async () => {
    const { ofOrganization, narrow } = await fixture.store.transaction(async (db) => ({
      ofOrganization: await addToken(db, { organizationId: fixture.organizationId }, Date.now()),
      narrow: await addToken(db, { userId: fixture.owner.userId }, Date.now(), null, ["licenses:view"]),
    }));
    const answer = await manageClient(fixture.url, ofOrganization.token).get("/announcements");
    expect([answer.status, answer.body.code]).toEqual([403, "user_required"]);
    expect((await manageClient(fixture.url, narrow.token).get("/announcements")).status).toBe(200);
    expect((await fixture.anonymous.get("/announcements")).status).toBe(401);
  });

  test("a changed announcement is shown with the next request and recorded, and one that changes nothing is not", async () => {
    const { body } = await announce({ ends_at: await inMs(60 * minuteMs) });
    const one = `${announcements}/${body.id}`;
    const changes = { message: "Delayed", level: "warning", ends_at: null };
    const changed = await fixture.admin.api.patch(one, changes);
    expect(changed.body).toEqual({ ...body, ...changes, updated_at: expect.any(String) });
    expect(changed.body.updated_at > body.updated_at).toBeTrue();
    expect((await shown())[0]).toMatchObject({ message: "Delayed" });
    expect((await fixture.admin.api.patch(one, { message: "Delayed" })).body).toEqual(changed.body);
    const late = await fixture.admin.api.patch(one, { message: "x" }, { "if-match": `"${body.updated_at}"` });
    expect(late.body.code).toBe("changed_meanwhile");

    expect((await fixture.admin.api.delete(one)).status).toBe(204);
    expect(JSON.stringify(await shown())).not.toContain("Delayed");
    expect(await actions(`subject_id=${body.id}`)).toEqual([
      "announcement.deleted",
      "announcement.updated",
      "announcement.created",
    ]);
    for (const answer of [await fixture.admin.api.delete(one), await fixture.admin.api.patch(one, {})])
      expect([answer.status, answer.body.code]).toEqual([404, "announcement_not_found"]);
  });

  test("an announcement ends after its start, also when only one of them changes", async () => {
    const at = await inMs(0);
    const wrong = { field: "ends_at", code: "ends_before_start" };
    const { body } = await announce({ starts_at: at, ends_at: await inMs(minuteMs) });
    const change = (changes: object) => fixture.admin.api.patch(`${announcements}/${body.id}`, changes);
    for (const answer of [
      await announce({ starts_at: at, ends_at: at }),
      await announce({ ends_at: await inMs(-minuteMs) }),
      await change({ starts_at: await inMs(2 * minuteMs) }),
      await change({ ends_at: await inMs(-minuteMs) }),
    ])
      expect([answer.status, answer.body.errors]).toEqual([422, [expect.objectContaining(wrong)]]);
  });

  test.each([
    ["a URL that runs a script", { url: "javascript:alert(1)" }],
    ["an empty message", { message: " " }],
    ["a message that is too long", { message: "x".repeat(501) }],
    ["an unknown level", { level: "x" }],
  ])("an announcement with %s is refused", async (_what, body) => {
    expect((await announce(body)).status).toBe(422);
  });

  test("there are at most 20 announcements, even if many are added at the same time", async () => {
    await fixture.store.transaction((db) => db.deleteFrom("announcements").execute());
    const answers = await Promise.all(Array.from({ length: 24 }, () => announce({})));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(20).fill(201), ...Array(4).fill(409)]);
    const refused = answers.find(({ status }) => status === 409);
    expect([refused?.body.code, refused?.body.params]).toEqual(["announcement_limit_reached", { limit: 20 }]);
    expect(await shown()).toHaveLength(20);
  });

  test("a platform IP block applies to every organization until it is removed", async () => {
    const wrong = await fixture.admin.api.post("/admin/ip-blocks", { cidr: "everywhere" });
    expect([wrong.status, wrong.body.errors[0].field]).toEqual([422, "cidr"]);
    const { key } = await addLicense(fixture);
    const status = async () => (await fixture.publicApi.validate({ license_key: key })).body.status;
    expect(await status()).toBe("active");
    const made = await fixture.admin.api.post("/admin/ip-blocks", { cidr: "127.0.0.9/8", note: "Bots" });
    expect(made.body).toMatchObject({ cidr: "127.0.0.0/8", note: "Bots", created_by: "Test Person" });
    expect(await status()).toBe("ip_blocked");
    expect((await fixture.admin.api.post("/admin/ip-blocks", { cidr: "127.0.0.0/8" })).status).toBe(409);
    const { body } = await fixture.admin.api.get("/admin/ip-blocks");
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([made.body.id]);
    const path = `/admin/ip-blocks/${made.body.id}`;
    const inAnHour = await inMs(60 * minuteMs);
    expect((await fixture.admin.api.patch(path, { expires_at: inAnHour })).body.expires_at).toBe(inAnHour);
    expect((await fixture.admin.api.delete(path)).status).toBe(204);
    expect((await fixture.admin.api.delete(path)).status).toBe(404);
    expect(await status()).toBe("active");
    expect(await actions("subject_kind=ip_block")).toEqual([
      "ip_block.removed",
      "ip_block.updated",
      "ip_block.added",
    ]);
  });

  test("emails are listed without their text, and can be read as text and as HTML until they are sent", async () => {
    const to = `${newId()}@example.com`;
    const html = "<p>Hello <script>alert(1)</script></p>";
    await fixture.store.transaction(async (db) => {
      for (const kind of ["invitation", "reset"])
        await writeEmail(db, { to, subject: kind, text: `secret ${kind}`, html, kind }, Date.now());
    });
    const listed = await fixture.admin.api.get(`/admin/outbox?recipient=${to.toUpperCase()}`);
    expect(listed.body.data.map((mail: { subject: string }) => mail.subject)).toEqual([
      "reset",
      "invitation",
    ]);
    expect(listed.text).not.toContain("secret");
    const [reset] = (await fixture.admin.api.get("/admin/outbox?kind=reset")).body.data;
    const path = `/admin/outbox/${reset.id}`;
    expect((await fixture.admin.api.get(path)).body.body_text).toBe("secret reset");
    const page = await fixture.admin.api.get(`${path}/html`);
    expect([page.status, page.text]).toEqual([200, html]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    await fixture.store.transaction((db) =>
      db.updateTable("outbox").set({ sent_at: Date.now() }).where("id", "=", reset.id).execute(),
    );
    expect((await fixture.admin.api.get(path)).body.body_text).toBeNull();
    expect((await fixture.admin.api.get(`${path}/html`)).status).toBe(404);
  });

  test("every email can be previewed in a sandboxed page, in every language", async () => {
    const templates = "/admin/email-templates";
    const { body } = await fixture.admin.api.get(templates);
    expect(body).toEqual({ kinds: [...emailKinds], languages: [...languages] });
    for (const [index, kind] of emailKinds.entries()) {
      const language = languages[index % languages.length];
      const page = await fixture.admin.api.get(`${templates}/${kind}?language=${language}`);
      expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
      expect(page.text).toContain(`<html lang="${language}">`);
      const policy = page.headers.get("content-security-policy") ?? "";
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("sandbox");
      expect(policy).not.toMatch(/script|allow-same-origin/);
    }
    const text = await fixture.admin.api.get(`${templates}/invitation?format=text`);
    expect(text.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect((await fixture.admin.api.get(`${templates}/toString`)).status).toBe(404);
    const unknown = await fixture.admin.api.get(`${templates}/invitation?language=fr`);
    expect([unknown.status, unknown.body.errors[0].field]).toEqual([422, "language"]);
    for (const path of [templates, `${templates}/invitation`])
      expect((await fixture.owner.api.get(path)).status).toBeOneOf([403, 404]);
  });

  test("health reports the database and the row counts", async () => {
    const { body } = await fixture.admin.api.get("/admin/health");
    expect(body.database.kind).toBe(fixture.store.kind);
    expect(body.database.latency_ms).toBeGreaterThanOrEqual(0);
    expect(Math.abs(body.database.clock_offset_ms)).toBeLessThan(60_000);
    expect(body.counts.products).toBe(1);
  });
});
