import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

describe.each(databases)("creating licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    path = `/products/${fixture.productId}/licenses`;
  });
  afterAll(() => fixture.close());

  const create = (body: object, headers?: Record<string, string>) =>
    fixture.owner.api.post(path, body, headers);
  const fieldsOf = (body: { errors: { field: string }[] }) => body.errors.map((error) => error.field).sort();

  test("an email address is enough: the product provides the rest, and the key works immediately", async () => {
    await fixture.owner.api.patch(`/products/${fixture.productId}`, {
      default_max_ips: 7,
      default_expires_in_days: 30,
    });
    const { status, body } = await create({ customer_email: " Ada@Example.com " });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      organization_id: fixture.organizationId,
      product_id: fixture.productId,
      product_name: "Plugin",
      status: "active",
      is_lifetime: false,
      ip_system_enabled: true,
      max_ips: 7,
      current_unique_ip_count: 0,
      customer_email: "Ada@Example.com",
      customer_name: null,
      tags: [],
      metadata: null,
      first_used_at: null,
    });
    const days = (Date.parse(body.expires_at) - Date.parse(body.created_at)) / 86_400_000;
    expect(days).toBe(30);
    expect(body.license_key).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    const validated = await fixture.publicApi.validate({ license_key: body.license_key.toLowerCase() });
    expect(validated.body).toMatchObject({ valid: true, status: "active", max_ips: 7 });
    await fixture.owner.api.patch(`/products/${fixture.productId}`, { default_expires_in_days: null });
  });

  test("every field is stored and shown as sent", async () => {
    const wanted = {
      license_key: "Old Shop/42",
      customer_discord_id: "123456789012345678",
      customer_name: "Ada Lovelace",
      expires_at: "2031-01-02T03:04:05.000Z",
      max_ips: 2,
      ip_system_enabled: true,
      version_pin_mode: "range",
      version_range_min: "2.1",
      version_range_max: "2.4",
      notes: "Paid by invoice 7",
      custom_override: { plan: "pro", hello: "{{customer.name}}" },
      metadata: { order: 17, items: ["a", null] },
      tags: ["beta", "vip"],
    };
    const { status, body } = await create(wanted);
    expect(status).toBe(201);
    expect(body).toMatchObject({ ...wanted, is_lifetime: false, customer_email: null });
    expect((await fixture.owner.api.get(`/licenses/${body.id}`)).body).toEqual(body);
    const known = await fixture.publicApi.lookup("old shop/42");
    expect(known.body.notes).toBe("Paid by invoice 7");
    expect(known.text).not.toContain("metadata");
  });

  const ends: [sent: object, expected: object][] = [
    [{ is_lifetime: true }, { is_lifetime: true, expires_at: null, term_seconds: null }],
    [{ expires_at: null }, { is_lifetime: true, expires_at: null }],
    [{}, { is_lifetime: true, expires_at: null }],
    [{ term_seconds: 3600 }, { is_lifetime: false, expires_at: null, term_seconds: 3600, status: "active" }],
    [{ expires_at: "2020-01-01T00:00:00Z" }, { is_lifetime: false, status: "expired" }],
  ];
  test.each(ends)("an expiry sent as %j is stored as %j", async (sent, expected) => {
    const { body } = await create({ customer_email: "end@example.com", ...sent });
    expect(body).toMatchObject(expected);
  });

  test("a duration counts from now", async () => {
    const { body } = await create({ customer_email: "end@example.com", expires_in_seconds: 60 });
    expect(Date.parse(body.expires_at) - Date.parse(body.created_at)).toBe(60_000);
  });

  test("a term starts with the first use", async () => {
    const { body } = await create({ customer_email: "term@example.com", term_seconds: 3600 });
    expect((await fixture.publicApi.validate({ license_key: body.license_key })).body.valid).toBe(true);
    const used = (await fixture.owner.api.get(`/licenses/${body.id}`)).body;
    expect(Date.parse(used.expires_at) - Date.parse(used.first_used_at)).toBe(3_600_000);
    expect(used.term_seconds).toBe(3600);
  });

  const wrong: [field: string, body: object][] = [
    ["customer_email", {}],
    ["customer_email", { customer_email: "nobody" }],
    ["customer_email", { customer_email: null, customer_discord_id: null }],
    ["customer_discord_id", { customer_discord_id: "ada#1234" }],
    ["expires_at", { customer_email: "a@b.c", expires_at: "tomorrow" }],
    ["expires_at", { customer_email: "a@b.c", expires_at: "9999-12-31T23:59:59-12:00" }],
    ["expires_at", { customer_email: "a@b.c", is_lifetime: true, expires_at: "2031-01-01T00:00:00Z" }],
    ["term_seconds", { customer_email: "a@b.c", expires_in_seconds: 5, term_seconds: 5 }],
    ["expires_at", { customer_email: "a@b.c", is_lifetime: false }],
    ["expires_in_seconds", { customer_email: "a@b.c", expires_in_seconds: 0 }],
    ["max_ips", { customer_email: "a@b.c", max_ips: 0 }],
    ["version_pinned", { customer_email: "a@b.c", version_pin_mode: "pinned" }],
    ["version_pinned", { customer_email: "a@b.c", version_pinned: "newest" }],
    ["version_range_min", { customer_email: "a@b.c", version_pin_mode: "range" }],
    ["version_range_max", { customer_email: "a@b.c", version_range_min: "2.1", version_range_max: "2.1.0" }],
    ["version_range_min", { customer_email: "a@b.c", version_pinned: "1", version_range_min: "1" }],
    ["license_key", { customer_email: "a@b.c", license_key: "k".repeat(65) }],
    ["license_key", { customer_email: "a@b.c", license_key: "a\u200bb" }],
    ["license_key", { customer_email: "a@b.c", license_key: "  " }],
    ["tags.0", { customer_email: "a@b.c", tags: ["t".repeat(51)] }],
    ["tags", { customer_email: "a@b.c", tags: Array.from({ length: 21 }, (_, index) => `t${index}`) }],
    ["metadata", { customer_email: "a@b.c", metadata: [1] }],
    ["metadata", { customer_email: "a@b.c", metadata: { long: "x".repeat(8200) } }],
    ["custom_override.hello", { customer_email: "a@b.c", custom_override: { hello: "{{nobody}}" } }],
    ["count", { customer_email: "a@b.c", count: 10_001 }],
    ["license_key", { customer_email: "a@b.c", count: 2, license_key: "one" }],
    ["customer_email", { customer_email: "a@b.c", licenses: [{ customer_email: "a@b.c" }] }],
    [
      "licenses.1.max_ips",
      { licenses: [{ customer_email: "a@b.c" }, { customer_email: "a@b.c", max_ips: 0 }] },
    ],
    ["licenses.1.customer_email", { licenses: [{ customer_email: "a@b.c" }, {}] }],
    [
      "licenses.1.license_key",
      {
        licenses: [
          { customer_email: "a@b.c", license_key: "twice" },
          { customer_email: "a@b.c", license_key: " TWICE" },
        ],
      },
    ],
  ];
  test.each(wrong)("an invalid %s is named, case %#", async (field, body) => {
    const answer = await create(body);
    expect(answer.status).toBe(422);
    expect(fieldsOf(answer.body)).toContain(field);
    const { message } = answer.body.errors.find((error: { field: string }) => error.field === field);
    expect(message).toStartWith(field);
    expect(message).toEndWith(".");
  });

  test.each(["id", "organization_id", "status", "revoked_at", "created_at", "first_used_at", "block_count"])(
    "%s is server-owned and refused",
    async (field) => {
      const answer = await create({ customer_email: "a@b.c", [field]: "2020-01-01T00:00:00Z" });
      expect(answer.status).toBe(422);
      expect(fieldsOf(answer.body)).toEqual([field]);
    },
  );

  test("deeply nested metadata is refused without being traversed", async () => {
    const deep = `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`;
    const { status } = await fixture.owner.api.send(
      "POST",
      path,
      `{"customer_email":"a@b.c","metadata":${deep}}`,
      { "content-type": "application/json" },
    );
    expect(status).toBe(422);
  });

  test("an existing key is refused and named, ignoring case", async () => {
    await create({ customer_email: "a@b.c", license_key: "Taken-1" });
    const again = await create({ customer_email: "a@b.c", license_key: " taken-1" });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ code: "license_keys_taken", params: { count: 1 } });
    expect(again.body.errors).toEqual([
      {
        field: "license_key",
        code: "license_key_taken",
        params: { license_key: "taken-1" },
        message: "license_key belongs to another license of this product: taken-1.",
      },
    ]);
    const other = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Another",
    });
    const elsewhere = await fixture.owner.api.post(`/products/${other.body.id}/licenses`, {
      customer_email: "a@b.c",
      license_key: "TAKEN-1",
    });
    expect(elsewhere.status).toBe(201);
  });

  test("concurrent requests for one key create it once and refuse the others", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create({ customer_email: "a@b.c", license_key: "Raced" })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  test("count creates that many licenses, each with its own key", async () => {
    const { status, body } = await create({ customer_email: "many@example.com", count: 3, tags: ["batch"] });
    expect(status).toBe(201);
    expect(body.data).toHaveLength(3);
    expect(body.next_cursor).toBeNull();
    expect(new Set(body.data.map((one: { license_key: string }) => one.license_key)).size).toBe(3);
    expect(new Set(body.data.map((one: { global_customer_id: string }) => one.global_customer_id)).size).toBe(
      1,
    );
  });

  test("ten thousand different licenses are created in one request, and all work", async () => {
    const licenses = Array.from({ length: 10_000 }, (_, index) => ({
      customer_email: `buyer${index}@example.com`,
      license_key: `bulk-${index}`,
      tags: index % 100 === 0 ? ["hundredth"] : [],
    }));
    const { status, body } = await create({ licenses });
    expect(status).toBe(201);
    expect(body.data).toHaveLength(10_000);
    expect(body.data[9_999]).toMatchObject({
      license_key: "bulk-9999",
      customer_email: "buyer9999@example.com",
    });
    for (const index of [0, 4_321, 9_999]) {
      expect((await fixture.publicApi.validate({ license_key: `BULK-${index}` })).body.valid).toBe(true);
    }
    const audited = await fixture.store.reads
      .selectFrom("audit_log")
      .select((is) => is.fn.countAll<number>().as("count"))
      .where("action", "=", "license.created")
      .where("subject_name", "=", "bulk…")
      .executeTakeFirstOrThrow();
    expect(Number(audited.count)).toBe(10_000);
  }, 60_000);

  test("one invalid license among many creates none", async () => {
    const licenses = Array.from({ length: 1_000 }, (_, index) => ({
      customer_email: "x@example.com",
      license_key: `half-${index}`,
    }));
    await create({ customer_email: "x@example.com", license_key: "half-999" });
    const answer = await create({ licenses });
    expect(answer.status).toBe(409);
    expect(fieldsOf(answer.body)).toEqual(["licenses.999.license_key"]);
    expect((await fixture.publicApi.validate({ license_key: "half-0" })).body.status).toBe(
      "license_not_found",
    );
  });

  test.each([3, 600])(
    "a batch of %p with an Idempotency-Key is created once, however often it is sent",
    async (count) => {
      const headers = { "idempotency-key": crypto.randomUUID() };
      const body = { customer_email: `once${count}@example.com`, count };
      const answers = await Promise.all([1, 2, 3].map(() => create(body, headers)));
      answers.push(await create(body, headers));
      expect(answers.map((answer) => answer.status)).toEqual([201, 201, 201, 201]);
      const keys = (answer: (typeof answers)[0]) =>
        answer.body.data.map((one: { license_key: string }) => one.license_key);
      for (const answer of answers) expect(keys(answer)).toEqual(keys(answers[0] as (typeof answers)[0]));
      const rows = await fixture.store.reads
        .selectFrom("licenses")
        .select("id")
        .where("search_text", "like", `%once${count}@%`)
        .execute();
      expect(rows).toHaveLength(count);
    },
  );

  test("a batch whose stored response was pruned is created again", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const body = { customer_email: "forgotten@example.com", count: 250 };
    const first = await create(body, headers);
    await fixture.store.transaction((db) =>
      db.deleteFrom("idempotency_keys").where("idempotency_key", "=", headers["idempotency-key"]).execute(),
    );
    const second = await create(body, headers);
    expect(second.status).toBe(201);
    const ids = [first, second].flatMap((answer) => answer.body.data.map((one: { id: string }) => one.id));
    expect(new Set(ids).size).toBe(500);
  });

  test("an Idempotency-Key of a batch with another body is refused", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    await create({ customer_email: "other@example.com", count: 150 }, headers);
    const other = await create({ customer_email: "other@example.com", count: 151 }, headers);
    expect(other.status).toBe(409);
    expect(other.body.code).toBe("idempotency_key_reused");
  });

  test("creating needs licenses:create, and outsiders get 404", async () => {
    const viewer = await fixture.member(["licenses:view", "licenses:update", "products:manage"]);
    expect((await viewer.api.post(path, { customer_email: "a@b.c" })).status).toBe(403);
    const org = await fixture.member(["licenses:create"]);
    expect((await org.api.post(path, { customer_email: "a@b.c" })).status).toBe(201);
    const otherUser = await fixture.person();
    expect((await otherUser.api.post(path, { customer_email: "a@b.c" })).status).toBe(404);
    expect((await fixture.anonymous.post(path, { customer_email: "a@b.c" })).status).toBe(401);
  });

  test("the audit log records the actor and the customer but not the key", async () => {
    const { body } = await create({ customer_email: "audited@example.com", license_key: "Secret-Key-1" });
    const row = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", body.id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      action: "license.created",
      actor_id: fixture.owner.userId,
      organization_id: fixture.organizationId,
      subject_kind: "license",
    });
    expect(row.after).toContain("audited@example.com");
    expect(JSON.stringify(row)).not.toContain("Secret-Key-1");
  });
});
