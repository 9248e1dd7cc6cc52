import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { on } from "../support/databases.ts";
import { type ManageFixture, openManageFixture } from "../support/manage-fixture.ts";

const hourMs = 3_600_000;

/** Functions on licenses, with the fixture that is opened before the first test. */
function licensesOf(opened: () => ManageFixture) {
  const api = () => opened().owner.api;
  return {
    create: async (body: object = {}) => {
      const path = `/products/${opened().productId}/licenses`;
      return (await api().post(path, { customer_email: "a@b.c", ...body })).body;
    },
    patch: (id: string, body: object, headers?: Record<string, string>) =>
      api().patch(`/licenses/${id}`, body, headers),
    act: (id: string, action: string, body?: object, headers?: Record<string, string>) =>
      api().post(`/licenses/${id}/${action}`, body, headers),
    read: (id: string) => api().get(`/licenses/${id}`),
    validate: async (key: string) => (await opened().publicApi.validate({ license_key: key })).body,
    search: async (query: string) =>
      (await api().get(`/organizations/${opened().organizationId}/licenses?${query}`)).body.data,
    auditOf: (id: string) =>
      opened()
        .store.reads.selectFrom("audit_log")
        .selectAll()
        .where("subject_id", "=", id)
        .orderBy("id")
        .execute(),
  };
}

const refusal = ({ status, body }: { status: number; body: { errors?: { field: string }[] } }) => [
  status,
  body.errors?.[0]?.field,
];

