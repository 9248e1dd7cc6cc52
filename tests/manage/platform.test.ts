import { expect, test } from "bun:test";
import { languages } from "@countersign/domain/mail/languages";
import { emailKinds } from "../../apps/server/features/admin/sample-emails.ts";
import { writeEmail } from "../../apps/server/features/mail/email.ts";
import { addLicense } from "../support/add-license.ts";
import { allRows, problemOf } from "../support/answers.ts";
import type { TestedDatabase } from "../support/databases.ts";
import { refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { testsOn } from "../support/tests-on.ts";

const openOwn = (make: TestedDatabase["make"]) =>
  openManageFixture(make, { why: "changes what concerns every organization" });
const minuteMs = 60_000;

/** Who may call these routes is tested in tests/routes. */
testsOn("postgres", "the whole installation", openOwn, (fixture) => {
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
    const all = await allRows(fixture.admin.api, announcements);
    expect(all.slice(1)).toEqual([earlier.body, now.body]);
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
    const ifUnchanged = { "if-match": `"${body.updated_at}"` };
    const late = await fixture.admin.api.patch(one, { message: "x" }, ifUnchanged);
    expect(late.body.code).toBe("changed_meanwhile");

    expect((await fixture.admin.api.delete(one)).status).toBe(204);
    expect(JSON.stringify(await shown())).not.toContain("Delayed");
    const recorded = ["deleted", "updated", "created"].map((what) => `announcement.${what}`);
    expect(await actions(`subject_id=${body.id}`)).toEqual(recorded);
    for (const answer of [await fixture.admin.api.delete(one), await fixture.admin.api.patch(one, {})])
      expect(problemOf(answer)).toEqual([404, "announcement_not_found"]);
  });

  test("an announcement ends after its start, also when only one of them changes", async () => {
    const at = await inMs(0);
    const { body } = await announce({ starts_at: at, ends_at: await inMs(minuteMs) });
    const change = (changes: object) => fixture.admin.api.patch(`${announcements}/${body.id}`, changes);
    const errors = [{ field: "ends_at", code: "ends_before_start" }];
    for (const answer of [
      await announce({ starts_at: at, ends_at: at }),
      await announce({ ends_at: await inMs(-minuteMs) }),
      await change({ starts_at: await inMs(2 * minuteMs) }),
      await change({ ends_at: await inMs(-minuteMs) }),
    ])
      expect(answer.body).toMatchObject({ status: 422, errors });
  });

  test("announcements of no or too many characters, with a script as URL or an unknown level are refused", async () => {
    const long = "x".repeat(501);
    const refused = [{ url: "javascript:alert(1)" }, { message: " " }, { message: long }, { level: "x" }];
    for (const body of refused) expect((await announce(body)).status).toBe(422);
  });

  test("there are at most 20 announcements, even if many are added at the same time", async () => {
    await fixture.store.transaction((db) => db.deleteFrom("announcements").execute());
    const answers = await Promise.all(Array.from({ length: 24 }, () => announce({})));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(4);
    for (const { body } of refused)
      expect(body).toMatchObject({ code: "announcement_limit_reached", params: { limit: 20 } });
    expect(await shown()).toHaveLength(20);
  });

  test("a platform IP block applies to every organization until it is removed", async () => {
    const blocks = "/admin/ip-blocks";
    const { post, get, patch, delete: remove } = fixture.admin.api;
    const wrong = await post(blocks, { cidr: "everywhere" });
    expect(refusal(wrong)).toEqual([422, "cidr"]);
    const { key } = await addLicense(fixture);
    const status = async () => (await fixture.publicApi.validate({ license_key: key })).body.status;
    expect(await status()).toBe("active");
    const made = await post(blocks, { cidr: "127.0.0.9/8", note: "Bots" });
    expect(made.body).toMatchObject({ cidr: "127.0.0.0/8", note: "Bots", created_by: "Test Person" });
    expect(await status()).toBe("ip_blocked");
    expect((await post(blocks, { cidr: "127.0.0.0/8" })).status).toBe(409);
    expect((await get(blocks)).body.data).toMatchObject([{ id: made.body.id }]);
    const path = `${blocks}/${made.body.id}`;
    const inAnHour = await inMs(60 * minuteMs);
    expect((await patch(path, { expires_at: inAnHour })).body.expires_at).toBe(inAnHour);
    expect([(await remove(path)).status, (await remove(path)).status]).toEqual([204, 404]);
    expect(await status()).toBe("active");
    const recorded = ["removed", "updated", "added"].map((what) => `ip_block.${what}`);
    expect(await actions("subject_kind=ip_block")).toEqual(recorded);
  });

  test("emails are listed without their text, and can be read as text and as HTML until they are sent", async () => {
    const to = `${newId()}@example.com`;
    const html = "<p>Hello <script>alert(1)</script></p>";
    await fixture.store.transaction(async (db) => {
      for (const kind of ["invitation", "reset"])
        await writeEmail(db, { to, subject: kind, text: `secret ${kind}`, html, kind }, Date.now());
    });
    const listed = await fixture.admin.api.get(`/admin/outbox?recipient=${to.toUpperCase()}`);
    expect(listed.body.data).toMatchObject([{ subject: "reset" }, { subject: "invitation" }]);
    expect(listed.text).not.toContain("secret");
    const [reset] = (await fixture.admin.api.get("/admin/outbox?kind=reset")).body.data;
    const path = `/admin/outbox/${reset.id}`;
    expect((await fixture.admin.api.get(path)).body.body_text).toBe("secret reset");
    const page = await fixture.admin.api.get(`${path}/html`);
    expect([page.status, page.text]).toEqual([200, html]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    await fixture.change("outbox", { id: reset.id }, { sent_at: Date.now() });
    expect((await fixture.admin.api.get(path)).body.body_text).toBeNull();
    expect((await fixture.admin.api.get(`${path}/html`)).status).toBe(404);
  });

  /** Every email in every language: apps/server/features/admin/sample-emails.test.ts. */
  test("every email can be previewed in a sandboxed page, in every language", async () => {
    const templates = "/admin/email-templates";
    const { body } = await fixture.admin.api.get(templates);
    expect(body).toEqual({ kinds: [...emailKinds], languages: [...languages] });
    const page = await fixture.admin.api.get(`${templates}/password_reset?language=es`);
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.text).toContain('<html lang="es">');
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/default-src 'none'.*sandbox/);
    expect(policy).not.toMatch(/script|allow-same-origin/);
    const text = await fixture.admin.api.get(`${templates}/invitation?format=text`);
    expect(text.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect((await fixture.admin.api.get(`${templates}/toString`)).status).toBe(404);
    const unknown = await fixture.admin.api.get(`${templates}/invitation?language=fr`);
    expect(refusal(unknown)).toEqual([422, "language"]);
  });

  test("health reports the database and the row counts", async () => {
    const { database, counts } = (await fixture.admin.api.get("/admin/health")).body;
    expect(database.kind).toBe(fixture.store.kind);
    expect(database.latency_ms).toBeGreaterThanOrEqual(0);
    expect(Math.abs(database.clock_offset_ms)).toBeLessThan(minuteMs);
    expect(counts.products).toBe(1);
  });
});
