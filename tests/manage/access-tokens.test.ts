import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { permissions } from "@countersign/domain/members/permissions";
import { databases } from "../support/databases.ts";
import { addToken } from "../support/filled-organization.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

setDefaultTimeout(60_000);

describe.each(databases)("access tokens on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let organizationTokens: string;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    organizationTokens = `/organizations/${fixture.organizationId}/access-tokens`;
  });
  afterAll(() => fixture.close());

  const mine = "/me/access-tokens";
  const withToken = (token: string) => manageClient(fixture.server.url, token);
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  const wanted = { name: "CI", permissions: ["products:view"] };

  test("the creating response alone shows the whole token, and only its hash is stored", async () => {
    for (const path of [mine, organizationTokens]) {
      const made = await fixture.owner.api.post(path, { ...wanted, expires_at: null });
      expect(made.status).toBe(201);
      expect(made.body.token).toMatch(/^cst_[\w-]{43}$/);
      expect(made.body.token).toStartWith(made.body.prefix);
      const listed = await fixture.owner.api.get(path);
      expect(listed.text).not.toContain(made.body.token);
      const shown = listed.body.data.find((token: { id: string }) => token.id === made.body.id);
      expect(shown).toMatchObject({ name: "CI", permissions: ["products:view"], last_used_at: null });
      for (const table of ["access_tokens", "audit_log", "idempotency_keys"] as const) {
        const rows = await fixture.store.reads.selectFrom(table).selectAll().execute();
        expect(JSON.stringify(rows)).not.toContain(made.body.token);
      }
    }
  });

  test("a personal token has only its permissions, in the organizations of its user", async () => {
    const { body } = await fixture.owner.api.post(mine, wanted);
    const api = withToken(body.token);
    expect((await api.get(`/products/${fixture.productId}`)).status).toBe(200);
    expect((await api.patch(`/products/${fixture.productId}`, { name: "X" })).status).toBe(403);
    const listed = await fixture.owner.api.get(mine);
    const used = listed.body.data.find((token: { id: string }) => token.id === body.id);
    expect(used.last_used_at).not.toBeNull();
  });

  test("an organization's token works only in that organization and acts for no user", async () => {
    const { body } = await fixture.owner.api.post(organizationTokens, wanted);
    const api = withToken(body.token);
    expect((await api.get(`/products/${fixture.productId}`)).status).toBe(200);
    expect((await api.get(mine)).status).toBe(403);
    expect((await api.post(mine, wanted)).status).toBe(403);
    const otherUser = await fixture.person();
    const other = await otherUser.api.post("/organizations", { name: "Other" });
    expect((await api.get(`/organizations/${other.body.id}`)).status).toBe(404);
  });

  test("a revoked or expired token stops working with the next request", async () => {
    for (const path of [mine, organizationTokens]) {
      const { body } = await fixture.owner.api.post(path, wanted);
      const api = withToken(body.token);
      expect((await api.get(`/products/${fixture.productId}`)).status).toBe(200);
      expect((await fixture.owner.api.delete(`${path}/${body.id}`)).status).toBe(204);
      const refused = await api.get(`/products/${fixture.productId}`);
      expect(refused.status).toBe(401);
      expect(refused.headers.get("www-authenticate")).toContain("invalid_token");
      expect((await fixture.owner.api.delete(`${path}/${body.id}`)).status).toBe(404);
      const short = await fixture.owner.api.post(path, { ...wanted, expires_at: inSeconds(3600) });
      const shortApi = withToken(short.body.token);
      expect((await shortApi.get(`/products/${fixture.productId}`)).status).toBe(200);
      await fixture.store.transaction((db) =>
        db
          .updateTable("access_tokens")
          .set({ expires_at: Date.now() - 1_000 })
          .where("id", "=", short.body.id)
          .execute(),
      );
      expect((await shortApi.get(`/products/${fixture.productId}`)).status).toBe(401);
    }
  });

  test("nobody can grant a token a permission they do not have", async () => {
    const member = await fixture.member(["organization:manage", "products:view"]);
    const refused = await member.api.post(organizationTokens, {
      name: "More",
      permissions: ["products:view", "licenses:delete"],
    });
    expect(refused.status).toBe(403);
    expect(refused.body.errors[0]).toMatchObject({
      field: "permissions",
      code: "permissions_exceeded",
      params: { permissions: ["licenses:delete"] },
    });
    expect((await member.api.post(organizationTokens, wanted)).status).toBe(201);
  });

  test("a member who is removed cannot create an organization token in the meantime", async () => {
    const path = `/organizations/${fixture.organizationId}`;
    for (let round = 0; round < 5; round++) {
      const member = await fixture.member(["organization:manage", "licenses:view"]);
      const name = `Of ${member.userId}`;
      const [gone, ...made] = await Promise.all([
        fixture.owner.api.delete(`${path}/members/${member.userId}`),
        ...Array.from({ length: 5 }, () =>
          member.api.post(`${path}/access-tokens`, { name, permissions: ["licenses:view"] }),
        ),
      ]);
      expect(gone?.status).toBe(204);
      const entries = await fixture.store.reads
        .selectFrom("audit_log")
        .select(["action", "subject_name"])
        .where("organization_id", "=", fixture.organizationId)
        .where("action", "in", ["member.removed", "access_token.created"])
        .orderBy("id")
        .execute();
      for (const { status } of made) expect([201, 404]).toContain(status);
      const created = entries.filter((entry) => entry.subject_name === name);
      expect(created).toHaveLength(made.filter(({ status }) => status === 201).length);
      const late = await member.api.post(`${path}/access-tokens`, { name, permissions: [] });
      expect(late.status).toBe(404);
    }
  });

  test("a token cannot create a token that outlives it", async () => {
    const until = inSeconds(3600);
    for (const path of [mine, organizationTokens]) {
      const { body } = await fixture.owner.api.post(path, { name: "Hour", permissions, expires_at: until });
      const api = withToken(body.token);
      for (const expires_at of [null, inSeconds(7200)]) {
        const refused = await api.post(path, { ...wanted, expires_at });
        expect(refused.status).toBe(422);
        expect(refused.body.errors[0]).toMatchObject({
          field: "expires_at",
          code: "after_token_expiry",
          params: { latest: until },
        });
      }
      expect((await api.post(path, { ...wanted, expires_at: until })).status).toBe(201);
    }
  });

  test("a token without all permissions cannot list, create or revoke tokens", async () => {
    const person = await fixture.person();
    const strong = await person.api.post(mine, { name: "Strong", permissions });
    const weak = await person.api.post(mine, wanted);
    const api = withToken(weak.body.token);
    expect((await api.get(mine)).status).toBe(403);
    expect((await api.post(mine, wanted)).status).toBe(403);
    for (const { body } of [strong, weak]) expect((await api.delete(`${mine}/${body.id}`)).status).toBe(403);
    expect((await person.api.get(mine)).body.data).toHaveLength(3);
    expect((await withToken(strong.body.token).delete(`${mine}/${weak.body.id}`)).status).toBe(204);
  });

  test("nobody can revoke an organization token with more permissions than their own", async () => {
    const strong = await fixture.owner.api.post(organizationTokens, { name: "Strong", permissions });
    const weak = await fixture.owner.api.post(organizationTokens, wanted);
    const member = await fixture.member(["organization:manage", "products:view"]);
    const token = await fixture.owner.api.post(organizationTokens, {
      name: "Manager",
      permissions: ["organization:manage", "products:view"],
    });
    for (const api of [member.api, withToken(token.body.token)]) {
      const refused = await api.delete(`${organizationTokens}/${strong.body.id}`);
      expect([refused.status, refused.body.code]).toEqual([403, "outranked"]);
      expect(refused.body.params.permissions).toContain("products:manage");
      expect(refused.body.params.permissions).not.toContain("products:view");
    }
    expect((await withToken(strong.body.token).get(`/products/${fixture.productId}`)).status).toBe(200);
    expect((await member.api.delete(`${organizationTokens}/${weak.body.id}`)).status).toBe(204);
    expect((await fixture.owner.api.delete(`${organizationTokens}/${strong.body.id}`)).status).toBe(204);
  });

  test("a token does not list organizations in which it has no permission", async () => {
    const member = await fixture.member(["products:view"]);
    const made = await fixture.store.transaction((db) =>
      addToken(db, { userId: member.userId }, Date.now(), null, ["licenses:view"]),
    );
    const api = withToken(made.token);
    expect((await member.api.get("/organizations")).body.data).toHaveLength(1);
    expect((await api.get("/organizations")).body.data).toEqual([]);
    expect((await api.get(`/organizations/${fixture.organizationId}`)).status).toBe(404);
  });

  test("a token of another user is not found", async () => {
    const otherUser = await fixture.person();
    const { body } = await fixture.owner.api.post(mine, wanted);
    const { body: organizations } = await fixture.owner.api.post(organizationTokens, wanted);
    const unknown = await otherUser.api.delete(`${mine}/nothing`);
    for (const id of [body.id, organizations.id]) {
      const refused = await otherUser.api.delete(`${mine}/${id}`);
      expect(refused.status).toBe(404);
      expect([refused.body.code, unknown.body.code]).toEqual([
        "access_token_not_found",
        "access_token_not_found",
      ]);
    }
    // The same holds between a user's tokens and the organization's.
    expect((await fixture.owner.api.delete(`${organizationTokens}/${body.id}`)).status).toBe(404);
    expect((await fixture.owner.api.delete(`${mine}/${organizations.id}`)).status).toBe(404);
  });

  test("validation errors name the fields", async () => {
    const fieldsOf = async (body: object) => {
      const answer = await fixture.owner.api.post(mine, body);
      expect(answer.status).toBe(422);
      return answer.body.errors.map((error: { field: string }) => error.field).sort();
    };
    expect(await fieldsOf({})).toEqual(["name", "permissions"]);
    expect(await fieldsOf({ name: "x", permissions: [] })).toEqual(["permissions"]);
    expect(await fieldsOf({ name: "x", permissions: ["everything"] })).toEqual(["permissions.0"]);
    expect(await fieldsOf({ ...wanted, expires_at: "2020-01-01T00:00:00Z" })).toEqual(["expires_at"]);
    expect(await fieldsOf({ ...wanted, hash: "x", user_id: "y" })).toEqual(["hash", "user_id"]);
  });

  test("the list is paginated", async () => {
    const person = await fixture.person();
    for (let count = 0; count < 5; count += 1) await person.api.post(mine, { ...wanted, name: `T${count}` });
    const names: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const page = await person.api.get(`${mine}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
      names.push(...page.body.data.map((token: { name: string }) => token.name));
      cursor = page.body.next_cursor;
    }
    expect(names).toEqual(["Test token", "T0", "T1", "T2", "T3", "T4"]);
  });

  test("the audit log records creation and revocation with the acting token and without the secret", async () => {
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .selectAll()
      .where("organization_id", "=", fixture.organizationId)
      .where("subject_kind", "=", "access_token")
      .orderBy("id")
      .execute();
    expect(new Set(rows.map((row) => row.action))).toEqual(
      new Set(["access_token.created", "access_token.revoked"]),
    );
    const byToken = rows.filter((row) => row.actor_kind === "token");
    expect(byToken.length).toBeGreaterThan(0);
    expect(rows.every((row) => row.access_token_id !== null)).toBe(true);
  });
});
