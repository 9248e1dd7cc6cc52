import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";
import { newId } from "../support/test-organization.ts";
import { until } from "../support/until.ts";
import { makeDelivery, makeEndpoint } from "../support/webhooks.ts";

setDefaultTimeout(60_000);

const url = "https://hooks.example.invalid/countersign?a=b";
const mostEndpoints = 10;

describe.each(on("postgres"))("webhook endpoints on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let path: string;
  beforeAll(async () => {
    fixture = await openManageFixture(make, {
      why: "has a limit of endpoints, and calls no private IP address",
      environment: {
        COUNTERSIGN_WEBHOOK_ENDPOINTS: String(mostEndpoints),
        COUNTERSIGN_WEBHOOK_ALLOW: "192.0.2.1",
      },
    });
    path = `/organizations/${fixture.organizationId}/webhooks`;
  });
  afterAll(() => fixture.close());

  const create = async (fields: object = {}) => {
    const made = await fixture.owner.api.post(path, { url, ...fields });
    expect(made.status).toBe(201);
    return { ...made.body, path: `${path}/${made.body.id}` };
  };
  const rowOf = (id: string) =>
    fixture.store.reads.selectFrom("webhook_endpoints").selectAll().where("id", "=", id).executeTakeFirst();
  const opened = (sealed: string) => Buffer.from(fixture.store.sealer.open(sealed)).toString();
  const secretsOf = async (id: string) => {
    const rows = await fixture.store.reads
      .selectFrom("webhook_secrets")
      .selectAll()
      .where("endpoint_id", "=", id)
      .execute();
    return new Set(rows.map((row) => ({ secret: opened(row.sealed_secret), expiresAt: row.expires_at })));
  };
  const auditOf = async (id: string) => {
    const { body } = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/audit-log?subject_id=${id}`,
    );
    return body.data as { action: string; before: object | null; after: object | null }[];
  };

  test("an endpoint is created with a secret that is shown once and stored encrypted", async () => {
    const {
      secret,
      path: one,
      ...made
    } = await create({
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
    expect((await fixture.owner.api.get(one)).body).toEqual(made);
    expect((await fixture.owner.api.get(path)).body.data).toContainEqual(made);
    expect(await secretsOf(made.id)).toEqual(new Set([{ secret, expiresAt: null }]));
    const row = await rowOf(made.id);
    expect(JSON.stringify(row)).not.toContain("hidden");
    expect(JSON.parse(opened(row?.sealed_headers ?? ""))).toEqual({
      "x-api-key": "hidden value",
      authorization: "Bearer hidden",
    });
    const [entry] = await auditOf(made.id);
    const after = { url: "https://hooks.example.invalid/…" };
    expect(entry).toMatchObject({ action: "webhook.created", after });
    expect(JSON.stringify(entry)).not.toContain("hidden");
    await fixture.owner.api.delete(one);
  });

  test("a repeated request with its Idempotency-Key creates one endpoint and does not show the secret again", async () => {
    const key = { "idempotency-key": newId() };
    const one = await fixture.owner.api.post(path, { url }, key);
    const two = await fixture.owner.api.post(path, { url }, key);
    const { secret, ...shown } = one.body;
    expect(two.body.first_response).toEqual(shown);
    expect(two.text).not.toContain(secret);
    await fixture.owner.api.delete(`${path}/${shown.id}`);
  });

  const invalidUrls = [
    "ftp://example.com/",
    "example.com",
    "https://user:secret@example.com/",
    "https://exa mple.com/",
    `https://example.com/${"x".repeat(2_000)}`,
    `https://example.com/${"ü".repeat(1_000)}`,
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://169.254.169.254/latest/meta-data",
    "http://192.168.1.1:8080/",
    "http://localhost:3000/",
    "http://a.localhost/",
  ];
  const manyHeaders = Object.fromEntries(Array.from({ length: 21 }, (_, number) => [`h${number}`, "x"]));
  test.each<[object, string]>([
    ...invalidUrls.map((invalid): [object, string] => [{ url: invalid }, "url"]),
    [{ event_types: ["license.sold"] }, "event_types.0"],
    [{ event_types: ["endpoint.test"] }, "event_types.0"],
    [{ event_types: [] }, "event_types"],
    [{ product_ids: [] }, "product_ids"],
    [{ product_ids: [newId()] }, "product_ids.0"],
    [{ format: "telegram" }, "format"],
    [{ description: "a\nb" }, "description"],
    [{ headers: { Host: "x" } }, "headers.Host"],
    [{ headers: { "webhook-id": "x" } }, "headers.webhook-id"],
    [{ headers: { "a b": "x" } }, "headers.a b"],
    [{ headers: { a: "x\r\ny" } }, "headers.a"],
    [{ headers: { a: "x", A: "y" } }, "headers"],
    [{ headers: manyHeaders }, "headers"],
    [{ secret: "whsec_x" }, "secret"],
    [{ status: "disabled" }, "status"],
  ])("an invalid value is refused and its field is named: %j", async (fields, field) => {
    const { status, body } = await fixture.owner.api.post(path, { url, ...fields });
    expect([status, body.errors?.[0]?.field]).toEqual([422, field]);
  });

  test("a product of another organization is refused like an unknown one", async () => {
    const other = await fixture.person();
    const { body: organization } = await other.api.post("/organizations", { name: "Other" });
    const products = `/organizations/${organization.id}/products`;
    const { body: product } = await other.api.post(products, { name: "P" });
    const theirs = await fixture.owner.api.post(path, { url, product_ids: [product.id] });
    const none = await fixture.owner.api.post(path, { url, product_ids: [newId()] });
    expect([theirs.status, theirs.body.detail]).toEqual([422, none.body.detail]);
  });

  test("an endpoint is changed field by field, and a stale or invalid change is refused", async () => {
    const made = await create({ headers: { a: "1", b: "2" } });
    const unchanged = { "if-match": `"${made.updated_at}"` };
    const changes = { url: "https://hooks.example.invalid/other", event_types: ["quota.warning"] };
    const patch = (body: object, headers = {}) => fixture.owner.api.patch(made.path, body, headers);
    const changed = await patch({ ...changes, headers: { B: null, c: "3" } }, unchanged);
    expect(changed.body).toMatchObject({ ...changes, product_ids: null, header_names: ["a", "c"] });
    expect((await patch({ description: "x", updated_at: made.updated_at })).status).toBe(412);
    expect((await patch({ description: "x" }, unchanged)).status).toBe(412);
    expect((await patch({ url: "http://127.0.0.1/" })).body.errors[0].field).toBe("url");
    expect((await patch({ headers: manyHeaders })).body.errors[0].field).toBe("headers");
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
  });

  test("an endpoint that is disabled by hand holds its deliveries, and sends them when it is enabled", async () => {
    const made = await create();
    const owner = { ...fixture, endpointId: made.id };
    await makeDelivery(owner, { state: "pending", next_attempt_at: Date.now() + 3_600_000 });
    const post = (action: string) => fixture.owner.api.post(`${made.path}/${action}`);
    const stateOf = async () => (await fixture.owner.api.get(`${made.path}/deliveries`)).body.data[0].state;
    const disabled = await post("disable");
    expect(disabled.body).toMatchObject({ status: "disabled", disabled_reason: "by_hand" });
    expect(disabled.body.disabled_at).not.toBeNull();
    expect((await post("disable")).body).toEqual(disabled.body);
    expect(await stateOf()).toBe("held");
    expect([(await post("test")).status, (await post("replay")).status]).toEqual([409, 409]);
    const enabled = { status: "enabled", disabled_reason: null, disabled_at: null };
    expect((await post("enable")).body).toMatchObject(enabled);
    expect(await stateOf()).not.toBe("held");
    expect((await post("enable")).body).toMatchObject(enabled);
    const actions = (await auditOf(made.id)).map((entry) => entry.action);
    expect(actions).toEqual(["webhook.enabled", "webhook.disabled", "webhook.created"]);
  });

  test("an endpoint that was disabled for failing is probed unless someone decides otherwise", async () => {
    const inAnHour = Date.now() + 3_600_000;
    const failing = { status: "disabled", disabled_reason: "failing", disabled_at: 1 } as const;
    const disabled = async (auto_reenable: 0 | 1 = 1) => {
      const settings = { ...failing, auto_reenable, next_probe_at: auto_reenable === 1 ? inAnHour : null };
      const { id } = await makeEndpoint(fixture.store, fixture.organizationId, url, settings);
      return `${path}/${id}`;
    };
    const nextProbe = async (one: string, changes: object) => {
      const { body } = await fixture.owner.api.patch(one, changes);
      return body.next_probe_at === null ? null : Date.parse(body.next_probe_at);
    };
    const one = await disabled();
    expect(await nextProbe(one, { description: "Other" })).toBe(inAnHour);
    expect(await nextProbe(one, { auto_reenable: false })).toBeNull();
    expect((await auditOf(one.split("/").at(-1) ?? ""))[0]?.after).toEqual({ auto_reenable: false });
    expect(await nextProbe(one, { url: "https://hooks.example.invalid/other" })).toBeNull();
    expect(await nextProbe(await disabled(0), { auto_reenable: true })).toBeLessThanOrEqual(Date.now());
    expect(await nextProbe(await disabled(), { url: `${url}&c=d` })).toBeLessThanOrEqual(Date.now());
    expect(await nextProbe(await disabled(), { headers: { a: "b" } })).toBeLessThanOrEqual(Date.now());
    for (const action of ["disable", "enable"])
      expect((await fixture.owner.api.post(`${await disabled()}/${action}`)).body.next_probe_at).toBeNull();
    await fixture.store.transaction((db) =>
      db.updateTable("webhook_endpoints").set({ deleted_at: 1 }).where("disabled_at", "=", 1).execute(),
    );
  });

  test("a rotated secret and the previous one sign until the overlap ends, and an older one does not", async () => {
    const made = await create();
    const rotate = (body: object) => fixture.owner.api.post(`${made.path}/rotate-secret`, body);
    const first = await rotate({});
    const hour = await rotate({ overlap_seconds: 3600 });
    const endsAt = Date.parse(hour.body.old_secret_until);
    expect(Math.abs(endsAt - Date.now() - 3_600_000)).toBeLessThan(60_000);
    expect(await secretsOf(made.id)).toEqual(
      new Set([
        { secret: first.body.secret, expiresAt: endsAt },
        { secret: hour.body.secret, expiresAt: null },
      ]),
    );
    const { body: read } = await fixture.owner.api.get(made.path);
    expect(read.old_secret_until).toBe(hour.body.old_secret_until);
    const now = await rotate({ overlap_seconds: 0 });
    expect(now.body.old_secret_until).toBeNull();
    expect(await secretsOf(made.id)).toEqual(new Set([{ secret: now.body.secret, expiresAt: null }]));
    expect((await rotate({ overlap_seconds: 604_801 })).status).toBe(422);
    const audit = JSON.stringify(await auditOf(made.id));
    expect(audit).toContain("webhook.secret_rotated");
    for (const { body } of [first, hour, now]) expect(audit).not.toContain(body.secret);
  });

  test("a deleted endpoint is gone immediately, and its data soon after", async () => {
    const made = await create();
    await makeDelivery({ ...fixture, endpointId: made.id });
    const { api } = fixture.owner;
    expect((await api.delete(made.path)).status).toBe(204);
    for (const answer of [
      await api.get(made.path),
      await api.delete(made.path),
      await api.patch(made.path, {}),
      await api.get(`${made.path}/deliveries`),
      await api.post(`${made.path}/enable`),
      await api.get(`${path}/${newId()}`),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, "webhook_not_found"]);
    expect(JSON.stringify((await api.get(path)).body)).not.toContain(made.id);
    await until("its row is removed", async () => (await rowOf(made.id)) === undefined);
  });

  test("a viewer sees only the host of a chat URL, and cannot change anything", async () => {
    const chat = "https://discord.example.invalid/api/webhooks/1/secret-token";
    const [made, plain] = [await create({ url: chat, format: "discord" }), await create()];
    const viewer = await fixture.member(["webhooks:view"]);
    const manager = await fixture.member(["webhooks:manage"]);
    const seen = async (by: typeof viewer, at: string) => (await by.api.get(at)).body.url;
    expect(await seen(viewer, made.path)).toBe("https://discord.example.invalid/…");
    expect(await seen(viewer, plain.path)).toBe(url);
    expect(await seen(manager, made.path)).toBe(chat);
    expect((await viewer.api.patch(made.path, {})).status).toBe(403);
    expect(JSON.stringify(await auditOf(made.id))).not.toContain("secret-token");
  });

  test("an organization has at most as many endpoints as the operator allows, and they are paginated", async () => {
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const next = cursor === "" ? "" : `&cursor=${cursor}`;
      const { body } = await fixture.owner.api.get(`${path}?limit=3${next}`);
      ids.push(...body.data.map((one: { id: string }) => one.id));
      cursor = body.next_cursor;
    }
    expect(ids.length).toBeGreaterThan(3);
    expect(new Set(ids).size).toBe(ids.length);
    const free = mostEndpoints - ids.length;
    const creating = Array.from({ length: free + 3 }, () => fixture.owner.api.post(path, { url }));
    const statuses = (await Promise.all(creating)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(free);
    expect(statuses.filter((status) => status === 403)).toHaveLength(3);
  });
});
