import { expect, test } from "bun:test";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

interface Shown {
  readonly id: string;
  readonly license_key: string;
  readonly expires_at: string;
}

/**
 * What each action changes: packages/store/queries/licenses/changes.test.ts. That licenses of other organizations are
 * ignored like unknown ones: packages/store/queries/licenses/create.test.ts, and tests/routes for this route.
 */
testsOn("postgres", "bulk changes to licenses", openManageFixture, (fixture) => {
  const { create: createOnce, act, bulk, list, validate } = licensesOf(fixture);

  let batches = 0;
  const create = async (count: number, body: object = {}) => {
    const tag = `batch ${++batches}`;
    const { data } = await createOnce({ tags: [tag], count, ...body });
    const licenses: Shown[] = data;
    return { licenses, ids: licenses.map(({ id }) => id), selection: { filter: { tag } }, tag };
  };
  const statusesOf = async (licenses: readonly Shown[]) => {
    const answers = await Promise.all(licenses.map(({ license_key }) => validate(license_key)));
    return [...new Set(answers.map(({ status }) => status))];
  };
  const endsOf = async (tag: string) =>
    new Set((await list(`tag=${tag}`)).map((license: Shown) => Date.parse(license.expires_at)));

  test("a dry run of a bulk change reports the counts and changes nothing", async () => {
    const { licenses, ids, selection } = await create(5);
    await act(ids[0] ?? "", "revoke");
    const counts = { matched: 5, changed: 4, next_cursor: null };
    const dry = await bulk({ action: "revoke", selection, dry_run: true });
    expect(dry.body).toEqual({ ...counts, dry_run: true });
    expect(await statusesOf(licenses.slice(1))).toEqual(["active"]);
    const done = await bulk({ action: "revoke", selection, reason: "Leaked" });
    expect(done.body).toEqual({ ...counts, dry_run: false });
    expect(await statusesOf(licenses)).toEqual(["revoked"]);
    expect((await bulk({ action: "revoke", selection })).body.changed).toBe(0);
    expect((await bulk({ action: "reinstate", selection: { ids } })).body.changed).toBe(5);
    expect(await statusesOf(licenses)).toEqual(["active"]);
  });

  test("each other bulk action changes the selected licenses, and what it changed can be searched for", async () => {
    const { licenses, selection, tag } = await create(3);
    await statusesOf(licenses.slice(0, 1));
    const run = async (action: string, more: object = {}) =>
      (await bulk({ action, selection, ...more })).body.changed;
    expect(await run("extend", { extend_by_seconds: 60 })).toBe(0);
    expect(await run("set_expiry", { expires_at: "2020-01-01T00:00:00Z" })).toBe(3);
    expect(await statusesOf(licenses)).toEqual(["expired"]);
    expect(await run("set_expiry", { expires_at: null })).toBe(3);
    expect(await run("set_max_ips", { max_ips: 9 })).toBe(3);
    expect(await run("add_tags", { tags: ["fresh", tag] })).toBe(3);
    expect(await run("reset_ips")).toBe(1);
    const shown = { is_lifetime: true, max_ips: 9, tags: [tag, "fresh"], current_unique_ip_count: 0 };
    expect(await list("q=fresh")).toMatchObject([shown, shown, shown]);
    expect(await run("remove_tags", { tags: ["fresh"] })).toBe(3);
    expect(await list("q=fresh")).toEqual([]);
  });

  test("a bulk change of several batches happens once, is completed, and audits each license", async () => {
    const { licenses, ids, selection, tag } = await create(120, { expires_in_seconds: 3600 });
    const endMs = Date.parse(licenses[0]?.expires_at ?? "");
    const all = { matched: 120, changed: 120 };
    const order = { action: "extend", selection, extend_by_seconds: 60 };
    const batch = { ...order, selection: { ids: ids.slice(0, 50) }, extend_by_seconds: 1 };
    const once = { "idempotency-key": crypto.randomUUID() };
    for (const { body } of [await bulk(batch, once), await bulk(batch, once)])
      expect(body).toMatchObject({ matched: 50, changed: 50, next_cursor: null });
    expect((await bulk({ ...order, dry_run: true })).body).toMatchObject(all);
    const required = { status: 422, body: { errors: [{ code: "idempotency_key_required" }] } };
    for (const chosen of [selection, { ids }])
      expect(await bulk({ ...order, selection: chosen })).toMatchObject(required);
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => bulk(order, headers)));
    answers.push(await bulk(order, headers));
    for (const { body } of answers) expect(body).toMatchObject(all);
    expect(answers.at(-1)?.headers.get("idempotent-replayed")).toBe("true");
    expect(await endsOf(tag)).toEqual(new Set([endMs + 60_000, endMs + 61_000]));
    expect((await bulk({ ...order, extend_by_seconds: 61 }, headers)).status).toBe(409);

    const active = { filter: { tag, status: "active" } };
    expect((await bulk({ action: "revoke", selection: active })).body).toMatchObject(all);
    const rows = await fixture.stored("audit_log", { action: "license.revoked", subject_id: ids });
    expect([rows.length, new Set(rows.map((row) => row.request_id)).size]).toEqual([120, 1]);
    expect((await bulk({ action: "delete", selection })).body.changed).toBe(120);
    expect(await list(`tag=${tag}`)).toEqual([]);
  });

  test("a bulk change that cannot be carried out is refused, and the field is named", async () => {
    const wrong: [field: string, body: object][] = [
      ["extend_by", { action: "extend" }],
      ["expires_at", { action: "set_expiry", expires_at: "9999-12-31T23:59:59-12:00" }],
      ["expires_at", { action: "set_expiry", expires_at: "0001-01-01T00:00:00Z" }],
    ];
    for (const [field, body] of wrong)
      expect(refusal(await bulk({ selection: { ids: ["x"] }, ...body }))).toEqual([422, field]);
  });

  /** That each action needs its own: tests/routes/access.ts. */
  test("a bulk change needs only the permission of the action, besides seeing licenses", async () => {
    const { api } = await fixture.member(["licenses:view", "licenses:revoke"]);
    const order = { action: "revoke", selection: { ids: ["x"] }, dry_run: true };
    const answer = await api.post(`/organizations/${fixture.organizationId}/licenses/bulk`, order);
    expect(answer.status).toBe(200);
  });
});
