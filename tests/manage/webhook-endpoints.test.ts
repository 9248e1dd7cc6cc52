import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";

setDefaultTimeout(60_000);

const url = "https://hooks.example.invalid/countersign?a=b";
const mostEndpoints = 30;

describe.each(databases)("webhook endpoints on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make, { COUNTERSIGN_WEBHOOK_ENDPOINTS: String(mostEndpoints) });
    path = `/organizations/${fixture.organizationId}/webhooks`;
  });
  afterAll(() => fixture.close());

  const create = async (fields: object = {}) => {
    const made = await fixture.owner.api.post(path, { url, ...fields });
    expect(made.status).toBe(201);
    return made.body;
  };
  const rowOf = (id: string) =>
    fixture.store.reads.selectFrom("webhook_endpoints").selectAll().where("id", "=", id).executeTakeFirst();
  const secretsOf = async (id: string) => {
    const rows = await fixture.store.reads
      .selectFrom("webhook_secrets")
      .selectAll()
      .where("endpoint_id", "=", id)
      .orderBy("created_at")
      .execute();
    return rows.map((row) => ({
      secret: Buffer.from(fixture.store.sealer.open(row.sealed_secret)).toString(),
      expiresAt: row.expires_at,
    }));
  };
  const auditOf = async (id: string) => {
    const { body } = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/audit-log?subject_id=${id}`,
    );
    return body.data as { action: string; before: object | null; after: object | null }[];
  };

  test("are created with a secret that is shown once and stored encrypted", async () => {
    const { secret, ...made } = await create({
      description: "Shop",
      event_types: ["license.created", "license.created", "license.revoked"],
      product_ids: [fixture.productId],
      headers: { "X-Api-Key": "hidden value", Authorization: "Bearer hidden" },
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made).toMatchObject({
      url,
      description: "Shop",
      format: "standard",
      event_types: ["license.created", "license.revoked"],
      product_ids: [fixture.productId],
      header_names: ["authorization", "x-api-key"],
      status: "enabled",
      disabled_reason: null,
      old_secret_until: null,
    });
    const read = await fixture.owner.api.get(`${path}/${made.id}`);
    expect(read.body).toEqual(made);
    expect((await fixture.owner.api.get(path)).body.data).toContainEqual(made);
    expect(await secretsOf(made.id)).toEqual([{ secret, expiresAt: null }]);
    const row = await rowOf(made.id);
    expect(JSON.stringify(row)).not.toContain("hidden");
    expect(JSON.parse(Buffer.from(fixture.store.sealer.open(row?.sealed_headers ?? "")).toString())).toEqual({
      "x-api-key": "hidden value",
      authorization: "Bearer hidden",
    });
    const [entry] = await auditOf(made.id);
    expect(entry).toMatchObject({
      action: "webhook.created",
      after: { url: "https://hooks.example.invalid/…" },
    });
    expect(JSON.stringify(entry)).not.toContain("hidden");
  });

  test("are created once by a request repeated with its Idempotency-Key, and show the secret once", async () => {
    const key = { "idempotency-key": newId() };
    const one = await fixture.owner.api.post(path, { url }, key);
    const two = await fixture.owner.api.post(path, { url }, key);
    expect(one.status).toBe(201);
    const { secret, ...shown } = one.body;
    expect(two.body.first_response).toEqual(shown);
    expect(two.text).not.toContain(secret);
  });

  test.each([
    ["ftp://example.com/", "url"],
    ["example.com", "url"],
    ["https://user:secret@example.com/", "url"],
    ["https://exa mple.com/", "url"],
    [`https://example.com/${"x".repeat(2_000)}`, "url"],
    [`https://example.com/${"ü".repeat(1_000)}`, "url"],
    ["http://127.0.0.1/", "url"],
    ["http://0x7f.1/", "url"],
    ["http://2130706433/", "url"],
    ["http://[::1]/", "url"],
    ["http://[::ffff:10.0.0.1]/", "url"],
    ["http://169.254.169.254/latest/meta-data", "url"],
    ["http://192.168.1.1:8080/", "url"],
    ["http://localhost:3000/", "url"],
    ["http://a.localhost/", "url"],
  ])("an invalid or private URL is refused immediately: %s", async (address, field) => {
    const { status, body } = await fixture.owner.api.post(path, { url: address });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
    const { id } = (await fixture.owner.api.get(path)).body.data[0];
    const changed = await fixture.owner.api.patch(`${path}/${id}`, { url: address });
    expect([changed.status, changed.body.errors?.[0]?.field]).toEqual([422, field]);
  });

  test.each([
    [{ event_types: ["license.sold"] }, "event_types.0"],
    [{ event_types: ["endpoint.test"] }, "event_types.0"],
    [{ event_types: [] }, "event_types"],
    [{ product_ids: [] }, "product_ids"],
    [{ product_ids: ["00000000-0000-7000-8000-000000000000"] }, "product_ids.0"],
    [{ format: "telegram" }, "format"],
    [{ description: "a\nb" }, "description"],
    [{ headers: { Host: "x" } }, "headers.Host"],
    [{ headers: { "webhook-id": "x" } }, "headers.webhook-id"],
    [{ headers: { "a b": "x" } }, "headers.a b"],
    [{ headers: { a: "x\r\ny" } }, "headers.a"],
    [{ headers: { a: "x", A: "y" } }, "headers"],
    [{ headers: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`h${at}`, "x"])) }, "headers"],
    [{ secret: "whsec_x" }, "secret"],
    [{ status: "disabled" }, "status"],
  ])("an invalid value is refused and named: %j", async (fields, field) => {
    const { status, body } = await fixture.owner.api.post(path, { url, ...fields });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });

  test("a product of another organization is refused like an unknown one", async () => {
    const other = await fixture.person();
    const { body: organization } = await other.api.post("/organizations", { name: "Other" });
    const { body: product } = await other.api.post(`/organizations/${organization.id}/products`, {
      name: "P",
    });
    const theirs = await fixture.owner.api.post(path, { url, product_ids: [product.id] });
    const none = await fixture.owner.api.post(path, { url, product_ids: [newId()] });
    expect([theirs.status, theirs.body.detail]).toEqual([422, none.body.detail]);
  });

  test("are changed field by field, and a stale update is refused", async () => {
    const made = await create({ headers: { a: "1", b: "2" } });
    const one = `${path}/${made.id}`;
    const changed = await fixture.owner.api.patch(
      one,
      {
        url: "https://hooks.example.invalid/other",
        event_types: ["quota.warning"],
        headers: { B: null, c: "3" },
      },
      { "if-match": `"${made.updated_at}"` },
    );
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({
      url: "https://hooks.example.invalid/other",
      event_types: ["quota.warning"],
      product_ids: null,
      header_names: ["a", "c"],
    });
    expect(
      (await fixture.owner.api.patch(one, { description: "x", updated_at: made.updated_at })).status,
    ).toBe(412);
    expect(
      (await fixture.owner.api.patch(one, { description: "x" }, { "if-match": `"${made.updated_at}"` }))
        .status,
    ).toBe(412);
    const [entry] = await auditOf(made.id);
    expect(entry).toMatchObject({
      action: "webhook.updated",
      before: { event_types: null, url: "https://hooks.example.invalid/…" },
      after: {
        event_types: ["quota.warning"],
        url_changed: true,
        headers_set: ["c"],
        headers_removed: ["b"],
      },
    });
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`h${at}`, "x"]));
    expect((await fixture.owner.api.patch(one, { headers: many })).body.errors[0].field).toBe("headers");
  });

  test("hold pending deliveries while disabled by hand, and send them when enabled", async () => {
    const made = await create();
    const one = `${path}/${made.id}`;
    const later = Date.now() + 3_600_000;
    await addDelivery(made.id, { state: "pending", next_attempt_at: later, attempts: 3 });
    const stateOf = async () => (await fixture.owner.api.get(`${one}/deliveries`)).body.data[0].state;
    const disabled = await fixture.owner.api.post(`${one}/disable`);
    expect(disabled.body).toMatchObject({ status: "disabled", disabled_reason: "by_hand" });
    expect(disabled.body.disabled_at).not.toBeNull();
    expect((await fixture.owner.api.post(`${one}/disable`)).body).toEqual(disabled.body);
    expect(await stateOf()).toBe("held");
    expect((await fixture.owner.api.post(`${one}/test`)).status).toBe(409);
    const enabled = await fixture.owner.api.post(`${one}/enable`);
    expect(enabled.body).toMatchObject({ status: "enabled", disabled_reason: null, disabled_at: null });
    expect(await stateOf()).not.toBe("held");
    expect((await fixture.owner.api.post(`${one}/enable`)).body).toMatchObject({ status: "enabled" });
    const actions = (await auditOf(made.id)).map((entry) => entry.action);
    expect(actions).toEqual(["webhook.enabled", "webhook.disabled", "webhook.created"]);
  });

  test("a rotated secret and the previous one sign until the overlap ends, and an older one does not", async () => {
    const made = await create();
    const rotate = (body: object) => fixture.owner.api.post(`${path}/${made.id}/rotate-secret`, body);
    const first = await rotate({});
    const hour = await rotate({ overlap_seconds: 3600 });
    const until = Date.parse(hour.body.old_secret_until);
    expect(Math.abs(until - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect(new Set(await secretsOf(made.id))).toEqual(
      new Set([
        { secret: first.body.secret, expiresAt: until },
        { secret: hour.body.secret, expiresAt: null },
      ]),
    );
    expect((await fixture.owner.api.get(`${path}/${made.id}`)).body.old_secret_until).toBe(
      hour.body.old_secret_until,
    );
    const now = await rotate({ overlap_seconds: 0 });
    expect(now.body.old_secret_until).toBeNull();
    expect(await secretsOf(made.id)).toEqual([{ secret: now.body.secret, expiresAt: null }]);
    expect((await rotate({ overlap_seconds: 604_801 })).status).toBe(422);
    const audit = JSON.stringify(await auditOf(made.id));
    expect(audit).toContain("webhook.secret_rotated");
    for (const { body } of [first, hour, now]) expect(audit).not.toContain(body.secret);
  });

  test("are gone immediately when deleted, and their data soon after", async () => {
    const made = await create();
    const one = `${path}/${made.id}`;
    for (let at = 0; at < 3; at += 1) await addDelivery(made.id, { state: "delivered" });
    expect((await fixture.owner.api.delete(one)).status).toBe(204);
    for (const answer of [
      await fixture.owner.api.get(one),
      await fixture.owner.api.delete(one),
      await fixture.owner.api.patch(one, {}),
      await fixture.owner.api.get(`${one}/deliveries`),
      await fixture.owner.api.post(`${one}/enable`),
      await fixture.owner.api.get(`${path}/${newId()}`),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([404, "webhook_not_found"]);
    }
    expect(JSON.stringify((await fixture.owner.api.get(path)).body)).not.toContain(made.id);
    await until("its row is removed", async () => (await rowOf(made.id)) === undefined);
    const left = await fixture.store.reads
      .selectFrom("deliveries")
      .select("id")
      .where("endpoint_id", "=", made.id)
      .execute();
    expect([left, await secretsOf(made.id)]).toEqual([[], []]);
  });

  test("show only the host of a chat URL to a viewer, who cannot change anything", async () => {
    const chat = "https://discord.example.invalid/api/webhooks/1/secret-token";
    const made = await create({ url: chat, format: "discord" });
    const plain = await create();
    const viewer = await fixture.member(["webhooks:view"]);
    const manager = await fixture.member(["webhooks:manage"]);
    const seen = await viewer.api.get(`${path}/${made.id}`);
    expect(seen.body.url).toBe("https://discord.example.invalid/…");
    expect((await viewer.api.get(`${path}/${plain.id}`)).body.url).toBe(url);
    expect((await manager.api.get(`${path}/${made.id}`)).body.url).toBe(chat);
    expect((await viewer.api.patch(`${path}/${made.id}`, {})).status).toBe(403);
    expect(JSON.stringify(await auditOf(made.id))).not.toContain("secret-token");
  });

  test("are limited to the number the operator allows, and are paginated", async () => {
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { body } = await fixture.owner.api.get(
        `${path}?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      ids.push(...body.data.map((one: { id: string }) => one.id));
      cursor = body.next_cursor;
    }
    expect(new Set(ids).size).toBe(ids.length);
    const rest = Array.from({ length: mostEndpoints - ids.length + 3 }, () =>
      fixture.owner.api.post(path, { url }),
    );
    const statuses = (await Promise.all(rest)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 201).length).toBe(mostEndpoints - ids.length);
    expect(statuses.filter((status) => status === 403).length).toBe(3);
  });

  const addDelivery = async (endpointId: string, fields: object) => {
    const nowMs = Date.now();
    const eventId = newId();
    await fixture.store.transaction(async (db) => {
      await db
        .insertInto("events")
        .values({
          id: eventId,
          organization_id: fixture.organizationId,
          type: "license.created",
          at: nowMs,
          data: "{}",
        })
        .execute();
      await db
        .insertInto("deliveries")
        .values({
          id: newId(),
          organization_id: fixture.organizationId,
          endpoint_id: endpointId,
          event_id: eventId,
          event_type: "license.created",
          state: "delivered",
          attempts: 1,
          created_at: nowMs,
          ...fields,
        })
        .execute();
    });
  };
});
