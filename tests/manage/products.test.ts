import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { addLicense } from "../support/add-license.ts";
import { apiOf } from "../support/api.ts";
import { on } from "../support/databases.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

describe.each(on("sqlite"))("products on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  let own: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
    path = `/organizations/${fixture.organizationId}/products`;
    own = `/products/${fixture.productId}`;
  });
  afterAll(() => fixture.close());

  const newProduct = async (name: string) => {
    const { status, body } = await fixture.owner.api.post(path, { name });
    expect(status).toBe(201);
    return { id: String(body.id), apiKey: String(body.api_key) };
  };
  const statusWith = async (apiKey: string) =>
    (await apiOf(fixture.server.url, apiKey).validate({ license_key: "x" })).body.status;

  test("the creating response alone shows a product's API key", async () => {
    const { id, apiKey } = await newProduct("Editor");
    expect(apiKey).toMatch(/^csk_/);
    const read = await fixture.owner.api.get(`/products/${id}`);
    expect(read.body.api_key).toBeUndefined();
    expect(apiKey).toStartWith(read.body.api_keys[0].prefix);
    expect(read.text).not.toContain(apiKey);
  });

  test("settings apply from the next request, and are in the audit log with actor and values", async () => {
    for (const [status, answer] of [
      ["disabled", "product_disabled"],
      ["archived", "product_archived"],
      ["active", "license_not_found"],
    ] as const) {
      expect((await fixture.owner.api.patch(own, { status })).body.status).toBe(status);
      expect(await statusWith(fixture.apiKey)).toBe(answer);
    }
    const changes = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", fixture.productId)
      .where("action", "=", "product.updated")
      .orderBy("id")
      .execute();
    expect(changes[0]).toMatchObject({
      actor_kind: "person",
      actor_id: fixture.owner.userId,
      before: '{"status":"active"}',
      after: '{"status":"disabled"}',
      ip: "127.0.0.1",
    });
  });

  test("a product closed for sale accepts no new licenses, and its existing ones keep working", async () => {
    const { owner, publicApi } = fixture;
    const added = await owner.api.post(`${own}/licenses`, { customer_email: "ada@example.com" });
    const validates = async () => (await publicApi.validate({ license_key: added.body.license_key })).body;
    const before = await validates();
    const closed = await owner.api.patch(own, { closed_for_sale: true });
    expect(closed.body).toMatchObject({ closed_for_sale: true, status: "active" });

    const refusal = { code: "product_closed_for_sale", params: { product: closed.body.name } };
    const one = { customer_email: "grace@example.com" };
    const csv = { "content-type": "text/csv" };
    const file = "customer_email\r\ngrace@example.com\r\n";
    for (const refused of [
      await owner.api.post(`${own}/licenses`, one),
      await owner.api.post(`${own}/licenses`, { ...one, count: 2 }),
      await owner.api.post(`${own}/licenses`, { ...one, count: 500 }),
      await owner.api.post(`${own}/licenses`, { licenses: [one] }),
      await owner.api.send("POST", `${own}/licenses/import`, file, csv),
      await owner.api.send("POST", `${own}/licenses/import?dry_run=true`, file, csv),
    ])
      expect(refused).toMatchObject({ status: 409, body: refusal });
    expect((await owner.api.get(`${own}/imports`)).body.data).toEqual([]);

    expect(await validates()).toEqual({ ...before, ip_registered: false });
    expect((await owner.api.patch(`/licenses/${added.body.id}`, { notes: "still ours" })).status).toBe(200);
    await owner.api.patch(own, { closed_for_sale: false });
    expect((await owner.api.post(`${own}/licenses`, one)).status).toBe(201);
  });

  test("a stale update is refused and changes nothing", async () => {
    const read = await fixture.owner.api.get(own);
    const guard = { "if-match": read.headers.get("etag") ?? "" };
    expect((await fixture.owner.api.patch(own, { name: "A" }, guard)).status).toBe(200);
    expect((await fixture.owner.api.patch(own, { name: "B" }, guard)).status).toBe(412);
    const guarded = { name: "B", updated_at: read.body.updated_at };
    expect((await fixture.owner.api.patch(own, guarded)).status).toBe(412);
    expect((await fixture.owner.api.get(own)).body.name).toBe("A");
  });

  test("a repeated POST with the same Idempotency-Key creates one product and shows its API key once", async () => {
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
    const headers = { "idempotency-key": crypto.randomUUID() };
    const made = await fixture.owner.api.post(path, { name: "Mine" }, headers);
    const narrow = await fixture.owner.api.post("/me/access-tokens", {
      name: "Narrow",
      permissions: ["products:view"],
      expires_at: null,
    });
    const api = manageClient(fixture.server.url, narrow.body.token);
    const { status, text } = await api.post(path, { name: "Mine" }, headers);
    expect(status).toBe(403);
    expect(text).not.toContain(made.body.api_key);
  });

  test("validation errors name each field", async () => {
    const wrong = { name: "", default_max_ips: 0, max_ip: 3, ipv6_prefix: 65 };
    const { status, body } = await fixture.owner.api.post(path, wrong);
    expect(status).toBe(422);
    const errors = body.errors as { field: string; message: string }[];
    expect(errors.map(({ field }) => field).sort()).toEqual(Object.keys(wrong).sort());
    expect(errors.every(({ field, message }) => message.startsWith(field))).toBe(true);
  });

  test("a deleted product and its licenses are not found, and its key answers product_not_found", async () => {
    const { id, apiKey } = await newProduct("Short-lived");
    const license = await addLicense(fixture, { productId: id });
    const blocks = `/licenses/${license.id}/ip-blocks`;
    expect((await fixture.owner.api.get(blocks)).status).toBe(200);
    expect((await fixture.owner.api.delete(`/products/${id}`)).status).toBe(204);
    for (const gone of [`/products/${id}`, blocks])
      expect((await fixture.owner.api.get(gone)).status).toBe(404);
    expect((await fixture.owner.api.post(`/products/${id}/rotate-key`, {})).status).toBe(404);
    expect(await statusWith(apiKey)).toBe("product_not_found");
  });
});
