import { beforeAll, expect, test } from "bun:test";
import { permissions } from "@countersign/domain/members/permissions";
import { auditOf } from "../support/audit-of.ts";
import { listPages } from "../support/list-pages.ts";
import { manageClient } from "../support/manage-client.ts";
import { openManageFixture } from "../support/manage-fixture.ts";
import { testsOn } from "../support/tests-on.ts";

/** Who may call these routes is tested in tests/routes. */
testsOn("postgres", "roles", openManageFixture, (fixture) => {
  let organization: string;
  let roles: string;
  beforeAll(async () => {
    organization = `/organizations/${fixture.organizationId}`;
    roles = `${organization}/roles`;
  });

  const create = async (permissionCodes: readonly string[], name = `Role ${crypto.randomUUID()}`) => {
    const made = await fixture.owner.api.post(roles, { name, permissions: permissionCodes });
    expect(made.status).toBe(201);
    return made.body;
  };
  const namesIn = async (path: string) =>
    (await fixture.owner.api.get(path)).body.data.map((role: { name: string }) => role.name);

  test("a role can be created, read, listed, changed and deleted, and the audit log records it", async () => {
    const made = await create(["licenses:create", "licenses:view", "licenses:view"], "Seller");
    const permissionCodes = ["licenses:view", "licenses:create"];
    expect(made).toMatchObject({
      name: "Seller",
      permissions: permissionCodes,
      member_count: 0,
      invitation_count: 0,
    });
    const path = `${roles}/${made.id}`;
    expect((await fixture.owner.api.get(path)).body).toEqual(made);
    const changed = await fixture.owner.api.patch(path, { name: "Shop", permissions: ["licenses:view"] });
    expect(changed.body).toMatchObject({ id: made.id, name: "Shop", permissions: ["licenses:view"] });
    const whole = (await fixture.owner.api.get(`${roles}?limit=200`)).body;
    expect([whole.data.at(-1), whole.next_cursor]).toEqual([changed.body, null]);
    const ids = whole.data.map(({ id }: { id: string }) => [id]);
    expect(await listPages(fixture.owner.api, `${roles}?limit=1`)).toEqual(ids);
    expect((await fixture.owner.api.delete(path)).status).toBe(204);
    expect((await fixture.owner.api.get(path)).status).toBe(404);
    const created = '{"name":"Seller","permissions":["licenses:view","licenses:create"]}';
    const updated = '{"name":"Shop","permissions":["licenses:view"]}';
    expect(await auditOf(fixture, made.id)).toMatchObject([
      { action: "role.created", before: null, after: created },
      { action: "role.updated", before: created, after: updated },
      { action: "role.deleted", before: updated, after: null },
    ]);
  });

  test("a new organization has default roles in its language, which can be edited like any other", async () => {
    const english = await fixture.owner.api.post("/organizations", { name: "Fresh" });
    const path = `/organizations/${english.body.id}/roles`;
    expect(await namesIn(path)).toEqual(["Administrator", "Support", "Read-only"]);
    const [administrator, support, readOnly] = (await fixture.owner.api.get(path)).body.data;
    expect(administrator.permissions).toEqual([...permissions]);
    const changes = { name: "Help desk", permissions: [] };
    expect((await fixture.owner.api.patch(`${path}/${support.id}`, changes)).body).toMatchObject(changes);
    expect((await fixture.owner.api.delete(`${path}/${readOnly.id}`)).status).toBe(204);
    expect(await namesIn(path)).toEqual(["Administrator", "Help desk"]);
    const spanish = await fixture.owner.api.post("/organizations", { name: "Nuevo", locale: "es" });
    const spanishRoles = await namesIn(`/organizations/${spanish.body.id}/roles`);
    expect(spanishRoles).toEqual(["Administrador", "Soporte", "Solo lectura"]);
  });

  test("each permission is listed with its description", async () => {
    const { body } = await (await fixture.person()).api.get("/permissions");
    type Listed = { code: string; description: string };
    expect(body.data.map(({ code }: Listed) => code)).toEqual([...permissions]);
    expect(body.data.every(({ description }: Listed) => description.length > 8)).toBe(true);
    expect((await fixture.anonymous.get("/permissions")).status).toBe(401);
  });

  test("nobody can create or change a role with permissions they do not have, including their own", async () => {
    const editor = await fixture.member(["roles:edit", "licenses:view"]);
    const mightier = `${roles}/${(await create(["licenses:view", "licenses:delete"])).id}`;
    const made = await editor.api.post(roles, { name: "Mine", permissions: ["licenses:delete"] });
    const exceeded = { code: "permissions_exceeded", params: { permissions: ["licenses:delete"] } };
    expect(made).toMatchObject({ status: 403, body: exceeded });
    expect((await editor.api.delete(mightier)).status).toBe(403);
    const own = `${roles}/${editor.roleId}`;
    for (const [path, changes, status] of [
      [mightier, { name: "Taken" }, 403],
      [mightier, { permissions: [] }, 403],
      [own, { permissions: ["roles:edit", "licenses:view", "licenses:delete"] }, 403],
      [own, { permissions: ["roles:edit"] }, 200],
      [own, { permissions: ["roles:edit", "licenses:view"] }, 403],
    ] as const)
      expect((await editor.api.patch(path, changes)).status).toBe(status);
  });

  test("a token cannot grant permissions it does not have, even the owner's", async () => {
    const allowed = { name: "Limited", permissions: ["roles:edit", "licenses:view"] };
    const { body } = await fixture.owner.api.post("/me/access-tokens", allowed);
    const limited = manageClient(fixture.server.url, body.token);
    expect((await limited.post(roles, { name: "A", permissions: ["licenses:view"] })).status).toBe(201);
    expect((await limited.post(roles, { name: "B", permissions: ["licenses:delete"] })).status).toBe(403);
  });

  test("names are unique within an organization, also for concurrent requests", async () => {
    const taken = await create([], "Unique");
    const again = await fixture.owner.api.post(roles, { name: " Unique ", permissions: [] });
    const nameTaken = { code: "role_name_taken", params: { name: "Unique" }, errors: [{ field: "name" }] };
    expect(again).toMatchObject({ status: 409, body: nameTaken });
    const other = await create([]);
    expect((await fixture.owner.api.patch(`${roles}/${other.id}`, { name: "Unique" })).status).toBe(409);
    expect((await fixture.owner.api.patch(`${roles}/${taken.id}`, { name: "Unique" })).status).toBe(200);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => fixture.owner.api.post(roles, { name: "Wanted", permissions: [] })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409]);
  });

  test("a role with members or invitations cannot be deleted, and the response counts them", async () => {
    const member = await fixture.member([]);
    const path = `${roles}/${member.roleId}`;
    const invited = { email: `${crypto.randomUUID()}@example.com`, role_id: member.roleId };
    const { body: invitation } = await fixture.owner.api.post(`${organization}/invitations`, invited);
    expect((await fixture.owner.api.get(path)).body).toMatchObject({ member_count: 1, invitation_count: 1 });
    const inUse = { code: "role_in_use", params: { members: 1, invitations: 1 } };
    expect(await fixture.owner.api.delete(path)).toMatchObject({ status: 409, body: inUse });
    await fixture.owner.api.delete(`${organization}/members/${member.userId}`);
    expect((await fixture.owner.api.delete(path)).body.params).toEqual({ members: 0, invitations: 1 });
    await fixture.owner.api.delete(`${organization}/invitations/${invitation.id}`);
    expect((await fixture.owner.api.delete(path)).status).toBe(204);
  });

  test("validation errors name the fields, and a stale update is refused", async () => {
    const wrong = await fixture.owner.api.post(roles, { name: "", permissions: ["everything"] });
    expect(wrong.status).toBe(422);
    const fields = wrong.body.errors.map((error: { field: string }) => error.field);
    expect(fields.sort()).toEqual(["name", "permissions.0"]);
    const { id, updated_at } = await create([]);
    const rename = async (name: string) =>
      (await fixture.owner.api.patch(`${roles}/${id}`, { name: `${name} ${id}`, updated_at })).status;
    expect([await rename("A"), await rename("B")]).toEqual([200, 412]);
  });
});
