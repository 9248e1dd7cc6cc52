import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

interface Shown {
  readonly id: string;
  readonly license_key: string;
  readonly expires_at: string | null;
}

/** What each action changes is tested in packages/store/queries/licenses/changes.test.ts. */
describe.each(on("postgres"))("bulk changes to licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    path = `/organizations/${fixture.organizationId}/licenses/bulk`;
  });
  afterAll(() => fixture.close());

  let batches = 0;
  const create = async (count: number, body: object = {}) => {
    const tag = `batch ${++batches}`;
    const { body: made } = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
      ...{ customer_email: "bulk@example.com", tags: [tag], count },
      ...body,
    });
    const licenses: Shown[] = made.data;
    return { licenses, ids: licenses.map(({ id }) => id), selection: { filter: { tag } }, tag };
  };
  const bulk = (body: object, headers?: Record<string, string>) =>
    fixture.owner.api.post(path, body, headers);
  const read = async (tag: string) =>
    (await fixture.owner.api.get(`/organizations/${fixture.organizationId}/licenses?limit=200&tag=${tag}`))
      .body.data;
  const statusesOf = async (licenses: readonly Shown[]) => {
    const statuses = new Set<unknown>();
    for (const { license_key } of licenses)
      statuses.add((await fixture.publicApi.validate({ license_key })).body.status);
    return [...statuses];
  };
  const minuteLater = (license: Shown | undefined) => Date.parse(license?.expires_at ?? "") + 60_000;

  test("a dry run reports the counts and changes nothing", async () => {
    const { licenses, ids, selection } = await create(5);
    await fixture.owner.api.post(`/licenses/${ids[0]}/revoke`);
    const dry = await bulk({ action: "revoke", selection, dry_run: true });
    expect([dry.status, dry.body]).toEqual([
      200,
      { matched: 5, changed: 4, dry_run: true, next_cursor: null },
    ]);
    expect(await statusesOf(licenses.slice(1))).toEqual(["active"]);
    const done = await bulk({ action: "revoke", selection, reason: "Leaked" });
    expect(done.body).toEqual({ matched: 5, changed: 4, dry_run: false, next_cursor: null });
    expect(await statusesOf(licenses)).toEqual(["revoked"]);
    expect((await bulk({ action: "revoke", selection })).body.changed).toBe(0);
    expect((await bulk({ action: "reinstate", selection: { ids } })).body.changed).toBe(5);
    expect(await statusesOf(licenses)).toEqual(["active"]);
  });

  test("unknown IDs and IDs of other organizations are ignored alike", async () => {
    const { ids } = await create(1);
    const otherUser = await fixture.person();
    const foreign = await otherUser.api.post("/organizations", { name: "Foreign" });
    const product = await otherUser.api.post(`/organizations/${foreign.body.id}/products`, { name: "F" });
    const licenses = `/products/${product.body.id}/licenses`;
    const theirs = await otherUser.api.post(licenses, { customer_email: "a@b.c" });
    const deleted = await bulk({ action: "delete", selection: { ids: [...ids, theirs.body.id, "nothing"] } });
    expect(deleted.body).toMatchObject({ matched: 1, changed: 1 });
    expect((await otherUser.api.get(`/licenses/${theirs.body.id}`)).status).toBe(200);
    const selection = { filter: { product_id: product.body.id } };
    expect((await bulk({ action: "delete", selection })).body.matched).toBe(0);
  });

  test("extending skips lifetime licenses and extends the others from their own expiry", async () => {
    const { licenses, selection, tag } = await create(2, { expires_in_seconds: 3600 });
    const lifetime = await create(1, { tags: [tag] });
    await fixture.owner.api.patch(`/licenses/${licenses[0]?.id}`, { expires_at: "2050-01-01T00:00:00Z" });
    const { body } = await bulk({ action: "extend", selection, extend_by_seconds: 60 });
    expect(body).toMatchObject({ matched: 3, changed: 2, next_cursor: null });
    const after = new Map((await read(tag)).map((one: Shown) => [one.id, one.expires_at]));
    expect(after.get(licenses[0]?.id)).toBe("2050-01-01T00:01:00.000Z");
    expect(Date.parse(String(after.get(licenses[1]?.id)))).toBe(minuteLater(licenses[1]));
    expect(after.get(lifetime.ids[0])).toBeNull();
  });

  test("each other action changes the selected licenses, and what it changed can be searched for", async () => {
    const { licenses, selection, tag } = await create(3);
    await statusesOf(licenses.slice(0, 1));
    const run = async (action: string, more: object = {}) =>
      (await bulk({ action, selection, ...more })).body.changed;
    expect(await run("set_expiry", { expires_at: "2020-01-01T00:00:00Z" })).toBe(3);
    expect(await statusesOf(licenses)).toEqual(["expired"]);
    expect(await run("set_expiry", { expires_at: null })).toBe(3);
    expect(await run("set_max_ips", { max_ips: 9 })).toBe(3);
    expect(await run("add_tags", { tags: ["fresh", tag] })).toBe(3);
    expect(await run("reset_ips")).toBe(1);
    const shown = { is_lifetime: true, max_ips: 9, tags: [tag, "fresh"], current_unique_ip_count: 0 };
    expect(await read(tag)).toMatchObject([shown, shown, shown]);
    const found = async () =>
      (await fixture.owner.api.get(`/organizations/${fixture.organizationId}/licenses?q=fresh`)).body.data;
    expect(await found()).toHaveLength(3);
    expect(await run("remove_tags", { tags: ["fresh"] })).toBe(3);
    expect(await found()).toEqual([]);
  });

  test("a change of several batches is completed, and each license has its own audit log entry", async () => {
    const { ids, tag } = await create(120);
    const active = { filter: { tag, status: "active" } };
    expect((await bulk({ action: "revoke", selection: active })).body).toMatchObject({
      matched: 120,
      changed: 120,
    });
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["subject_id", "request_id"])
      .where("action", "=", "license.revoked")
      .where("subject_id", "in", ids)
      .execute();
    expect([rows.length, new Set(rows.map((row) => row.request_id)).size]).toEqual([120, 1]);
    expect((await bulk({ action: "delete", selection: { filter: { tag } } })).body.changed).toBe(120);
    expect(await read(tag)).toEqual([]);
  });

  test("extending more than one batch requires an Idempotency-Key and happens once", async () => {
    const { licenses, ids, selection, tag } = await create(120, { expires_in_seconds: 3600 });
    const order = { action: "extend", selection, extend_by_seconds: 60 };
    expect((await bulk({ ...order, dry_run: true })).body).toMatchObject({ matched: 120, changed: 120 });
    for (const chosen of [selection, { ids }]) {
      const refused = await bulk({ ...order, selection: chosen });
      expect(refused.status).toBe(422);
      expect(refused.body.errors).toMatchObject([
        { field: "Idempotency-Key", code: "idempotency_key_required" },
      ]);
    }
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => bulk(order, headers)));
    answers.push(await bulk(order, headers));
    for (const { body } of answers) expect(body).toMatchObject({ matched: 120, changed: 120 });
    expect(answers.at(-1)?.headers.get("idempotent-replayed")).toBe("true");
    const ends = new Set((await read(tag)).map((license: Shown) => Date.parse(license.expires_at ?? "")));
    expect([...ends]).toEqual([minuteLater(licenses[0])]);
    expect((await bulk({ ...order, extend_by_seconds: 61 }, headers)).status).toBe(409);
  });

  test("extending one batch requires no Idempotency-Key, but happens once with one", async () => {
    const { licenses, ids, tag } = await create(50, { expires_in_seconds: 3600 });
    const order = { action: "extend", selection: { ids }, extend_by_seconds: 30 };
    expect((await bulk(order)).body).toMatchObject({ matched: 50, changed: 50, next_cursor: null });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const first = await bulk(order, headers);
    expect((await bulk(order, headers)).body).toEqual(first.body);
    const [license] = await read(tag);
    expect(Date.parse(license.expires_at)).toBe(minuteLater(licenses[0]));
  });

  const wrong: [field: string, body: object][] = [
    ["action", { action: "explode" }],
    ["extend_by", { action: "extend" }],
    ["expires_at", { action: "set_expiry", expires_at: "9999-12-31T23:59:59-12:00" }],
    ["expires_at", { action: "set_expiry", expires_at: "0001-01-01T00:00:00Z" }],
  ];
  test.each(wrong)("an invalid %s is refused and named, case %#", async (field, body) => {
    const answer = await bulk({ selection: { ids: ["x"] }, ...body });
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
  });

  test("a member needs only the permission of the action, besides seeing licenses", async () => {
    const { ids } = await create(1);
    const { api } = await fixture.member(["licenses:view", "licenses:revoke"]);
    const order = { selection: { ids }, dry_run: true };
    expect((await api.post(path, { ...order, action: "revoke" })).status).toBe(200);
    const refused = await api.post(path, { ...order, action: "delete" });
    expect([refused.status, refused.body.params]).toEqual([403, { permission: "licenses:delete" }]);
  });
});
