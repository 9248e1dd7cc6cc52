import { expect, test } from "bun:test";
import { problemOf, statusesAtOnce } from "../support/answers.ts";
import { auditOf } from "../support/audit-of.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

const who = { customer_email: "a@b.c" };

/** Everything that is refused is in apps/server/features/licenses/refused-input.test.ts. */
testsOn("sqlite", "creating licenses", openManageFixture, (fixture) => {
  const { validate } = licensesOf(fixture);
  const create = (body: object, headers?: Record<string, string>) =>
    fixture.owner.api.post(`/products/${fixture.productId}/licenses`, body, headers);

  test("an email address is enough for a license: the product provides the rest, and the key works immediately", async () => {
    const product = `/products/${fixture.productId}`;
    await fixture.owner.api.patch(product, { default_max_ips: 7, default_expires_in_days: 30 });
    const { status, body } = await create({ customer_email: " Ada@Example.com " });
    expect([status, body]).toMatchObject([
      201,
      {
        ...{ organization_id: fixture.organizationId, product_id: fixture.productId, product_name: "Plugin" },
        ...{ status: "active", is_lifetime: false, ip_system_enabled: true, max_ips: 7 },
        ...{ current_unique_ip_count: 0, customer_email: "Ada@Example.com", customer_name: null },
        ...{ tags: [], metadata: null, first_used_at: null },
      },
    ]);
    expect((Date.parse(body.expires_at) - Date.parse(body.created_at)) / 86_400_000).toBe(30);
    expect(body.license_key).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
    const validated = await validate(body.license_key.toLowerCase());
    expect(validated).toMatchObject({ valid: true, status: "active", max_ips: 7 });
    await fixture.owner.api.patch(product, { default_expires_in_days: null });
  });

  test("every field of a license is stored and shown as sent, and the audit log has the actor but not the key", async () => {
    const wanted = {
      ...{ license_key: "Old Shop/42", customer_discord_id: "123456789012345678" },
      ...{ customer_name: "Ada Lovelace", expires_at: "2031-01-02T03:04:05.000Z", max_ips: 2 },
      ...{ ip_system_enabled: true, version_pin_mode: "range", version_range_min: "2.1" },
      ...{ version_range_max: "2.4", notes: "Paid by invoice 7", tags: ["beta", "vip"] },
      custom_override: { plan: "pro", hello: "{{customer.name}}" },
      metadata: { order: 17, items: ["a", null] },
    };
    const { body } = await create(wanted);
    expect(body).toMatchObject({ ...wanted, is_lifetime: false, customer_email: null });
    expect((await fixture.owner.api.get(`/licenses/${body.id}`)).body).toEqual(body);
    const known = await fixture.publicApi.lookup("old shop/42");
    expect(known.body.notes).toBe("Paid by invoice 7");
    expect(known.text).not.toContain("metadata");
    const log = await auditOf(fixture, body.id);
    expect(log).toMatchObject([
      {
        ...{ action: "license.created", actor_id: fixture.owner.userId, subject_kind: "license" },
        ...{ organization_id: fixture.organizationId, after: expect.stringContaining("123456789012345678") },
      },
    ]);
    expect(JSON.stringify(log)).not.toContain("Old Shop/42");
  });

  /** All expiries: packages/domain/licenses/expiry.test.ts. */
  test("the expiry of a license is a date, a duration from now, a term from the first use, or none", async () => {
    const stored: [sent: object, shown: object][] = [
      [
        { expires_at: null, notes: " \n" },
        { is_lifetime: true, expires_at: null, notes: null },
      ],
      [{ term_seconds: 3600 }, { is_lifetime: false, expires_at: null, term_seconds: 3600 }],
      [{ expires_at: "2020-01-01T00:00:00Z" }, { is_lifetime: false, status: "expired" }],
      [{ license_key: "\t Spaced Key \u00a0" }, { license_key: "Spaced Key", is_lifetime: true }],
      [{ expires_in_seconds: 60 }, { is_lifetime: false }],
    ];
    const { body } = await create({ licenses: stored.map(([sent]) => ({ ...who, ...sent })) });
    expect(body.data).toMatchObject(stored.map(([, shown]) => shown));
    const running = body.data.at(-1);
    expect(Date.parse(running.expires_at) - Date.parse(running.created_at)).toBe(60_000);
  });

  test("fields that contradict each other and an existing key are refused and named, even a concurrent one", async () => {
    const wrong: [field: string, body: object][] = [
      ["licenses.1.max_ips", { licenses: [who, { ...who, max_ips: 0 }] }],
      ["license_key", { ...who, count: 2, license_key: "one" }],
      ["customer_email", { ...who, licenses: [who] }],
      ["count", { count: 2, licenses: [who] }],
    ];
    for (const [field, body] of wrong) expect(refusal(await create(body))).toEqual([422, field]);
    const racing = await statusesAtOnce(4, () => create({ ...who, license_key: "Taken-1" }));
    expect(racing).toEqual([201, 409, 409, 409]);
    const again = await create({ ...who, license_key: " taken-1" });
    const message = "license_key belongs to another license of this product: taken-1.";
    const params = { license_key: "taken-1" };
    const errors = [{ field: "license_key", code: "license_key_taken", params, message }];
    const body = { code: "license_keys_taken", params: { count: 1 }, errors };
    expect(again).toMatchObject({ status: 409, body });
  });

  test("thousands of different licenses are created in one request, and all work; one existing key creates none", async () => {
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
    const audited = await fixture.stored("audit_log", {
      organization_id: fixture.organizationId,
      action: "license.created",
      subject_name: "bulk…",
    });
    expect(audited).toHaveLength(count);

    const half = Array.from({ length: 250 }, (_, index) => ({ ...who, license_key: `half-${index}` }));
    half.push({ ...who, license_key: "bulk-0" });
    expect(refusal(await create({ licenses: half }))).toEqual([409, "licenses.250.license_key"]);
    expect((await validate("half-0")).status).toBe("license_not_found");
  });

  test.each([3, 250])(
    "a batch of %p for one customer is created once, however often it is sent, until its stored response is pruned",
    async (count) => {
      const key = crypto.randomUUID();
      const send = (more: number) =>
        create(
          { customer_email: `once${count}@example.com`, count: count + more },
          { "idempotency-key": key },
        );
      const valuesOf = async (field: string, answer: ReturnType<typeof send>) =>
        new Set((await answer).body.data.map((one: Record<string, string>) => one[field]));
      const answers = await Promise.all([1, 2, 3].map(() => send(0)));
      answers.push(await send(0));
      const [first] = answers;
      for (const { status, body } of answers) expect([status, body.data]).toEqual([201, first?.body.data]);
      const keys = await valuesOf("license_key", send(0));
      expect([keys.size, (await valuesOf("global_customer_id", send(0))).size]).toEqual([count, 1]);
      const list = `/organizations/${fixture.organizationId}/licenses?q=once${count}@&count=true&limit=1`;
      expect((await fixture.owner.api.get(list)).body.total).toBe(count);
      expect(problemOf(await send(1))).toEqual([409, "idempotency_key_reused"]);
      await fixture.store.transaction((db) =>
        db.deleteFrom("idempotency_keys").where("idempotency_key", "=", key).execute(),
      );
      const again = await valuesOf("license_key", send(0));
      expect(again.size + keys.size).toBe(new Set([...again, ...keys]).size);
    },
  );
});
