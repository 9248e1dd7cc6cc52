import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

const hourMs = 3_600_000;

describe.each(databases)("the lifecycle of a license on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  const create = async (body: object = {}) =>
    (
      await fixture.owner.api.post(`/products/${fixture.productId}/licenses`, {
        customer_email: "a@b.c",
        ...body,
      })
    ).body;
  const act = (id: string, action: string, body?: object, headers?: Record<string, string>) =>
    fixture.owner.api.post(`/licenses/${id}/${action}`, body, headers);
  const statusOf = async (key: string) =>
    (await fixture.publicApi.validate({ license_key: key })).body.status;
  const actionsOn = async (id: string) =>
    (
      await fixture.store.reads
        .selectFrom("audit_log")
        .select("action")
        .where("subject_id", "=", id)
        .orderBy("id")
        .execute()
    ).map((row) => row.action);

  test("revoking and reinstating apply from the next validation", async () => {
    const license = await create();
    expect(await statusOf(license.license_key)).toBe("active");
    const revoked = await act(license.id, "revoke", { reason: "Charged back" });
    expect(revoked.status).toBe(200);
    expect(revoked.body).toMatchObject({ status: "revoked", revoked_reason: "Charged back" });
    expect(await statusOf(license.license_key)).toBe("revoked");
    const back = await act(license.id, "reinstate");
    expect(back.body).toMatchObject({ status: "active", revoked_at: null, revoked_reason: null });
    expect(await statusOf(license.license_key)).toBe("active");
    expect(await actionsOn(license.id)).toEqual(["license.created", "license.revoked", "license.reinstated"]);
  });

  test("revoking twice keeps the first time and reason and is audited once", async () => {
    const license = await create();
    const first = await act(license.id, "revoke", { reason: "first" });
    const second = await act(license.id, "revoke", { reason: "second" });
    expect(second.body).toEqual(first.body);
    expect(await actionsOn(license.id)).toEqual(["license.created", "license.revoked"]);
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
    expect(end).toBeGreaterThanOrEqual(before + hourMs - 1_000);
    expect(end).toBeLessThanOrEqual(Date.now() + hourMs + 1_000);
    expect(await statusOf(expired.license_key)).toBe("active");
  });

  test("concurrent renewals all count", async () => {
    const license = await create({ expires_in_seconds: 3600 });
    await Promise.all(Array.from({ length: 5 }, () => act(license.id, "renew", { extend_by_seconds: 60 })));
    const { body } = await fixture.owner.api.get(`/licenses/${license.id}`);
    expect(Date.parse(body.expires_at) - Date.parse(license.expires_at)).toBe(5 * 60_000);
  });

  test("a renewal repeated with the same Idempotency-Key counts once", async () => {
    const license = await create({ expires_in_seconds: 3600 });
    const headers = { "idempotency-key": crypto.randomUUID() };
    const first = await act(license.id, "renew", { extend_by_seconds: 60 }, headers);
    const second = await act(license.id, "renew", { extend_by_seconds: 60 }, headers);
    expect(second.body).toEqual(first.body);
  });

  test("a license can be renewed until a date, and a term that has not started gets longer", async () => {
    const license = await create({ expires_in_seconds: 60 });
    const { body } = await act(license.id, "renew", { expires_at: "2099-01-01T00:00:00Z" });
    expect(body.expires_at).toBe("2099-01-01T00:00:00.000Z");
    const term = await create({ term_seconds: 60 });
    expect((await act(term.id, "renew", { extend_by_seconds: 30 })).body).toMatchObject({
      term_seconds: 90,
      expires_at: null,
    });
  });

  test("an impossible renewal is refused with the reason", async () => {
    const lifetime = await create();
    expect((await act(lifetime.id, "renew", { extend_by_seconds: 60 })).status).toBe(409);
    const license = await create({ expires_in_seconds: 60 });
    const wrong: [field: string, body: object][] = [
      ["expires_at", {}],
      ["expires_at", { expires_at: "2020-01-01T00:00:00Z" }],
      ["extend_by_seconds", { extend_by_seconds: 60, expires_at: "2099-01-01T00:00:00Z" }],
      ["extend_by_seconds", { extend_by_seconds: -1 }],
    ];
    for (const [field, body] of wrong) {
      const answer = await act(license.id, "renew", body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0].field).toBe(field);
    }
  });

  test("a rotated key applies from the next request and keeps the IP addresses; the old key is unknown", async () => {
    const license = await create();
    await statusOf(license.license_key);
    const { body } = await act(license.id, "rotate-key");
    expect(body.license_key).not.toBe(license.license_key);
    expect(body.current_unique_ip_count).toBe(1);
    expect(await statusOf(license.license_key)).toBe("license_not_found");
    expect(await statusOf(body.license_key)).toBe("active");
    const search = (q: string) =>
      fixture.owner.api.get(`/organizations/${fixture.organizationId}/licenses?q=${encodeURIComponent(q)}`);
    expect((await search(license.license_key)).body.data).toEqual([]);
    expect((await search(body.license_key)).body.data).toHaveLength(1);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", license.id)
      .execute();
    expect(rows.map((row) => row.action)).toContain("license.key_rotated");
    expect(JSON.stringify(rows)).not.toContain(body.license_key);
    expect(JSON.stringify(rows)).not.toContain(license.license_key);
  });

  test("a custom key can be set unless another license has it", async () => {
    const [one, two] = [await create({ license_key: "mine" }), await create()];
    expect((await act(two.id, "rotate-key", { license_key: "MINE" })).status).toBe(409);
    expect((await act(two.id, "rotate-key", { license_key: "yours" })).body.license_key).toBe("yours");
    expect((await act(one.id, "rotate-key", { license_key: "Mine" })).body.license_key).toBe("Mine");
  });

  test("each action needs its permission, and outsiders get 404", async () => {
    const license = await create({ expires_in_seconds: 60 });
    const needs: [
      action: string,
      permission: "licenses:revoke" | "licenses:update" | "licenses:reset_ips",
    ][] = [
      ["revoke", "licenses:revoke"],
      ["reinstate", "licenses:revoke"],
      ["renew", "licenses:update"],
      ["rotate-key", "licenses:update"],
      ["reset-ips", "licenses:reset_ips"],
    ];
    const otherUser = await fixture.person();
    for (const [action, permission] of needs) {
      const path = `/licenses/${license.id}/${action}`;
      const body = action === "renew" ? { extend_by_seconds: 60 } : undefined;
      const others = needs.map(([, other]) => other).filter((other) => other !== permission);
      expect((await (await fixture.member(others)).api.post(path, body)).status).toBe(403);
      expect((await (await fixture.member([permission])).api.post(path, body)).status).toBe(200);
      expect((await otherUser.api.post(path, body)).status).toBe(404);
    }
  });
});
