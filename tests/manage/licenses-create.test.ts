import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

const who = { customer_email: "a@b.c" };

interface Created {
  readonly id: string;
  readonly license_key: string;
  readonly global_customer_id: string;
}

describe.each(on("sqlite"))("creating licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    path = `/products/${fixture.productId}/licenses`;
  });
  afterAll(() => fixture.close());

  const create = (body: object, headers?: Record<string, string>) =>
    fixture.owner.api.post(path, body, headers);
  const validate = async (key: string) => (await fixture.publicApi.validate({ license_key: key })).body;
  const keysOf = ({ body }: { body: { data: Created[] } }) => body.data.map((one) => one.license_key);

  test("an email address is enough: the product provides the rest, and the key works immediately", async () => {
    const product = `/products/${fixture.productId}`;
    await fixture.owner.api.patch(product, { default_max_ips: 7, default_expires_in_days: 30 });
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
    expect((Date.parse(body.expires_at) - Date.parse(body.created_at)) / 86_400_000).toBe(30);
    expect(body.license_key).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    const validated = await validate(body.license_key.toLowerCase());
    expect(validated).toMatchObject({ valid: true, status: "active", max_ips: 7 });
    await fixture.owner.api.patch(product, { default_expires_in_days: null });
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

  const stored: [sent: object, expected: object][] = [
    [{ is_lifetime: true }, { is_lifetime: true, expires_at: null, term_seconds: null }],
    [{ expires_at: null }, { is_lifetime: true, expires_at: null }],
    [{}, { is_lifetime: true, expires_at: null }],
    [{ term_seconds: 3600 }, { is_lifetime: false, expires_at: null, term_seconds: 3600, status: "active" }],
    [{ expires_at: "2020-01-01T00:00:00Z" }, { is_lifetime: false, status: "expired" }],
    [{ notes: " \n" }, { notes: null }],
    [{ license_key: "\t Spaced Key \u00a0" }, { license_key: "Spaced Key" }],
  ];
  test.each(stored)("%j is stored as %j", async (sent, expected) => {
    expect((await create({ ...who, ...sent })).body).toMatchObject(expected);
  });

  test("a duration counts from now, and a term from the first use", async () => {
    const { body: running } = await create({ ...who, expires_in_seconds: 60 });
    expect(Date.parse(running.expires_at) - Date.parse(running.created_at)).toBe(60_000);
    const { body } = await create({ ...who, term_seconds: 3600 });
    expect((await validate(body.license_key)).valid).toBe(true);
    const used = (await fixture.owner.api.get(`/licenses/${body.id}`)).body;
    expect(Date.parse(used.expires_at) - Date.parse(used.first_used_at)).toBe(3_600_000);
    expect(used.term_seconds).toBe(3600);
  });

  /** Everything that is refused is in apps/server/features/licenses/refused-input.test.ts. */
  const wrong: [field: string, body: object][] = [
    ["max_ips", { ...who, max_ips: 0 }],
    ["customer_email", {}],
    ["licenses.1.max_ips", { licenses: [who, { ...who, max_ips: 0 }] }],
    ["licenses.1.customer_email", { licenses: [who, {}] }],
    ["license_key", { ...who, count: 2, license_key: "one" }],
    ["customer_email", { ...who, licenses: [who] }],
    ["count", { count: 2, licenses: [who] }],
    ["custom_override", { ...who, count: 1_000, custom_override: { text: "o".repeat(16_000) } }],
  ];
  test.each(wrong)("an invalid %s is refused and named, case %#", async (field, body) => {
    const answer = await create(body);
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, field]);
  });

  test("an existing key is refused and named, ignoring case, but not in another product", async () => {
    await create({ ...who, license_key: "Taken-1" });
    const again = await create({ ...who, license_key: " taken-1" });
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
    const products = `/organizations/${fixture.organizationId}/products`;
    const { body: other } = await fixture.owner.api.post(products, { name: "Another" });
    const elsewhere = { ...who, license_key: "TAKEN-1" };
    expect((await fixture.owner.api.post(`/products/${other.id}/licenses`, elsewhere)).status).toBe(201);
  });

  test("concurrent requests for one key create it once and refuse the others", async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => create({ ...who, license_key: "Raced" })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
  });

  test("count creates that many licenses of one customer, each with its own key", async () => {
    const answer = await create({ customer_email: "many@example.com", count: 3, tags: ["batch"] });
    expect([answer.status, answer.body.next_cursor]).toEqual([201, null]);
    expect(new Set(keysOf(answer)).size).toBe(3);
    const customers = answer.body.data.map((one: Created) => one.global_customer_id);
    expect([customers.length, new Set(customers).size]).toEqual([3, 1]);
  });

  test("thousands of different licenses are created in one request, and all work", async () => {
    const count = 2_000;
    const licenses = Array.from({ length: count }, (_, index) => ({
      customer_email: `buyer${index}@example.com`,
      license_key: `bulk-${index}`,
      tags: index % 100 === 0 ? ["hundredth"] : [],
    }));
    const { status, body } = await create({ licenses });
    expect([status, body.data.length]).toEqual([201, count]);
    expect(body.data[count - 1]).toMatchObject(licenses[count - 1] ?? {});
    for (const index of [0, 1_234, count - 1]) expect((await validate(`BULK-${index}`)).valid).toBe(true);
    const audited = await fixture.store.reads
      .selectFrom("audit_log")
      .select((is) => is.fn.countAll<number>().as("count"))
      .where("organization_id", "=", fixture.organizationId)
      .where("action", "=", "license.created")
      .where("subject_name", "=", "bulk…")
      .executeTakeFirstOrThrow();
    expect(Number(audited.count)).toBe(count);
  });

  test("one existing key among many creates none", async () => {
    const licenses = Array.from({ length: 250 }, (_, index) => ({ ...who, license_key: `half-${index}` }));
    await create({ ...who, license_key: "half-249" });
    const answer = await create({ licenses });
    expect([answer.status, answer.body.errors[0].field]).toEqual([409, "licenses.249.license_key"]);
    expect((await validate("half-0")).status).toBe("license_not_found");
  });

  test.each([3, 250])(
    "a batch of %p with an Idempotency-Key is created once, however often it is sent",
    async (count) => {
      const headers = { "idempotency-key": crypto.randomUUID() };
      const body = { customer_email: `once${count}@example.com`, count };
      const answers = await Promise.all([1, 2, 3].map(() => create(body, headers)));
      answers.push(await create(body, headers));
      const [first] = answers;
      for (const answer of answers)
        expect([answer.status, keysOf(answer)]).toEqual([201, keysOf(first as never)]);
      const list = `/organizations/${fixture.organizationId}/licenses?q=once${count}@&count=true&limit=1`;
      expect((await fixture.owner.api.get(list)).body.total).toBe(count);
      const other = await create({ ...body, count: count + 1 }, headers);
      expect([other.status, other.body.code]).toEqual([409, "idempotency_key_reused"]);
    },
  );

  test("a batch whose stored response was pruned is created again", async () => {
    const key = crypto.randomUUID();
    const send = () =>
      create({ customer_email: "forgotten@example.com", count: 120 }, { "idempotency-key": key });
    const first = await send();
    await fixture.store.transaction((db) =>
      db.deleteFrom("idempotency_keys").where("idempotency_key", "=", key).execute(),
    );
    const second = await send();
    expect(second.status).toBe(201);
    expect(new Set([...keysOf(first), ...keysOf(second)]).size).toBe(240);
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
      after: expect.stringContaining("audited@example.com"),
    });
    expect(JSON.stringify(row)).not.toContain("Secret-Key-1");
  });
});
