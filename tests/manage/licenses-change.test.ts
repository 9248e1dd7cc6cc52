import { expect, test } from "bun:test";
import { hourMs } from "@countersign/domain/dates/lengths";
import { statusesAtOnce } from "../support/answers.ts";
import { auditOf } from "../support/audit-of.ts";
import { licensesOf, refusal } from "../support/licenses.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

const end = "2099-01-01T00:00:00.000Z";

testsOn("sqlite", "changing a license", openManageFixture, (fixture) => {
  const { create, patch, act, read, validate, list } = licensesOf(fixture);

  test("fields of a license that are not sent stay unchanged, and the audit log records what changed, if any", async () => {
    const license = await create({ notes: "kept", tags: ["one"], metadata: { a: 1 }, max_ips: 4 });
    const changed = { notes: "new", tags: ["one", "two"] };
    const { body } = await patch(license.id, changed);
    expect(body).toEqual({ ...license, ...changed, updated_at: body.updated_at });
    expect(Date.parse(body.updated_at)).toBeGreaterThan(Date.parse(license.updated_at));
    for (const nothing of [{}, { updated_at: body.updated_at }])
      expect((await patch(license.id, nothing)).body).toEqual(body);
    await patch(license.id, { notes: "new" });
    const log = await auditOf(fixture, license.id);
    expect(log).toMatchObject([
      { action: "license.created" },
      { action: "license.updated", actor_id: fixture.owner.userId },
    ]);
    expect(JSON.parse(log[1]?.before ?? "")).toEqual({ notes: "kept", tags: ["one"] });
    expect(JSON.parse(log[1]?.after ?? "")).toEqual(changed);
  });

  const byDiscord = { customer_email: null, customer_discord_id: "77" };
  const cleared = {
    ...{ notes: null, metadata: null, custom_override: null, customer_name: null },
    ...{ version_pin_mode: null, tags: [], ...byDiscord },
  };
  const filled = {
    ...{ notes: "n", metadata: { a: 1 }, custom_override: { a: 1 }, customer_name: "Ada" },
    ...{ version_pinned: "2.0", tags: ["x"] },
  };
  const range = { version_range_min: "1.0", version_range_max: "2.0" };
  const asRange = { ...range, version_pin_mode: "range", version_pinned: null };
  const openRange = { version_range_min: "1.0", version_range_max: null };
  const lifetime = { is_lifetime: true, expires_at: null, term_seconds: null };
  const term = { is_lifetime: false, expires_at: null, term_seconds: 60 };
  /** All that one change can mean: packages/domain/licenses/expiry.test.ts and version-pin.test.ts. */
  const changes: [what: string, created: object, sent: object, shown: object][] = [
    ["null clears optional fields", filled, cleared, { ...cleared, version_pinned: null }],
    ["an expiry can be removed", { expires_in_seconds: 60 }, { is_lifetime: true }, lifetime],
    ["a term can be set", { version_pinned: "1.0" }, { term_seconds: 60, ...range }, { ...term, ...asRange }],
    [
      "a term can be removed",
      { term_seconds: 60, ...range },
      { expires_at: null },
      { ...lifetime, ...range },
    ],
    [
      "a range can lose one end",
      range,
      { version_range_max: null, max_ips: 1 },
      { ...openRange, max_ips: 1 },
    ],
  ];
  test.each(changes)("%s", async (_, created, sent, shown) => {
    expect((await patch((await create({ max_ips: 3, ...created })).id, sent)).body).toMatchObject(shown);
  });

  /** What is wrong with every license: apps/server/features/licenses/refused-input.test.ts. */
  test("a change that contradicts the license is refused, and the field is named", async () => {
    const { id } = await create({ version_range_min: "1.0" });
    const { body } = await read(id);
    const wrong: [field: string, sent: object][] = [
      ["version_range_max", { version_range_max: "0.9" }],
      ["expires_at", { is_lifetime: false }],
      ["custom_override.a", { custom_override: { a: "{{nobody}}" } }],
      ["customer_email", { customer_email: null }],
    ];
    for (const [field, sent] of wrong) expect(refusal(await patch(id, sent))).toEqual([422, field]);
    expect((await read(id)).body).toEqual(body);
  });

  test("a later expiry reactivates an expired license immediately, and a new term counts from the first use", async () => {
    const { id, license_key: key } = await create({ expires_at: "2020-01-01T00:00:00Z" });
    expect((await validate(key)).status).toBe("expired");
    expect((await patch(id, { expires_at: end })).body.status).toBe("active");
    expect(await validate(key)).toMatchObject({ status: "active", expires: end });
    const { body } = await patch(id, { term_seconds: 3600 });
    expect(Date.parse(body.expires_at) - Date.parse(body.first_used_at)).toBe(hourMs);
  });

  test("another email address moves the license to that customer, and the first customer stays unchanged", async () => {
    const first = await create({ customer_email: "first@example.com", customer_name: "First" });
    const second = await create({ customer_email: "second@example.com", customer_name: "Second" });
    expect((await patch(first.id, { customer_email: "SECOND@example.com" })).body).toMatchObject({
      ...{ global_customer_id: second.global_customer_id, customer_email: "SECOND@example.com" },
      ...{ customer_name: "Second", customer_discord_id: null },
    });
    const other = await create({ customer_email: "first@example.com" });
    expect(other).toMatchObject({ global_customer_id: first.global_customer_id, customer_name: "First" });
    // A name that is set through one license is found on the customer's others.
    await patch(first.id, { customer_name: "Grace Hopper" });
    const found = await list("q=ace%20hop&order=asc");
    expect(found.map(({ id }: { id: string }) => id)).toEqual([first.id, second.id]);
  });

  test("a stale update of a license is refused, and so are all but one of concurrent updates with If-Match", async () => {
    const license = await create();
    await patch(license.id, { notes: "first" });
    expect((await patch(license.id, { notes: "late", updated_at: license.updated_at })).status).toBe(412);
    const { headers, body } = await read(license.id);
    expect(body.notes).toBe("first");
    const guard = { "if-match": headers.get("etag") ?? "" };
    const statuses = await statusesAtOnce(6, (index) => patch(license.id, { notes: `n${index}` }, guard));
    expect(statuses).toEqual([200, 412, 412, 412, 412, 412]);
  });

  test("If-Match accepts one or several tags, weak tags and *, and refuses invalid ones", async () => {
    const { id } = await create();
    const matches: Record<number, string[]> = {
      200: ["ETAG", "W/ETAG", '"x", ETAG', "*"],
      412: ['"x"', 'W/"x"', '"x", "*"', '""'],
      400: ["x", '"x', "W/x", '"x" "y"', "**"],
    };
    for (const [status, headers] of Object.entries(matches))
      for (const header of headers) {
        const tag = header.replace("ETAG", (await read(id)).headers.get("etag") ?? "");
        const answer = await patch(id, { notes: crypto.randomUUID() }, { "if-match": tag });
        expect([header, answer.status]).toEqual([header, Number(status)]);
        if (answer.status === 400) expect(answer.body.code).toBe("invalid_if_match");
      }
  });

  test("a license is revoked, reinstated and deleted from the next validation on, and nothing of it comes back", async () => {
    const { id, license_key: key } = await create({ tags: ["gone"] });
    const statusOf = async () => (await validate(key)).status;
    const revoked = await act(id, "revoke", { reason: "Charged back" });
    expect(revoked.body).toMatchObject({ status: "revoked", revoked_reason: "Charged back" });
    expect(await statusOf()).toBe("revoked");
    expect((await act(id, "revoke", { reason: "Second" })).body).toEqual(revoked.body);
    const back = await act(id, "reinstate");
    expect(back.body).toMatchObject({ status: "active", revoked_at: null, revoked_reason: null });
    expect(await statusOf()).toBe("active");
    const remove = async () => (await fixture.owner.api.delete(`/licenses/${id}`)).status;
    expect([await remove(), await remove(), (await read(id)).status]).toEqual([204, 404, 404]);
    expect(await statusOf()).toBe("license_not_found");
    const audited = (await auditOf(fixture, id)).map(({ action }) => action);
    expect(audited).toEqual(["created", "revoked", "reinstated", "deleted"].map((what) => `license.${what}`));
    expect((await create({ license_key: key })).current_unique_ip_count).toBe(0);
    expect(await list("tag=gone")).toEqual([]);
  });

  /** Where an extension starts: packages/store/queries/licenses/changes.test.ts. */
  test("a renewal lengthens a license, or ends it at a date, unless that is impossible, and all renewals count", async () => {
    const { id, license_key: key } = await create({ expires_at: "2020-01-01T00:00:00Z" });
    const renew = (body: object) => act(id, "renew", body);
    expect((await renew({ extend_by_seconds: 3600 })).body.status).toBe("active");
    expect((await validate(key)).status).toBe("active");
    expect((await renew({ expires_at: end })).body.expires_at).toBe(end);
    await Promise.all([1, 2, 3, 4, 5].map(() => renew({ extend_by_seconds: 60 })));
    expect(Date.parse((await read(id)).body.expires_at) - Date.parse(end)).toBe(5 * 60_000);
    const wrong: [field: string, body: object][] = [
      ["expires_at", {}],
      ["expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
      ["extend_by_seconds", { extend_by_seconds: 60, expires_at: end }],
    ];
    for (const [field, body] of wrong) expect(refusal(await renew(body))).toEqual([422, field]);
    const term = await act((await create({ term_seconds: 60 })).id, "renew", { extend_by_seconds: 30 });
    expect(term.body).toMatchObject({ term_seconds: 90, expires_at: null });
    expect((await act((await create()).id, "renew", { extend_by_seconds: 60 })).status).toBe(409);
  });

  test("a rotated key applies from the next request and keeps the IP addresses; the old key is unknown", async () => {
    const [{ id, license_key: old }, other] = [await create(), await create({ license_key: "mine" })];
    await validate(old);
    const rotate = (license_key?: string) => act(id, "rotate-key", { license_key });
    const { body } = await rotate();
    expect(body.license_key).not.toBe(old);
    expect(body.current_unique_ip_count).toBe(1);
    const statuses = [await validate(old), await validate(body.license_key)].map(({ status }) => status);
    expect(statuses).toEqual(["license_not_found", "active"]);
    expect(await list(`q=${old}`)).toEqual([]);
    expect(await list(`q=${body.license_key}`)).toHaveLength(1);
    const log = await auditOf(fixture, id);
    expect(log.at(-1)?.action).toBe("license.key_rotated");
    for (const key of [old, body.license_key]) expect(JSON.stringify(log)).not.toContain(key);

    expect(refusal(await rotate(" MINE"))).toEqual([409, "license_key"]);
    expect(refusal(await rotate("a\u202eb"))).toEqual([422, "license_key"]);
    expect((await rotate("yours")).body.license_key).toBe("yours");
    expect((await act(other.id, "rotate-key", { license_key: "Mine" })).body.license_key).toBe("Mine");
  });
});
