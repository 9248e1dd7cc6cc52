import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

const who = { customer_email: "hostile@example.com" };
const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);
/** Too long for a field, but short enough for the body limit of every route. */
const long = "x".repeat(100_000);
const longFields = {
  metadata: { text: "m".repeat(8_000) },
  custom_override: { text: "o".repeat(16_000) },
  notes: "n".repeat(10_000),
};

/** Refused for creating and for changing a license: the field that is named, and the input. */
const wrongFields: [field: string, sent: object][] = [
  ["notes", { notes: "a\u0000b" }],
  ["notes", { notes: "a\ud800b" }],
  ["notes", { notes: 7 }],
  ["notes", { notes: "n".repeat(10_001) }],
  ["tags.0", { tags: ["a\u0000"] }],
  ["tags.1", { tags: ["fine", "\udc00"] }],
  ["tags.0", { tags: ["two\nlines"] }],
  ["tags.0", { tags: ["   "] }],
  ["tags.0", { tags: [""] }],
  ["tags.0", { tags: [5] }],
  ["tags", { tags: "vip" }],
  ["tags", { tags: null }],
  ["metadata", { metadata: long }],
  ["metadata", { metadata: { long } }],
  ["metadata", { metadata: nested(33) }],
  ["metadata", { metadata: nested(36) }],
  ["metadata", { metadata: "{}" }],
  ["metadata.a.b", { metadata: { a: { b: "\u0000" } } }],
  ["metadata.a\ufffd", { metadata: { "a\u0000": 1 } }],
  ["custom_override", { custom_override: [] }],
  ["custom_override.a", { custom_override: { a: "\ud800" } }],
  ["customer_email", { customer_email: "" }],
  ["customer_email", { customer_email: "a@b@c" }],
  ["customer_email", { customer_email: "a\u0000@b.c" }],
  ["customer_email", { customer_email: `${"a".repeat(251)}@b.c` }],
  ["customer_email", { customer_email: ["a@b.c"] }],
  ["customer_name", { customer_name: " " }],
  ["customer_name", { customer_name: "\ud83d" }],
  ["customer_discord_id", { customer_discord_id: 1_234_567_890 }],
  ["customer_discord_id", { customer_discord_id: "" }],
  ["max_ips", { max_ips: 1e21 }],
  ["max_ips", { max_ips: 1.5 }],
  ["max_ips", { max_ips: "5" }],
  ["max_ips", { max_ips: -1 }],
  ["max_ips", { max_ips: null }],
  ["ip_system_enabled", { ip_system_enabled: "true" }],
  ["is_lifetime", { is_lifetime: 1 }],
  ["expires_in_seconds", { expires_in_seconds: 0 }],
  ["expires_in_seconds", { expires_in_seconds: 9_007_199_254_740_991 }],
  ["term_seconds", { term_seconds: 0 }],
  ["term_seconds", { term_seconds: -5 }],
  ["expires_at", { expires_at: "" }],
  ["expires_at", { expires_at: "2031-02-30T00:00:00Z" }],
  ["expires_at", { expires_at: "2031-02-30" }],
  ["expires_at", { expires_at: "0001-01-01T00:00:00Z" }],
  ["expires_at", { expires_at: "9999-12-31T23:59:59-12:00" }],
  ["expires_at", { expires_at: 1_900_000_000 }],
  ["version_pinned", { version_pinned: "" }],
  ["version_pinned", { version_pinned: "9".repeat(65) }],
  ["version_pin_mode", { version_pin_mode: "latest" }],
  ["__proto__", JSON.parse('{"__proto__": {"is_lifetime": true}}')],
  ["constructor", { constructor: 1 }],
];

