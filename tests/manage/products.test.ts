import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

describe.each(databases)("products on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  test("the creating response alone shows a product's API key", async () => {
    const made = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Editor",
    });
    expect(made.status).toBe(201);
    expect(made.body.api_key).toMatch(/^csk_/);
    const read = await fixture.owner.api.get(`/products/${made.body.id}`);
    expect(read.body.api_key).toBeUndefined();
    expect(made.body.api_key).toStartWith(read.body.api_keys[0].prefix);
    expect(read.text).not.toContain(made.body.api_key);
  });

  test("settings apply from the next request", async () => {
    const changed = await fixture.owner.api.patch(`/products/${fixture.productId}`, { status: "disabled" });
    expect(changed.body.status).toBe("disabled");
    expect((await fixture.publicApi.validate({ license_key: "AAAA-BBBB-CCCC-DDDD" })).body.status).toBe(
      "product_disabled",
    );
    await fixture.owner.api.patch(`/products/${fixture.productId}`, { status: "active" });
    expect((await fixture.publicApi.validate({ license_key: "AAAA-BBBB-CCCC-DDDD" })).body.status).toBe(
      "license_not_found",
    );
  });

  test("a product closed for sale accepts no new licenses, and its existing ones keep working", async () => {
    const path = `/products/${fixture.productId}`;
    const added = await fixture.owner.api.post(`${path}/licenses`, { customer_email: "ada@example.com" });
    const validates = async () =>
      (await fixture.publicApi.validate({ license_key: added.body.license_key })).body;
    const before = await validates();
    const closed = await fixture.owner.api.patch(path, { closed_for_sale: true });
    expect(closed.body).toMatchObject({ closed_for_sale: true, status: "active" });

    const refusal = { code: "product_closed_for_sale", params: { product: closed.body.name } };
    const one = { customer_email: "grace@example.com" };
    const csv = { "content-type": "text/csv" };
    const file = "customer_email\r\ngrace@example.com\r\n";
    for (const refused of [
      await fixture.owner.api.post(`${path}/licenses`, one),
      await fixture.owner.api.post(`${path}/licenses`, { ...one, count: 2 }),
      await fixture.owner.api.post(`${path}/licenses`, { ...one, count: 500 }),
      await fixture.owner.api.post(`${path}/licenses`, { licenses: [one] }),
      await fixture.owner.api.send("POST", `${path}/licenses/import`, file, csv),
      await fixture.owner.api.send("POST", `${path}/licenses/import?dry_run=true`, file, csv),
    ])
      expect(refused).toMatchObject({ status: 409, body: refusal });
    expect((await fixture.owner.api.get(`${path}/imports`)).body.data).toEqual([]);

    expect(await validates()).toEqual({ ...before, ip_registered: false });
    const renewed = await fixture.owner.api.patch(`/licenses/${added.body.id}`, { notes: "still ours" });
    expect(renewed.status).toBe(200);
    await fixture.owner.api.patch(path, { closed_for_sale: false });
    expect((await fixture.owner.api.post(`${path}/licenses`, one)).status).toBe(201);
  });

  test("a stale update is refused and changes nothing", async () => {
    const read = await fixture.owner.api.get(`/products/${fixture.productId}`);
    const etag = read.headers.get("etag") ?? "";
    expect(
      (await fixture.owner.api.patch(`/products/${fixture.productId}`, { name: "A" }, { "if-match": etag }))
        .status,
    ).toBe(200);
    const late = await fixture.owner.api.patch(
      `/products/${fixture.productId}`,
      { name: "B" },
      { "if-match": etag },
    );
    expect(late.status).toBe(412);
    const guarded = { name: "B", updated_at: read.body.updated_at };
    expect((await fixture.owner.api.patch(`/products/${fixture.productId}`, guarded)).status).toBe(412);
    expect((await fixture.owner.api.get(`/products/${fixture.productId}`)).body.name).toBe("A");
  });

  test("a repeated POST with the same Idempotency-Key creates one product and shows its API key once", async () => {
    const path = `/organizations/${fixture.organizationId}/products`;
    const headers = { "idempotency-key": crypto.randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => fixture.owner.api.post(path, { name: "Once" }, headers)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect((await fixture.owner.api.post(path, { name: "Other" }, headers)).status).toBe(409);
    const { body } = await fixture.owner.api.get(`${path}?limit=200`);
    expect(body.data.filter((product: { name: string }) => product.name === "Once")).toHaveLength(1);
  });

  test("an Idempotency-Key is specific to its token: another token of the same user gets no stored response", async () => {
    const path = `/organizations/${fixture.organizationId}/products`;
    const headers = { "idempotency-key": crypto.randomUUID() };
    const made = await fixture.owner.api.post(path, { name: "Mine" }, headers);
    const narrow = await fixture.owner.api.post("/me/access-tokens", {
      name: "Narrow",
      permissions: ["products:view"],
      expires_at: null,
    });
    const { status, text } = await manageClient(fixture.server.url, narrow.body.token).post(
      path,
      { name: "Mine" },
      headers,
    );
    expect(status).toBe(403);
    expect(text).not.toContain(made.body.api_key);
  });

  test("validation errors name each field", async () => {
    const path = `/organizations/${fixture.organizationId}/products`;
    const { status, body } = await fixture.owner.api.post(path, {
      name: "",
      default_max_ips: 0,
      max_ip: 3,
      ipv6_prefix: 65,
    });
    expect(status).toBe(422);
    expect(body.errors.map((error: { field: string }) => error.field).sort()).toEqual([
      "default_max_ips",
      "ipv6_prefix",
      "max_ip",
      "name",
    ]);
    expect(
      body.errors.every((error: { field: string; message: string }) => error.message.startsWith(error.field)),
    ).toBe(true);
  });

  test("a deleted product is not found, and its key answers product_not_found", async () => {
    const made = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Short-lived",
    });
    expect((await fixture.owner.api.delete(`/products/${made.body.id}`)).status).toBe(204);
    expect((await fixture.owner.api.get(`/products/${made.body.id}`)).status).toBe(404);
    const answer = await fetch(`${fixture.server.url}/api/v1/validate`, {
      method: "POST",
      headers: { authorization: `Bearer ${made.body.api_key}` },
      body: JSON.stringify({ license_key: "x" }),
    });
    expect(await answer.json()).toMatchObject({ status: "product_not_found" });
  });

  test("the audit log records every change with actor and values", async () => {
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("organization_id", "=", fixture.organizationId)
      .execute();
    const disabled = rows.find((row) => row.action === "product.updated" && row.after?.includes("disabled"));
    expect(disabled).toMatchObject({
      actor_kind: "person",
      actor_id: fixture.owner.userId,
      subject_id: fixture.productId,
      before: '{"status":"active"}',
      after: '{"status":"disabled"}',
      ip: "127.0.0.1",
    });
  });
});
