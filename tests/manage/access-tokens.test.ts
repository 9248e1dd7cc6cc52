import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { permissions } from "@countersign/domain/members/permissions";
import { problemOf, refusedFields } from "../support/answers.ts";
import { auditOf } from "../support/audit-of.ts";
import { addToken } from "../support/filled-organization.ts";
import { manageClient } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

setDefaultTimeout(60_000);

const mine = "/me/access-tokens";
const wanted = { name: "CI", permissions: ["products:view"] };

/** Which tokens may call which routes, of which organizations, is tested in tests/routes. */
testsOn("postgres", "access tokens", openManageFixture, (fixture) => {
  let organization: string;
  let organizationTokens: string;
  let product: string;
  beforeAll(() => {
    organization = `/organizations/${fixture.organizationId}`;
    organizationTokens = `${organization}/access-tokens`;
    product = `/products/${fixture.productId}`;
  });

  const withToken = (token: string) => manageClient(fixture.server.url, token);
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  /** Both kinds: a user's own, and an organization's. */
  const paths = () => [mine, organizationTokens];
  const create = async (path: string, body: object = {}) => {
    const { status, body: made } = await fixture.owner.api.post(path, { ...wanted, ...body });
    expect(status).toBe(201);
    return { ...made, api: withToken(made.token) };
  };
  const listed = async (path: string, id: string) =>
    (await fixture.owner.api.get(path)).body.data.find((token: { id: string }) => token.id === id);

  /** What an Idempotency-Key stores of it: secrets-once.test.ts. */
  test("the creating response alone shows the whole token, and only its hash is stored", async () => {
    for (const path of paths()) {
      const { id, token, prefix } = await create(path, { expires_at: null });
      expect(token).toMatch(/^cst_[\w-]{43}$/);
      expect(prefix).toBe(token.slice(0, 10));
      expect((await fixture.owner.api.get(path)).text).not.toContain(token);
      expect(await listed(path, id)).toMatchObject({ ...wanted, prefix, last_used_at: null });
      expect(JSON.stringify(await fixture.stored("access_tokens", { id }))).not.toContain(token);
    }
  });

  test("a token has only its permissions, and stops working with the next request once it is revoked or expired", async () => {
    for (const path of paths()) {
      const { id, api } = await create(path, { expires_at: inSeconds(3600) });
      expect((await api.get(product)).status).toBe(200);
      expect((await api.patch(product, { name: "X" })).status).toBe(403);
      expect((await listed(path, id)).last_used_at).not.toBeNull();
      await fixture.change("access_tokens", { id }, { expires_at: Date.now() - 1_000 });
      expect((await api.get(product)).status).toBe(401);
      await fixture.change("access_tokens", { id }, { expires_at: null });
      const revoke = async () => (await fixture.owner.api.delete(`${path}/${id}`)).status;
      expect([await revoke(), await revoke()]).toEqual([204, 404]);
      const refused = await api.get(product);
      expect(refused.status).toBe(401);
      expect(refused.headers.get("www-authenticate")).toContain("invalid_token");
    }
  });

  test("a member who is removed cannot create an organization token in the meantime", async () => {
    for (let round = 0; round < 5; round++) {
      const { userId, api } = await fixture.member(["organization:manage", "licenses:view"]);
      const body = { name: `Of ${userId}`, permissions: ["licenses:view"] };
      const [gone, ...made] = await Promise.all([
        fixture.owner.api.delete(`${organization}/members/${userId}`),
        ...Array.from({ length: 5 }, () => api.post(organizationTokens, body)),
      ]);
      expect(gone?.status).toBe(204);
      for (const { status } of made) expect([201, 404]).toContain(status);
      const audited = { action: "access_token.created", subject_name: body.name };
      const created = made.filter(({ status }) => status === 201);
      expect(await fixture.stored("audit_log", audited)).toHaveLength(created.length);
      expect((await api.post(organizationTokens, body)).status).toBe(404);
    }
  });

  test("a token cannot create a token that outlives it", async () => {
    const latest = inSeconds(3600);
    const error = { field: "expires_at", code: "after_token_expiry", params: { latest } };
    for (const path of paths()) {
      const { api } = await create(path, { permissions, expires_at: latest });
      for (const expires_at of [null, inSeconds(7200)]) {
        const refused = await api.post(path, { ...wanted, expires_at });
        expect(refused).toMatchObject({ status: 422, body: { errors: [error] } });
      }
      expect((await api.post(path, { ...wanted, expires_at: latest })).status).toBe(201);
    }
  });

  test("nobody can grant a token a permission that they do not have, or revoke one that has more than they", async () => {
    const strong = await create(organizationTokens, { permissions });
    const weak = await create(organizationTokens);
    const managing = ["organization:manage", "products:view"] as const;
    const member = await fixture.member(managing);
    const token = await create(organizationTokens, { permissions: managing });
    const more = { name: "More", permissions: ["products:view", "licenses:delete"] };
    const [field, code] = ["permissions", "permissions_exceeded"];
    const errors = [{ field, code, params: { permissions: ["licenses:delete"] } }];
    for (const api of [member.api, token.api]) {
      expect(await api.post(organizationTokens, more)).toMatchObject({ status: 403, body: { errors } });
      expect((await api.post(organizationTokens, wanted)).status).toBe(201);
      const refused = await api.delete(`${organizationTokens}/${strong.id}`);
      expect(problemOf(refused)).toEqual([403, "outranked"]);
      expect(refused.body.params.permissions).toContain("products:manage");
      expect(refused.body.params.permissions).not.toContain("products:view");
    }
    expect((await strong.api.get(product)).status).toBe(200);
    expect((await member.api.delete(`${organizationTokens}/${weak.id}`)).status).toBe(204);
    expect((await fixture.owner.api.delete(`${organizationTokens}/${strong.id}`)).status).toBe(204);
  });

  test("a token does not list organizations in which it has no permission", async () => {
    const { userId, api: all } = await fixture.member(["products:view"]);
    const other = ["licenses:view"] as const;
    const made = await fixture.store.transaction((db) => addToken(db, { userId }, Date.now(), null, other));
    const api = withToken(made.token);
    expect((await all.get("/organizations")).body.data).toHaveLength(1);
    expect((await api.get("/organizations")).body.data).toEqual([]);
    expect((await api.get(organization)).status).toBe(404);
  });

  test.each<[body: object, ...fields: string[]]>([
    [{ name: "x", permissions: [] }, "permissions"],
    [{ permissions: ["everything"] }, "name", "permissions.0"],
    [{ ...wanted, expires_at: "2020-01-01T00:00:00Z" }, "expires_at"],
  ])("a token with %j is refused with the fields", async (body, ...fields) => {
    expect(refusedFields(await fixture.owner.api.post(mine, body))).toEqual([422, ...fields]);
  });

  test("the audit log records creation and revocation with the acting token and without the secret", async () => {
    const { api } = await create(organizationTokens, { permissions });
    const { body } = await api.post(organizationTokens, wanted);
    await fixture.owner.api.delete(`${organizationTokens}/${body.id}`);
    const { organizationId: organization_id } = fixture;
    const entry = { organization_id, subject_kind: "access_token", access_token_id: expect.any(String) };
    const log = await auditOf(fixture, body.id);
    expect(JSON.stringify(log)).not.toContain(body.token);
    expect(log).toMatchObject([
      { action: "access_token.created", actor_kind: "token", ...entry },
      { action: "access_token.revoked", actor_kind: "person", ...entry },
    ]);
  });
});