describe.each(on("sqlite"))("changing a license on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());
  const { create, patch, read, validate, search, auditOf } = licensesOf(() => fixture);

  test("fields that are not sent stay unchanged", async () => {
    const license = await create({ notes: "kept", tags: ["x"], metadata: { a: 1 }, max_ips: 4 });
    const { status, body } = await patch(license.id, { notes: "new" });
    expect(status).toBe(200);
    expect(body).toEqual({ ...license, notes: "new", updated_at: body.updated_at });
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(license.updated_at));
  });

  test("an empty update changes nothing, not even updated_at", async () => {
    const license = await create();
    for (const body of [{}, { updated_at: license.updated_at }])
      expect((await patch(license.id, body)).body).toEqual(license);
    const json = { "content-type": "application/json" };
    expect((await fixture.owner.api.send("PATCH", `/licenses/${license.id}`, "{", json)).status).toBe(400);
  });

  test("null clears optional fields, and so do blank notes", async () => {
    const license = await create({
      ...{ notes: "n", metadata: { a: 1 }, custom_override: { a: 1 }, customer_name: "Ada" },
      ...{ version_pinned: "2.0", tags: ["x"] },
    });
    const cleared = {
      metadata: null,
      custom_override: null,
      customer_name: null,
      version_pin_mode: null,
      tags: [],
    };
    const { body } = await patch(license.id, { ...cleared, notes: null });
    expect(body).toMatchObject({ ...cleared, notes: null, version_pinned: null });
    expect((await patch(license.id, { notes: "" })).body.notes).toBeNull();
  });

  test("a later expiry reactivates an expired license immediately", async () => {
    const license = await create({ expires_at: "2020-01-01T00:00:00Z" });
    expect((await validate(license.license_key)).status).toBe("expired");
    const expires = "2099-01-01T00:00:00.000Z";
    expect((await patch(license.id, { expires_at: expires })).body.status).toBe("active");
    expect(await validate(license.license_key)).toMatchObject({ status: "active", expires });
  });

  test("an expiry can be removed, and added as a date or a term, which counts from the first use", async () => {
    const { id, license_key: key } = await create({ expires_in_seconds: 60 });
    const steps: [sent: object, shown: object][] = [
      [{ is_lifetime: true }, { is_lifetime: true, expires_at: null }],
      [{ term_seconds: 60 }, { is_lifetime: false, expires_at: null, term_seconds: 60 }],
      [{ expires_at: null }, { is_lifetime: true, term_seconds: null }],
    ];
    for (const [sent, shown] of steps) expect((await patch(id, sent)).body).toMatchObject(shown);
    await validate(key);
    const { body } = await patch(id, { term_seconds: 3600 });
    expect(Date.parse(body.expires_at) - Date.parse(body.first_used_at)).toBe(hourMs);
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
    const found = await search("q=ace%20hop");
    expect(found.map(({ id }: { id: string }) => id).sort()).toEqual([one.id, two.id].sort());
  });

  test("a license always has a customer, by email address or by Discord", async () => {
    const { id } = await create();
    expect(refusal(await patch(id, { customer_email: null }))).toEqual([422, "customer_email"]);
    const discord = { customer_email: null, customer_discord_id: "77" };
    expect((await patch(id, discord)).body).toMatchObject(discord);
  });

  test("a pin can become a range, and what contradicts the license is refused", async () => {
    const { id, version_pin_mode: mode } = await create({ version_pinned: "1.0" });
    expect(mode).toBe("pinned");
    const { body } = await patch(id, { version_range_min: "1.0", version_range_max: "2.0" });
    expect(body).toMatchObject({ version_pin_mode: "range", version_pinned: null, version_range_max: "2.0" });
    const wrong: [field: string, sent: object][] = [
      ["version_range_max", { version_range_max: "0.9" }],
      ["version_pinned", { version_pinned: "" }],
      ["expires_at", { is_lifetime: false }],
      ["expires_at", { expires_at: "0001-01-01T00:00:00Z" }],
      ["term_seconds", { expires_in_seconds: 5, term_seconds: 5 }],
      ["metadata", { metadata: { long: "x".repeat(8_200) } }],
      ["custom_override.a", { custom_override: { a: "{{nobody}}" } }],
      ["license_key", { license_key: "x" }],
    ];
    for (const [field, sent] of wrong) expect(refusal(await patch(id, sent))).toEqual([422, field]);
    expect((await read(id)).body).toEqual(body);
    expect((await patch(id, { version_range_max: null })).body.version_range_min).toBe("1.0");
  });

  test("a limit below the registered IP addresses keeps them and admits no more", async () => {
    const { id, license_key: key } = await create({ max_ips: 3 });
    const add = (ip: string) => fixture.owner.api.post(`/licenses/${id}/ips`, { ip });
    await add("203.0.113.1");
    await validate(key);
    expect((await patch(id, { max_ips: 1 })).body).toMatchObject({ max_ips: 1, current_unique_ip_count: 2 });
    expect((await validate(key)).status).toBe("active");
    expect((await add("203.0.113.2")).status).toBe(409);
  });

  test("a stale update is refused and changes nothing", async () => {
    const license = await create();
    await patch(license.id, { notes: "first" });
    expect((await patch(license.id, { notes: "late", updated_at: license.updated_at })).status).toBe(412);
    expect((await read(license.id)).body.notes).toBe("first");
  });

  test("of concurrent updates with If-Match, one overwrites nothing and the others are refused", async () => {
    const { id } = await create();
    const etag = (await read(id)).headers.get("etag") ?? "";
    const answers = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((index) => patch(id, { notes: `n${index}` }, { "if-match": etag })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, 412, 412, 412, 412, 412]);
  });

  const matches: [header: string, status: number][] = [
    ["ETAG", 200],
    ["W/ETAG", 200],
    ['"x", ETAG', 200],
    ["*", 200],
    ...['"x"', 'W/"x"', '"x", "*"', '""'].map((header): [string, number] => [header, 412]),
    ...["x", '"x', "W/x", '"x" "y"', "**"].map((header): [string, number] => [header, 400]),
  ];
  test("If-Match accepts one or several tags, weak tags and *, and refuses invalid ones", async () => {
    const { id } = await create();
    for (const [header, status] of matches) {
      const etag = (await read(id)).headers.get("etag") ?? "";
      const tag = header.replace("ETAG", etag);
      const answer = await patch(id, { notes: crypto.randomUUID() }, { "if-match": tag });
      expect([header, answer.status]).toEqual([header, status]);
      if (status === 400) expect(answer.body.code).toBe("invalid_if_match");
    }
  });

  test("a deleted license is unknown immediately, and nothing of it comes back with its key", async () => {
    const { id, license_key: key } = await create({ tags: ["gone"] });
    await validate(key);
    expect((await fixture.owner.api.delete(`/licenses/${id}`)).status).toBe(204);
    expect((await validate(key)).status).toBe("license_not_found");
    expect([(await read(id)).status, (await fixture.owner.api.delete(`/licenses/${id}`)).status]).toEqual([
      404, 404,
    ]);
    expect((await create({ license_key: key })).current_unique_ip_count).toBe(0);
    expect(await search("tag=gone")).toEqual([]);
  });

  test("changing a license is not enough to read or to delete one", async () => {
    const { id } = await create();
    const editor = (await fixture.member(["licenses:update"])).api;
    const answers = [
      await editor.patch(`/licenses/${id}`, { notes: "x" }),
      await editor.get(`/licenses/${id}`),
      await editor.delete(`/licenses/${id}`),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403]);
    expect((await read(id)).body.notes).toBe("x");
  });

  test("the audit log records changed values before and after, and nothing without a change", async () => {
    const { id } = await create({ notes: "before", tags: ["one"] });
    const changed = { notes: "after", tags: ["one", "two"] };
    await patch(id, changed);
    await patch(id, { notes: "after" });
    const [, updated, ...more] = await auditOf(id);
    expect(more).toEqual([]);
    expect(updated).toMatchObject({ action: "license.updated", actor_id: fixture.owner.userId });
    expect(JSON.parse(updated?.before ?? "")).toEqual({ notes: "before", tags: ["one"] });
    expect(JSON.parse(updated?.after ?? "")).toEqual(changed);
    await fixture.owner.api.delete(`/licenses/${id}`);
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: "license.deleted", after: null });
  });
});