describe.each(databases)("hostile input for licenses on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let id: string;
  let path: string;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    path = `/products/${fixture.productId}/licenses`;
    id = (await fixture.owner.api.post(path, { ...who, license_key: "Hostile", max_ips: 2 })).body.id;
  }, 60_000);
  afterAll(() => fixture.close());

  const api = () => fixture.owner.api;
  const bulk = () => `/organizations/${fixture.organizationId}/licenses/bulk`;
  const refused = (answer: { status: number; body: { errors?: { field: string; message: string }[] } }) => {
    for (const { field, message } of answer.body.errors ?? []) expect(message).toStartWith(`${field} `);
    return [answer.status, answer.body.errors?.[0]?.field];
  };
  const inBulk = (sent: object) => api().post(bulk(), { selection: { ids: [id] }, ...sent });

  test.each(wrongFields)("%s is named when creating or changing a license, case %#", async (field, sent) => {
    const before = (await api().get(`/licenses/${id}`)).body;
    const isOwn = Object.hasOwn(sent, "__proto__");
    const body = isOwn ? JSON.parse(`{"customer_email":"a@b.c","__proto__":{}}`) : { ...who, ...sent };
    expect(refused(await api().post(path, body))).toEqual([422, field]);
    expect(refused(await api().post(path, { licenses: [who, body] }))).toEqual([422, `licenses.1.${field}`]);
    expect(refused(await api().patch(`/licenses/${id}`, sent))).toEqual([422, field]);
    expect((await api().get(`/licenses/${id}`)).body).toEqual(before);
  });

  const keys: [key: unknown, field: string][] = [
    ["", "license_key"],
    ["a\u0000b", "license_key"],
    ["\ud800", "license_key"],
    ["a\u202eb", "license_key"],
    ["k".repeat(300), "license_key"],
    [5, "license_key"],
    [null, "license_key"],
  ];
  test.each(keys)("the key %j is refused", async (key, field) => {
    expect(refused(await api().post(path, { ...who, license_key: key }))).toEqual([422, field]);
    const rotated = await api().post(`/licenses/${id}/rotate-key`, { license_key: key });
    expect(refused(rotated)).toEqual([422, field]);
  });

  test("surrounding white space and case do not make a different key", async () => {
    const { body } = await api().post(path, { ...who, license_key: "\t Spaced Key \u00a0" });
    expect(body.license_key).toBe("Spaced Key");
    expect(refused(await api().post(path, { ...who, license_key: "sPACED kEY" }))).toEqual([
      409,
      "license_key",
    ]);
    const mine = await api().post(`/licenses/${body.id}/rotate-key`, { license_key: "SPACED KEY" });
    expect(mine.body.license_key).toBe("SPACED KEY");
    const theirs = await api().post(`/licenses/${id}/rotate-key`, { license_key: " spaced key" });
    expect(refused(theirs)).toEqual([409, "license_key"]);
  });

  const manyWrong: [what: string, sent: object, field: string][] = [
    ["a count of 10,001", { ...who, count: 10_001 }, "count"],
    ["a thousand times 34 KB", { ...who, count: 1_000, ...longFields }, "custom_override"],
    ["a count of zero", { ...who, count: 0 }, "count"],
    ["a fractional count", { ...who, count: 0.5 }, "count"],
    ["a list of 10,001", { licenses: Array.from({ length: 10_001 }, () => who) }, "licenses"],
    ["an empty list", { licenses: [] }, "licenses"],
    ["a list of invalid elements", { licenses: Array.from({ length: 10_000 }, () => 5) }, "licenses.0"],
  ];
  test.each(manyWrong)("%s: refused with a short response", async (_, sent, field) => {
    const answer = await api().post(path, sent);
    expect(refused(answer)).toEqual([422, field]);
    expect(answer.text.length).toBeLessThan(20_000);
  });

  const actionsWrong: [path: string, sent: object, field: string][] = [
    ["revoke", { reason: "" }, "reason"],
    ["revoke", { reason: "a\u0000" }, "reason"],
    ["revoke", { reason: "r".repeat(501) }, "reason"],
    ["renew", {}, "expires_at"],
    ["renew", { extend_by_seconds: 0 }, "extend_by_seconds"],
    ["renew", { extend_by_seconds: 1e300 }, "extend_by_seconds"],
    ["renew", { expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
    ["renew", { expires_at: "2031-01-01T00:00:00Z", extend_by_seconds: 5 }, "extend_by_seconds"],
    ["ips", { ip: "" }, "ip"],
    ["ips", { ip: "10.0.0.0/8" }, "ip"],
    ["ips", { ip: "1.2.3" }, "ip"],
    ["ips", { ip: "\u0000" }, "ip"],
    ["ips", { ip: 16_909_060 }, "ip"],
  ];
  test.each(actionsWrong)("%s with %j is refused", async (action, sent, field) => {
    expect(refused(await api().post(`/licenses/${id}/${action}`, sent))).toEqual([422, field]);
  });

  const bulkWrong: [sent: object, field: string][] = [
    [{ action: "extend", extend_by_seconds: 0 }, "extend_by_seconds"],
    [{ action: "extend", extend_by_seconds: 3_155_760_001 }, "extend_by_seconds"],
    [{ action: "set_expiry", expires_at: "0001-01-01T00:00:00Z" }, "expires_at"],
    [{ action: "set_expiry" }, "expires_at"],
    [{ action: "set_max_ips", max_ips: 0 }, "max_ips"],
    [{ action: "add_tags", tags: ["\u0000"] }, "tags.0"],
    [{ action: "revoke", selection: { ids: Array.from({ length: 10_001 }, String) } }, "selection.ids"],
    [{ action: "revoke", selection: { ids: ["a\u0000"] } }, "selection.ids.0"],
    [{ action: "revoke", selection: { filter: { q: "ab" } } }, "selection.filter.q"],
    [{ action: "revoke", selection: { filter: { q: "abc\u0000" } } }, "selection.filter.q"],
    [{ action: "revoke", selection: { filter: { min_ips: "1" } } }, "selection.filter.min_ips"],
    [{ action: "revoke", selection: { ids: ["x"], filter: {} } }, "selection"],
    [{ action: "revoke", selection: {} }, "selection"],
    [{ action: "revoke", selection: "all" }, "selection"],
    [{ action: "revoke", dry_run: "no" }, "dry_run"],
    [{ action: "revoke", cursor: "" }, "cursor"],
    [{ action: "revoke", cursor: "x" }, "cursor"],
  ];
  test.each(bulkWrong)("a bulk action %j is refused", async (sent, field) => {
    expect(refused(await inBulk(sent))).toEqual([422, field]);
  });

  test("a cursor is valid for one list and one order", async () => {
    await api().post(path, { ...who, count: 3 });
    const list = `/organizations/${fixture.organizationId}/licenses?limit=1`;
    const cursor = (await api().get(list)).body.next_cursor;
    expect((await api().get(`${list}&cursor=${cursor}`)).status).toBe(200);
    const [name, at, last] = JSON.parse(Buffer.from(cursor, "base64url").toString());
    const forged = [
      [name, "1", last],
      [name, 1.5, last],
      [name, 1e300, last],
      [name, null, last],
      [name, at, "a\u0000"],
      [name, at, 5],
      [name, at],
      [at, last],
      ["bulk ids", at, last],
    ].map((values) => Buffer.from(JSON.stringify(values)).toString("base64url"));
    for (const wrong of [...forged, "", "%00", "x".repeat(2_000)])
      expect(refused(await api().get(`${list}&cursor=${wrong}`))).toEqual([422, "cursor"]);
    for (const other of ["sort=expires_at", "sort=updated_at", "order=asc"])
      expect(refused(await api().get(`${list}&${other}&cursor=${cursor}`))).toEqual([422, "cursor"]);
    expect(refused(await inBulk({ action: "revoke", cursor }))).toEqual([422, "cursor"]);
    const audit = `/organizations/${fixture.organizationId}/audit-log?limit=1`;
    const { next_cursor: foreign } = (await api().get(audit)).body;
    expect(refused(await api().get(`${list}&cursor=${foreign}`))).toEqual([422, "cursor"]);
    expect(refused(await api().get(`/licenses/${id}/ips?cursor=${cursor}`))).toEqual([422, "cursor"]);
  });

  const queries: [query: string, field: string][] = [
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=ten", "limit"],
    ["limit=", "limit"],
    ["q=ab", "q"],
    ["q=abc%00", "q"],
    [`q=${"x".repeat(101)}`, "q"],
    ["tag=", "tag"],
    ["status=gone", "status"],
    ["sort=license_key", "sort"],
    ["never_used=1", "never_used"],
    ["min_ips=-1", "min_ips"],
    ["min_ips=1e300", "min_ips"],
    ["expires_within_days=1.5", "expires_within_days"],
    ["customer_id=", "customer_id"],
  ];
  test.each(queries)("a list with %s is refused", async (query, field) => {
    for (const list of [path, `/organizations/${fixture.organizationId}/licenses`])
      expect(refused(await api().get(`${list}?${query}`))).toEqual([422, field]);
  });

  test("tags and searches accept every visible character", async () => {
    const odd = ["%", "_", "\\", "'", '"', "; drop table licenses", "😀", "*", "ﬁ", "a|b", "<b>"];
    const { body } = await api().post(path, { ...who, tags: odd });
    expect(body.tags).toHaveLength(odd.length);
    for (const tag of odd) {
      const found = await api().get(`${path}?tag=${encodeURIComponent(tag)}`);
      expect(found.body.data.map((one: { id: string }) => one.id)).toEqual([body.id]);
    }
    for (const q of ["%%%", "___", "'''", '"""', "***", "OR NOT", "a|b", "(((", "\\\\\\"])
      expect((await api().get(`${path}?q=${encodeURIComponent(q)}`)).status).toBe(200);
  });

  test("an empty update changes nothing, not even updated_at", async () => {
    const before = (await api().get(`/licenses/${id}`)).body;
    for (const body of [{}, { updated_at: before.updated_at }]) {
      const { status, body: after } = await api().patch(`/licenses/${id}`, body);
      expect([status, after]).toEqual([200, before]);
    }
    expect(refused(await api().patch(`/licenses/${id}`, [{ notes: "x" }]))).toEqual([422, "body"]);
    expect(refused(await api().patch(`/licenses/${id}`, null))).toEqual([422, "body"]);
    expect(
      (await api().send("PATCH", `/licenses/${id}`, "{", { "content-type": "application/json" })).status,
    ).toBe(400);
  });

  test("blank notes become null", async () => {
    const { body } = await api().post(path, { ...who, notes: " \n" });
    expect(body.notes).toBeNull();
    expect((await api().patch(`/licenses/${id}`, { notes: "" })).body.notes).toBeNull();
  });

  test("If-Match accepts one or several tags, weak tags and *, and refuses invalid ones", async () => {
    const license = (await api().post(path, who)).body;
    const patch = async (tag: (etag: string) => string) => {
      const etag = (await api().get(`/licenses/${license.id}`)).headers.get("etag") ?? "";
      return api().patch(
        `/licenses/${license.id}`,
        { notes: crypto.randomUUID() },
        { "if-match": tag(etag) },
      );
    };
    const taken = [
      (etag: string) => etag,
      (etag: string) => `W/${etag}`,
      (etag: string) => `"x", ${etag}`,
      () => "*",
    ];
    for (const tag of taken) expect((await patch(tag)).status).toBe(200);
    for (const tag of ['"x"', 'W/"x"', '"x", "*"', '""']) expect((await patch(() => tag)).status).toBe(412);
    for (const tag of ["x", '"x', "W/x", '"x" "y"', "**"]) {
      const answer = await patch(() => tag);
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe("invalid_if_match");
    }
  });
});
