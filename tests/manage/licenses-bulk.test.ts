import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Permission } from "@countersign/domain/members/permissions";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

interface Shown {
  id: string;
  license_key: string;
  expires_at: string | null;
}

describe.each(databases)("bulk changes to licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    path = `/organizations/${fixture.organizationId}/licenses/bulk`;
  });
  afterAll(() => fixture.close());

  let batches = 0;
  const create = async (count: number, body: object = {}): Promise<{ tag: string; licenses: Shown[] }> => {
    const tag = `batch ${++batches}`;
    const { body: made } = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
      customer_email: "bulk@example.com",
      tags: [tag],
      ...body,
      count,
    });
    return { tag, licenses: made.data };
  };
  const bulk = (body: object) => fixture.owner.api.post(path, body);
  const read = async (tag: string) =>
    (await fixture.owner.api.get(`/organizations/${fixture.organizationId}/licenses?limit=200&tag=${tag}`))
      .body.data;
  const statusOf = async (key: string) =>
    (await fixture.publicApi.validate({ license_key: key })).body.status;

  test("a dry run reports the counts and changes nothing", async () => {
    const { tag, licenses } = await create(5);
    await fixture.owner.api.post(`/licenses/${licenses[0]?.id}/revoke`);
    const dry = await bulk({ action: "revoke", selection: { filter: { tag } }, dry_run: true });
    expect(dry.status).toBe(200);
    expect(dry.body).toEqual({ matched: 5, changed: 4, dry_run: true, next_cursor: null });
    expect(await statusOf(licenses[1]?.license_key ?? "")).toBe("active");
    const done = await bulk({ action: "revoke", selection: { filter: { tag } }, reason: "Leaked" });
    expect(done.body).toEqual({ matched: 5, changed: 4, dry_run: false, next_cursor: null });
    for (const { license_key } of licenses) expect(await statusOf(license_key)).toBe("revoked");
    expect((await bulk({ action: "revoke", selection: { filter: { tag } } })).body.changed).toBe(0);
    const ids = licenses.map(({ id }) => id);
    expect((await bulk({ action: "reinstate", selection: { ids } })).body.changed).toBe(5);
    expect(await statusOf(licenses[0]?.license_key ?? "")).toBe("active");
  });

  test("unknown IDs and IDs of other organizations are ignored alike", async () => {
    const { licenses } = await create(1);
    const otherUser = await fixture.person();
    const foreign = await otherUser.api.post("/organizations", { name: "Foreign" });
    const product = await otherUser.api.post(`/organizations/${foreign.body.id}/products`, { name: "F" });
    const theirs = await otherUser.api.post(`/products/${product.body.id}/licenses`, {
      customer_email: "a@b.c",
    });
    const ids = [licenses[0]?.id, theirs.body.id, "nothing"];
    const { body } = await bulk({ action: "delete", selection: { ids } });
    expect(body).toMatchObject({ matched: 1, changed: 1 });
    expect((await otherUser.api.get(`/licenses/${theirs.body.id}`)).status).toBe(200);
    const filter = { product_id: product.body.id };
    expect((await bulk({ action: "delete", selection: { filter } })).body.matched).toBe(0);
  });

  test("extending skips lifetime licenses and extends the others from their own expiry", async () => {
    const { tag, licenses } = await create(2, { expires_in_seconds: 3600 });
    const lifetime = await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
      customer_email: "bulk@example.com",
      tags: [tag],
    });
    await fixture.owner.api.patch(`/licenses/${licenses[0]?.id}`, { expires_at: "2050-01-01T00:00:00Z" });
    const { body } = await bulk({ action: "extend", selection: { filter: { tag } }, extend_by_seconds: 60 });
    expect(body).toMatchObject({ matched: 3, changed: 2 });
    const after = new Map((await read(tag)).map((one: Shown) => [one.id, one.expires_at]));
    expect(after.get(licenses[0]?.id)).toBe("2050-01-01T00:01:00.000Z");
    expect(Date.parse(String(after.get(licenses[1]?.id)))).toBe(
      Date.parse(licenses[1]?.expires_at ?? "") + 60_000,
    );
    expect(after.get(lifetime.body.id)).toBeNull();
  });

  test("expiry, IP limit, tags and IP addresses are set for all", async () => {
    const { tag, licenses } = await create(3);
    const selection = { filter: { tag } };
    await fixture.publicApi.validate({ license_key: licenses[0]?.license_key });
    expect(
      (await bulk({ action: "set_expiry", selection, expires_at: "2020-01-01T00:00:00Z" })).body.changed,
    ).toBe(3);
    expect(await statusOf(licenses[0]?.license_key ?? "")).toBe("expired");
    expect((await bulk({ action: "set_expiry", selection, expires_at: null })).body.changed).toBe(3);
    expect((await bulk({ action: "set_max_ips", selection, max_ips: 9 })).body.changed).toBe(3);
    expect((await bulk({ action: "add_tags", selection, tags: ["fresh", tag] })).body.changed).toBe(3);
    expect((await bulk({ action: "reset_ips", selection })).body.changed).toBe(1);
    for (const license of await read(tag)) {
      expect(license).toMatchObject({
        is_lifetime: true,
        max_ips: 9,
        tags: [tag, "fresh"],
        current_unique_ip_count: 0,
      });
    }
    const found = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/licenses?q=fresh`);
    expect(found.body.data).toHaveLength(3);
    expect((await bulk({ action: "remove_tags", selection, tags: ["fresh"] })).body.changed).toBe(3);
    const gone = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/licenses?q=fresh`);
    expect(gone.body.data).toEqual([]);
  });

  test("a change of several batches is completed, and each license has its own audit log entry", async () => {
    const { tag, licenses } = await create(650);
    const { body } = await bulk({ action: "revoke", selection: { filter: { tag, status: "active" } } });
    expect(body).toMatchObject({ matched: 650, changed: 650 });
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["subject_id", "request_id"])
      .where("action", "=", "license.revoked")
      .where(
        "subject_id",
        "in",
        licenses.map(({ id }) => id),
      )
      .execute();
    expect(rows).toHaveLength(650);
    expect(new Set(rows.map((row) => row.request_id)).size).toBe(1);
    expect((await bulk({ action: "delete", selection: { filter: { tag } } })).body.changed).toBe(650);
    expect(await read(tag)).toEqual([]);
  }, 30_000);

  test("a bulk change repeated with the same Idempotency-Key is made once", async () => {
    const { tag, licenses } = await create(2, { expires_in_seconds: 3600 });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const order = { action: "extend", selection: { filter: { tag } }, extend_by_seconds: 60 };
    const first = await fixture.owner.api.post(path, order, headers);
    const second = await fixture.owner.api.post(path, order, headers);
    expect(second.body).toEqual(first.body);
    const [license] = await read(tag);
    expect(Date.parse(license.expires_at) - Date.parse(licenses[0]?.expires_at ?? "")).toBe(60_000);
  });

  test("extending more than one batch requires an Idempotency-Key and happens once", async () => {
    const { tag, licenses } = await create(120, { expires_in_seconds: 3600 });
    const order = { action: "extend", selection: { filter: { tag } }, extend_by_seconds: 60 };
    expect((await bulk({ ...order, dry_run: true })).body).toMatchObject({ matched: 120, changed: 120 });
    for (const selection of [order.selection, { ids: licenses.map(({ id }) => id) }]) {
      const refused = await bulk({ ...order, selection });
      expect(refused.status).toBe(422);
      expect(refused.body.errors[0]).toMatchObject({
        field: "Idempotency-Key",
        code: "idempotency_key_required",
      });
    }
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await Promise.all([1, 2, 3].map(() => fixture.owner.api.post(path, order, headers)));
    answers.push(await fixture.owner.api.post(path, order, headers));
    for (const { body } of answers) expect(body).toMatchObject({ matched: 120, changed: 120 });
    expect(answers.at(-1)?.headers.get("idempotent-replayed")).toBe("true");
    const wanted = Date.parse(licenses[0]?.expires_at ?? "") + 60_000;
    for (const license of await read(tag)) expect(Date.parse(license.expires_at)).toBe(wanted);
    const other = await fixture.owner.api.post(path, { ...order, extend_by_seconds: 61 }, headers);
    expect(other.status).toBe(409);
  });

  test("extending fifty licenses requires no Idempotency-Key", async () => {
    const { licenses } = await create(50, { expires_in_seconds: 3600 });
    const selection = { ids: licenses.map(({ id }) => id) };
    const { body } = await bulk({ action: "extend", selection, extend_by_seconds: 60 });
    expect(body).toMatchObject({ matched: 50, changed: 50, next_cursor: null });
  });

  const needs: [action: string, permission: Permission, more: object][] = [
    ["revoke", "licenses:revoke", {}],
    ["reinstate", "licenses:revoke", {}],
    ["delete", "licenses:delete", {}],
    ["reset_ips", "licenses:reset_ips", {}],
    ["extend", "licenses:update", { extend_by_seconds: 60 }],
    ["set_expiry", "licenses:update", { expires_at: null }],
    ["set_max_ips", "licenses:update", { max_ips: 1 }],
    ["add_tags", "licenses:update", { tags: ["x"] }],
    ["remove_tags", "licenses:update", { tags: ["x"] }],
  ];
  test.each(needs)("%s needs %s, even for a dry run", async (action, permission, more) => {
    const all: Permission[] = [
      "licenses:view",
      "licenses:update",
      "licenses:revoke",
      "licenses:delete",
      "licenses:reset_ips",
    ];
    const order = { action, ...more, selection: { ids: ["nothing"] }, dry_run: true };
    const without = await fixture.member(all.filter((one) => one !== permission));
    const refused = await without.api.post(path, order);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({ code: "permission_missing", params: { permission } });
    const allowed = await fixture.member(["licenses:view", permission]);
    expect((await allowed.api.post(path, order)).status).toBe(200);
    const otherUser = await fixture.person();
    expect((await otherUser.api.post(path, order)).status).toBe(404);
  });

  const wrong: [field: string, body: object][] = [
    ["action", { action: "explode", selection: { ids: ["x"] } }],
    ["selection", { action: "revoke", selection: {} }],
    ["selection.ids", { action: "revoke", selection: { ids: [] } }],
    ["selection.filter.nonsense", { action: "revoke", selection: { filter: { nonsense: 1 } } }],
    [
      "expires_at",
      { action: "set_expiry", selection: { ids: ["x"] }, expires_at: "9999-12-31T23:59:59-12:00" },
    ],
    ["selection", { action: "revoke" }],
    ["extend_by", { action: "extend", selection: { ids: ["x"] } }],
    ["tags", { action: "add_tags", selection: { ids: ["x"] }, tags: [] }],
    ["reasons", { action: "revoke", selection: { ids: ["x"] }, reasons: "x" }],
  ];
  test.each(wrong)("an invalid %s is named, case %#", async (field, body) => {
    const answer = await bulk(body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map((error: { field: string }) => error.field)).toContain(field);
  });
});
