import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { verifyBody } from "@countersign/domain/signing/signature";
import { apiOf } from "../support/api.ts";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

describe.each(databases)("signing secrets on $kind", ({ make }) => {
  let fixture: ManageFixture;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
  });
  afterAll(() => fixture.close());

  const product = async () => {
    const { body } = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/products`, {
      name: "Signed",
      signed_validation: true,
    });
    const api = apiOf(fixture.server.url, body.api_key);
    const id = String(body.id);
    /** The ID of the secret that signs the next response, verified as an application would. */
    const signedWith = async (keys: readonly { id: string; secret: string }[]) => {
      const { text } = await api.validate({ license_key: "AAAA" });
      const signer = /k=([^,]*),/.exec(text)?.[1] ?? null;
      const verdict = verifyBody(text, {
        secretFor: (keyId) => {
          const known = keys.find((key) => key.id === keyId);
          return known === undefined ? null : Buffer.from(known.secret, "hex");
        },
        productId: id,
        licenseKeyAsSent: "AAAA",
        nonce: "",
        nowUnixSeconds: Math.floor(Date.now() / 1000),
        toleranceSeconds: 60,
      });
      return verdict.ok ? signer : verdict.reason;
    };
    return { id, signedWith };
  };
  const reveal = async (id: string) =>
    (await fixture.owner.api.post(`/products/${id}/reveal-signing-secret`)).body;
  const rotate = (id: string, body?: object) =>
    fixture.owner.api.post(`/products/${id}/rotate-signing-secret`, body);

  test("the revealed secret is the one that signs responses", async () => {
    const { id, signedWith } = await product();
    const { current, upcoming } = await reveal(id);
    expect(current.secret).toMatch(/^[0-9a-f]{64}$/);
    expect(upcoming).toBeNull();
    expect(await signedWith([current])).toBe(current.id);
  });

  test("a new secret is revealed before it signs", async () => {
    const { id, signedWith } = await product();
    const { current } = await reveal(id);
    const { body: next, status } = await rotate(id, { overlap_seconds: 600 });
    expect(status).toBe(200);
    expect(await reveal(id)).toEqual({ current, upcoming: next });
    expect(await signedWith([current, next])).toBe(current.id);
    await fixture.store.transaction((db) =>
      db
        .updateTable("product_signing_keys")
        .set((row) => ({ active_from: row("active_from", "-", 600_000) }))
        .where("id", "=", next.id)
        .execute(),
    );
    expect(await signedWith([current, next])).toBe(next.id);
    expect(await reveal(id)).toMatchObject({ current: { id: next.id, secret: next.secret }, upcoming: null });
  });

  test("without an overlap, a new secret signs immediately, even twice in a row", async () => {
    const { id, signedWith } = await product();
    const { body: first } = await rotate(id, { overlap_seconds: 0 });
    const { body: second } = await rotate(id, { overlap_seconds: 0 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await signedWith([first, second])).toBe(second.id);
  });

  test("an upcoming secret that is replaced never signs", async () => {
    const { id, signedWith } = await product();
    const { body: waiting } = await rotate(id);
    const { body: urgent } = await rotate(id, { overlap_seconds: 0 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await signedWith([waiting, urgent])).toBe(urgent.id);
    expect(await reveal(id)).toEqual({ current: urgent, upcoming: null });
  });

  test("concurrent rotations leave one upcoming secret", async () => {
    const { id } = await product();
    const before = await reveal(id);
    const answers = await Promise.all(Array.from({ length: 6 }, () => rotate(id)));
    const { current, upcoming } = await reveal(id);
    expect(current).toEqual(before.current);
    expect(answers.map((answer) => answer.body)).toContainEqual(upcoming);
    const rows = await fixture.store.reads
      .selectFrom("product_signing_keys")
      .select("id")
      .where("product_id", "=", id)
      .execute();
    expect(rows).toHaveLength(2);
  });

  test("the audit log records every reveal and rotation without the secret", async () => {
    const { id } = await product();
    const { current } = await reveal(id);
    const { body: next } = await rotate(id);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("subject_id", "=", id)
      .orderBy("id")
      .execute();
    expect(rows.map((row) => row.action)).toEqual([
      "product.created",
      "product.signing_secret_revealed",
      "product.signing_secret_rotated",
    ]);
    expect(rows[1]?.after).toContain(current.id);
    expect(rows[2]?.after).toContain(next.id);
    for (const { secret } of [current, next]) expect(JSON.stringify(rows)).not.toContain(secret);
    expect((await fixture.owner.api.get(`/products/${id}`)).text).not.toContain(current.secret);
  });

  test.each([-1, 2_592_001])("an overlap of %p is refused with the field's name", async (overlap) => {
    const { status, body } = await rotate(fixture.productId, { overlap_seconds: overlap });
    expect(status).toBe(422);
    expect(body.errors[0].field).toBe("overlap_seconds");
  });
});
