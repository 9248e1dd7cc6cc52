import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

describe.each(databases)("changing a license on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  const create = async (body: object = {}) =>
    (
      await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
        customer_email: "a@b.c",
        ...body,
      })
    ).body;
  const patch = (id: string, body: object) => fixture.owner.api.patch(`/licenses/${id}`, body);
  const validate = async (key: string, more: object = {}) =>
    (await fixture.publicApi.validate({ license_key: key, ...more })).body;
  const auditOf = (id: string) =>
    fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", id)
      .orderBy("id")
      .execute();

  test("fields that are not sent stay unchanged", async () => {
    const license = await create({ notes: "kept", tags: ["x"], metadata: { a: 1 }, max_ips: 4 });
    const { status, body } = await patch(license.id, { notes: "new" });
    expect(status).toBe(200);
    expect(body).toEqual({ ...license, notes: "new", updated_at: body.updated_at });
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(license.updated_at));
  });

  test("null clears optional fields", async () => {
    const license = await create({
      notes: "n",
      metadata: { a: 1 },
      custom_override: { a: 1 },
      customer_name: "Ada",
      version_pinned: "2.0",
      tags: ["x"],
    });
    const { body } = await patch(license.id, {
      notes: null,
      metadata: null,
      custom_override: null,
      customer_name: null,
      version_pin_mode: null,
      tags: [],
    });
    expect(body).toMatchObject({
      notes: null,
      metadata: null,
      custom_override: null,
      customer_name: null,
      version_pin_mode: null,
      version_pinned: null,
      tags: [],
    });
  });

  test("a later expiry reactivates an expired license immediately", async () => {
    const license = await create({ expires_at: "2020-01-01T00:00:00Z" });
    expect((await validate(license.license_key)).status).toBe("expired");
    const { body } = await patch(license.id, { expires_at: "2099-01-01T00:00:00Z" });
    expect(body.status).toBe("active");
    expect(await validate(license.license_key)).toMatchObject({
      status: "active",
      expires: "2099-01-01T00:00:00.000Z",
    });
  });

  test("an expiry can be removed, and added as a date or a term", async () => {
    const license = await create({ expires_in_seconds: 60 });
    expect((await patch(license.id, { is_lifetime: true })).body).toMatchObject({
      is_lifetime: true,
      expires_at: null,
    });
    expect((await patch(license.id, { is_lifetime: false })).status).toBe(422);
    expect((await patch(license.id, { term_seconds: 60 })).body).toMatchObject({
      is_lifetime: false,
      expires_at: null,
      term_seconds: 60,
    });
    expect((await patch(license.id, { expires_at: null })).body).toMatchObject({
      is_lifetime: true,
      term_seconds: null,
    });
  });

  test("a term set after the first use counts from that use", async () => {
    const license = await create();
    await validate(license.license_key);
    const { body } = await patch(license.id, { term_seconds: 3600 });
    expect(Date.parse(body.expires_at) - Date.parse(body.first_used_at)).toBe(3_600_000);
  });

  test("another email address moves the license to that customer, and the first customer stays unchanged", async () => {
    const first = await create({ customer_email: "first@example.com", customer_name: "First" });
    const second = await create({ customer_email: "second@example.com", customer_name: "Second" });
    const { body } = await patch(first.id, { customer_email: "SECOND@example.com" });
    expect(body).toMatchObject({
      global_customer_id: second.global_customer_id,
      customer_email: "SECOND@example.com",
      customer_name: "Second",
      customer_discord_id: null,
    });
    const other = await create({ customer_email: "first@example.com" });
    expect(other).toMatchObject({ global_customer_id: first.global_customer_id, customer_name: "First" });
  });

  test("a customer's name set through one license is found on their others", async () => {
    const one = await create({ customer_email: "shared@example.com" });
    const two = await create({ customer_email: "shared@example.com" });
    await patch(one.id, { customer_name: "Grace Hopper" });
    const found = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/licenses?q=${encodeURIComponent("ace hop")}`,
    );
    expect(found.body.data.map((license: { id: string }) => license.id).sort()).toEqual(
      [one.id, two.id].sort(),
    );
  });

  test("a license always has a customer", async () => {
    const license = await create();
    const { status, body } = await patch(license.id, { customer_email: null });
    expect(status).toBe(422);
    expect(body.errors[0].field).toBe("customer_email");
    const moved = await patch(license.id, { customer_email: null, customer_discord_id: "77" });
    expect(moved.body).toMatchObject({ customer_email: null, customer_discord_id: "77" });
  });

  test("a pin can become a range, and an invalid range is refused", async () => {
    const license = await create({ version_pinned: "1.0" });
    expect(license.version_pin_mode).toBe("pinned");
    const { body } = await patch(license.id, { version_range_min: "1.0", version_range_max: "2.0" });
    expect(body).toMatchObject({ version_pin_mode: "range", version_pinned: null, version_range_max: "2.0" });
    const refused = await patch(license.id, { version_range_max: "0.9" });
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0].field).toBe("version_range_max");
    expect((await patch(license.id, { version_range_max: null })).body.version_range_min).toBe("1.0");
  });

  test("a limit below the registered IP addresses keeps them and admits no more", async () => {
    const license = await create({ max_ips: 3 });
    await fixture.owner.api.post(`/licenses/${license.id}/ips`, { ip: "203.0.113.1" });
    await validate(license.license_key);
    const { body } = await patch(license.id, { max_ips: 1 });
    expect(body).toMatchObject({ max_ips: 1, current_unique_ip_count: 2 });
    expect((await validate(license.license_key)).status).toBe("active");
    expect((await fixture.owner.api.post(`/licenses/${license.id}/ips`, { ip: "203.0.113.2" })).status).toBe(
      409,
    );
  });

  test.each(["license_key", "id", "status", "product_id", "first_used_at", "current_unique_ip_count"])(
    "%s is read-only",
    async (field) => {
      const license = await create();
      const { status, body } = await patch(license.id, { [field]: "x" });
      expect(status).toBe(422);
      expect(body.errors[0].field).toBe(field);
    },
  );

  test("a stale update is refused and changes nothing", async () => {
    const license = await create();
    await patch(license.id, { notes: "first" });
    const late = await patch(license.id, { notes: "late", updated_at: license.updated_at });
    expect(late.status).toBe(412);
    expect((await fixture.owner.api.get(`/licenses/${license.id}`)).body.notes).toBe("first");
  });

  test("concurrent guarded updates overwrite nothing", async () => {
    const license = await create();
    const read = await fixture.owner.api.get(`/licenses/${license.id}`);
    const etag = read.headers.get("etag") ?? "";
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        fixture.owner.api.patch(`/licenses/${license.id}`, { notes: `n${index}` }, { "if-match": etag }),
      ),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
  });

  test("deleting a license deletes its IP addresses and tags, and its key is unknown immediately", async () => {
    const license = await create({ tags: ["gone"] });
    await validate(license.license_key);
    expect((await fixture.owner.api.delete(`/licenses/${license.id}`)).status).toBe(204);
    expect((await validate(license.license_key)).status).toBe("license_not_found");
    expect((await fixture.owner.api.get(`/licenses/${license.id}`)).status).toBe(404);
    expect((await fixture.owner.api.delete(`/licenses/${license.id}`)).status).toBe(404);
    const again = await create({ license_key: license.license_key });
    expect(again.current_unique_ip_count).toBe(0);
    const list = await fixture.owner.api.get(`/organizations/${fixture.organizationId}/licenses?tag=gone`);
    expect(list.body.data).toEqual([]);
  });

  test("each action needs its permission, and outsiders get 404", async () => {
    const license = await create();
    const path = `/licenses/${license.id}`;
    const viewer = await fixture.member(["licenses:view"]);
    expect((await viewer.api.get(path)).status).toBe(200);
    expect((await viewer.api.patch(path, { notes: "x" })).status).toBe(403);
    expect((await viewer.api.delete(path)).status).toBe(403);
    const editor = await fixture.member(["licenses:update"]);
    expect((await editor.api.get(path)).status).toBe(403);
    expect((await editor.api.patch(path, { notes: "x" })).status).toBe(200);
    const otherUser = await fixture.person();
    for (const answer of [
      await otherUser.api.get(path),
      await otherUser.api.patch(path, { notes: "x" }),
      await otherUser.api.delete(path),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await fixture.owner.api.get(path)).status).toBe(200);
  });

  test("the audit log records changed values before and after, and nothing without a change", async () => {
    const license = await create({ notes: "before", tags: ["one"] });
    await patch(license.id, { notes: "after", tags: ["one", "two"] });
    await patch(license.id, { notes: "after" });
    const [, updated, ...more] = await auditOf(license.id);
    expect(more).toEqual([]);
    expect(updated).toMatchObject({ action: "license.updated", actor_id: fixture.owner.userId });
    expect(JSON.parse(updated?.before ?? "")).toEqual({ notes: "before", tags: ["one"] });
    expect(JSON.parse(updated?.after ?? "")).toEqual({ notes: "after", tags: ["one", "two"] });
    await fixture.owner.api.delete(`/licenses/${license.id}`);
    expect((await auditOf(license.id)).at(-1)).toMatchObject({ action: "license.deleted", after: null });
  });
});
