import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { permissions } from "@countersign/domain/members/permissions";
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
  beforeAll(async () => {
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

  test("the creating response alone shows the whole token, and only its hash is stored", async () => {
    for (const path of paths()) {
      const { id, token, prefix } = await create(path, { expires_at: null });
      expect(token).toMatch(/^cst_[\w-]{43}$/);
      expect(prefix).toBe(token.slice(0, 10));
      expect((await fixture.owner.api.get(path)).text).not.toContain(token);
      expect(await listed(path, id)).toMatchObject({ ...wanted, prefix, last_used_at: null });
      for (const table of ["access_tokens", "audit_log", "idempotency_keys"] as const) {
        const rows = await fixture.store.reads.selectFrom(table).selectAll().execute();
        expect(JSON.stringify(rows)).not.toContain(token);
      }
    }
  });

  test("a token has only its permissions, and stops working with the next request once it is revoked or expired", async () => {
    for (const path of paths()) {
      const { id, api } = await create(path);
      expect((await api.get(product)).status).toBe(200);
      expect((await api.patch(product, { name: "X" })).status).toBe(403);
      expect((await listed(path, id)).last_used_at).not.toBeNull();
      const revoke = async () => (await fixture.owner.api.delete(`${path}/${id}`)).status;
      expect([await revoke(), await revoke()]).toEqual([204, 404]);
      const refused = await api.get(product);
      expect(refused.status).toBe(401);
      expect(refused.headers.get("www-authenticate")).toContain("invalid_token");
      const short = await create(path, { expires_at: inSeconds(3600) });
      expect((await short.api.get(product)).status).toBe(200);
      await fixture.store.transaction((db) =>
        db
          .updateTable("access_tokens")
          .set({ expires_at: Date.now() - 1_000 })
          .where("id", "=", short.id)
          .execute(),
      );
      expect((await short.api.get(product)).status).toBe(401);
    }
  });

  test("nobody can grant a token a permission they do not have", async () => {
    const member = await fixture.member(["organization:manage", "products:view"]);
    const more = { name: "More", permissions: ["products:view", "licenses:delete"] };
    const refused = await member.api.post(organizationTokens, more);
    expect(refused.status).toBe(403);
    expect(refused.body.errors[0]).toMatchObject({
      field: "permissions",
      code: "permissions_exceeded",
      params: { permissions: ["licenses:delete"] },
    });
    expect((await member.api.post(organizationTokens, wanted)).status).toBe(201);
  });

  test("a member who is removed cannot create an organization token in the meantime", async () => {
    for (let round = 0; round < 5; round++) {
      const member = await fixture.member(["organization:manage", "licenses:view"]);
      const body = { name: `Of ${member.userId}`, permissions: ["licenses:view"] };
      const [gone, ...made] = await Promise.all([
        fixture.owner.api.delete(`${organization}/members/${member.userId}`),
        ...Array.from({ length: 5 }, () => member.api.post(organizationTokens, body)),
      ]);
      expect(gone?.status).toBe(204);
      for (const { status } of made) expect([201, 404]).toContain(status);
      const created = await fixture.store.reads
        .selectFrom("audit_log")
        .select("id")
        .where("action", "=", "access_token.created")
        .where("subject_name", "=", body.name)
        .execute();
      expect(created).toHaveLength(made.filter(({ status }) => status === 201).length);
      expect((await member.api.post(organizationTokens, body)).status).toBe(404);
    }
  });

  test("a token cannot create a token that outlives it", async () => {
    const latest = inSeconds(3600);
    for (const path of paths()) {
      const { api } = await create(path, { permissions, expires_at: latest });
      for (const expires_at of [null, inSeconds(7200)]) {
        const refused = await api.post(path, { ...wanted, expires_at });
        expect(refused.status).toBe(422);
        expect(refused.body.errors).toMatchObject([
          { field: "expires_at", code: "after_token_expiry", params: { latest } },
        ]);
      }
      expect((await api.post(path, { ...wanted, expires_at: latest })).status).toBe(201);
    }
  });

  test("nobody can revoke an organization token with more permissions than their own", async () => {
    const strong = await create(organizationTokens, { permissions });
    const weak = await create(organizationTokens);
    const managing = ["organization:manage", "products:view"] as const;
    const member = await fixture.member(managing);
    const token = await create(organizationTokens, { permissions: managing });
    for (const api of [member.api, token.api]) {
      const refused = await api.delete(`${organizationTokens}/${strong.id}`);
      expect([refused.status, refused.body.code]).toEqual([403, "outranked"]);
      expect(refused.body.params.permissions).toContain("products:manage");
      expect(refused.body.params.permissions).not.toContain("products:view");
    }
    expect((await strong.api.get(product)).status).toBe(200);
    expect((await member.api.delete(`${organizationTokens}/${weak.id}`)).status).toBe(204);
    expect((await fixture.owner.api.delete(`${organizationTokens}/${strong.id}`)).status).toBe(204);
  });

  test("a token does not list organizations in which it has no permission", async () => {
    const member = await fixture.member(["products:view"]);
    const made = await fixture.store.transaction((db) =>
      addToken(db, { userId: member.userId }, Date.now(), null, ["licenses:view"]),
    );
    const api = withToken(made.token);
    expect((await member.api.get("/organizations")).body.data).toHaveLength(1);
    expect((await api.get("/organizations")).body.data).toEqual([]);
    expect((await api.get(organization)).status).toBe(404);
  });

  test("tokens of one user do not share their idempotency keys", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    const { api } = await create(mine, { permissions });
    const body = { name: "Role", permissions: [] };
    const first = await fixture.owner.api.post(`${organization}/roles`, body, headers);
    const second = await api.post(`${organization}/roles`, { ...body, name: "Another" }, headers);
    expect([first.status, second.status, second.body.name]).toEqual([201, 201, "Another"]);
  });

  test("a refusal names the fields", async () => {
    for (const [body, fields] of [
      [{}, ["name", "permissions"]],
      [{ name: "x", permissions: [] }, ["permissions"]],
      [{ name: "x", permissions: ["everything"] }, ["permissions.0"]],
      [{ ...wanted, expires_at: "2020-01-01T00:00:00Z" }, ["expires_at"]],
    ] as const) {
      const answer = await fixture.owner.api.post(mine, body);
      expect(answer.status).toBe(422);
      const named = answer.body.errors.map((error: { field: string }) => error.field);
      expect(named.sort()).toEqual([...fields]);
    }
  });

  test("the audit log records creation and revocation with the acting token and without the secret", async () => {
    const { api } = await create(organizationTokens, { permissions });
    const { body } = await api.post(organizationTokens, wanted);
    await fixture.owner.api.delete(`${organizationTokens}/${body.id}`);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("organization_id", "=", fixture.organizationId)
      .where("subject_id", "=", body.id)
      .orderBy("id")
      .execute();
    expect(rows).toMatchObject([
      { action: "access_token.created", actor_kind: "token", subject_kind: "access_token" },
      { action: "access_token.revoked", actor_kind: "person", subject_kind: "access_token" },
    ]);
    expect(rows.every((row) => row.access_token_id !== null)).toBe(true);
    expect(JSON.stringify(rows)).not.toContain(body.token);
  });
});