describe.each(on("sqlite"))("the lifecycle of a license on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openManageFixture(make);
  });
  afterAll(() => fixture.close());
  const { create, act, read, validate, search, auditOf } = licensesOf(() => fixture);
  const statusOf = async (key: string) => (await validate(key)).status;

  test("revoking and reinstating apply from the next validation, and a second revocation changes nothing", async () => {
    const { id, license_key: key } = await create();
    expect(await statusOf(key)).toBe("active");
    const revoked = await act(id, "revoke", { reason: "Charged back" });
    expect(revoked.body).toMatchObject({ status: "revoked", revoked_reason: "Charged back" });
    expect(await statusOf(key)).toBe("revoked");
    expect((await act(id, "revoke", { reason: "Second" })).body).toEqual(revoked.body);
    const back = await act(id, "reinstate");
    expect(back.body).toMatchObject({ status: "active", revoked_at: null, revoked_reason: null });
    expect(await statusOf(key)).toBe("active");
    const audited = (await auditOf(id)).map(({ action }) => action);
    expect(audited).toEqual(["license.created", "license.revoked", "license.reinstated"]);
  });

  test("a renewal extends from the expiry, or from now if it has passed", async () => {
    const running = await create({ expires_in_seconds: 3600 });
    const renewed = await act(running.id, "renew", { extend_by_seconds: 3600 });
    expect(Date.parse(renewed.body.expires_at) - Date.parse(running.expires_at)).toBe(hourMs);
    const expired = await create({ expires_at: "2020-01-01T00:00:00Z" });
    const before = Date.now();
    const revived = await act(expired.id, "renew", { extend_by_seconds: 3600 });
    const end = Date.parse(revived.body.expires_at);
    // The database's clock decides, which a server knows to within a round trip.
    expect(end).toBeWithin(before + hourMs - 1_000, Date.now() + hourMs + 1_000);
    expect(await statusOf(expired.license_key)).toBe("active");
  });

  test("a license can be renewed until a date, and a term that has not started gets longer", async () => {
    const { id } = await create({ expires_in_seconds: 60 });
    const end = "2099-01-01T00:00:00.000Z";
    expect((await act(id, "renew", { expires_at: end })).body.expires_at).toBe(end);
    const term = await create({ term_seconds: 60 });
    const longer = await act(term.id, "renew", { extend_by_seconds: 30 });
    expect(longer.body).toMatchObject({ term_seconds: 90, expires_at: null });
  });

  test("concurrent renewals all count, but one that is repeated with its Idempotency-Key counts once", async () => {
    const license = await create({ expires_in_seconds: 3600 });
    const renew = (headers?: Record<string, string>) =>
      act(license.id, "renew", { extend_by_seconds: 60 }, headers);
    await Promise.all([1, 2, 3, 4, 5].map(() => renew()));
    const headers = { "idempotency-key": crypto.randomUUID() };
    const first = await renew(headers);
    expect((await renew(headers)).body).toEqual(first.body);
    const end = Date.parse((await read(license.id)).body.expires_at);
    expect(end - Date.parse(license.expires_at)).toBe(6 * 60_000);
  });

  test("an impossible renewal is refused with the reason", async () => {
    expect((await act((await create()).id, "renew", { extend_by_seconds: 60 })).status).toBe(409);
    const { id } = await create({ expires_in_seconds: 60 });
    const wrong: [field: string, body: object][] = [
      ["expires_at", {}],
      ["expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
      ["extend_by_seconds", { extend_by_seconds: 60, expires_at: "2099-01-01T00:00:00Z" }],
      ["extend_by_seconds", { extend_by_seconds: -1 }],
    ];
    for (const [field, body] of wrong) expect(refusal(await act(id, "renew", body))).toEqual([422, field]);
  });

  test("a rotated key applies from the next request and keeps the IP addresses; the old key is unknown", async () => {
    const { id, license_key: old } = await create();
    await validate(old);
    const { body } = await act(id, "rotate-key");
    expect(body.license_key).not.toBe(old);
    expect(body.current_unique_ip_count).toBe(1);
    expect([await statusOf(old), await statusOf(body.license_key)]).toEqual(["license_not_found", "active"]);
    expect(await search(`q=${old}`)).toEqual([]);
    expect(await search(`q=${body.license_key}`)).toHaveLength(1);
    const rows = await auditOf(id);
    expect(rows.map((row) => row.action)).toContain("license.key_rotated");
    for (const key of [old, body.license_key]) expect(JSON.stringify(rows)).not.toContain(key);
  });

  test("a custom key can be set unless it is invalid or another license has it", async () => {
    const [one, two] = [await create({ license_key: "mine" }), await create()];
    const rotate = (id: string, key: string) => act(id, "rotate-key", { license_key: key });
    expect(refusal(await rotate(two.id, " MINE"))).toEqual([409, "license_key"]);
    for (const key of ["", "a\u202eb", "k".repeat(300)])
      expect(refusal(await rotate(two.id, key))).toEqual([422, "license_key"]);
    expect((await rotate(two.id, "yours")).body.license_key).toBe("yours");
    expect((await rotate(one.id, "Mine")).body.license_key).toBe("Mine");
  });
});
