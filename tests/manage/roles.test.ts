import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { permissions } from "@countersign/domain/members/permissions";
import { databases } from "../support/databases.ts";
import { manageClient } from "../support/manage-client.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

describe.each(databases)("roles on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let roles: string;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    roles = `/organizations/${fixture.organizationId}/roles`;
  });
  afterAll(() => fixture.close());

  const create = async (permissionCodes: readonly string[], name = `Role ${crypto.randomUUID()}`) => {
    const made = await fixture.owner.api.post(roles, { name, permissions: permissionCodes });
    expect(made.status).toBe(201);
    return made.body;
  };

  test("a role can be created, read, listed, changed and deleted", async () => {
    const made = await create(["licenses:create", "licenses:view", "licenses:view"], "Seller");
    expect(made).toMatchObject({
      name: "Seller",
      permissions: ["licenses:view", "licenses:create"],
      member_count: 0,
      invitation_count: 0,
    });
    const path = `${roles}/${made.id}`;
    expect((await fixture.owner.api.get(path)).body).toEqual(made);
    const changed = await fixture.owner.api.patch(path, { name: "Shop", permissions: ["licenses:view"] });
    expect(changed.body).toMatchObject({ id: made.id, name: "Shop", permissions: ["licenses:view"] });
    const list = await fixture.owner.api.get(`${roles}?limit=200`);
    expect(list.body.data).toContainEqual(changed.body);
    expect((await fixture.owner.api.delete(path)).status).toBe(204);
    expect((await fixture.owner.api.get(path)).status).toBe(404);
  });

  test("a new organization has default roles in its language, which can be edited like any other", async () => {
    const namesOf = async (id: string) =>
      (await fixture.owner.api.get(`/organizations/${id}/roles`)).body.data.map(
        (role: { name: string }) => role.name,
      );
    const english = await fixture.owner.api.post("/organizations", { name: "Fresh" });
    expect(await namesOf(english.body.id)).toEqual(["Administrator", "Support", "Read-only"]);
    const path = `/organizations/${english.body.id}/roles`;
    const [administrator, support, readOnly] = (await fixture.owner.api.get(path)).body.data;
    expect(administrator.permissions).toEqual([...permissions]);
    expect(
      (await fixture.owner.api.patch(`${path}/${support.id}`, { name: "Help desk", permissions: [] })).body,
    ).toMatchObject({ name: "Help desk", permissions: [] });
    expect((await fixture.owner.api.delete(`${path}/${readOnly.id}`)).status).toBe(204);
    expect(await namesOf(english.body.id)).toEqual(["Administrator", "Help desk"]);

    const owner = await fixture.person();
    const spanish = await owner.api.post("/organizations", { name: "Nuevo", locale: "es" });
    const roles = await owner.api.get(`/organizations/${spanish.body.id}/roles`);
    expect(roles.body.data.map((role: { name: string }) => role.name)).toEqual([
      "Administrador",
      "Soporte",
      "Solo lectura",
    ]);
  });

  test("the list is paginated", async () => {
    await create([]);
    await create([]);
    const whole = await fixture.owner.api.get(`${roles}?limit=200`);
    const first = await fixture.owner.api.get(`${roles}?limit=1`);
    const second = await fixture.owner.api.get(`${roles}?limit=1&cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...second.body.data]).toEqual(whole.body.data.slice(0, 2));
    expect(whole.body.next_cursor).toBeNull();
  });

  test("each permission is listed with its description", async () => {
    const { body } = await (await fixture.person()).api.get("/permissions");
    expect(body.data.map((permission: { code: string }) => permission.code)).toEqual([...permissions]);
    expect(body.data.every((permission: { description: string }) => permission.description.length > 8)).toBe(
      true,
    );
    expect((await fixture.anonymous.get("/permissions")).status).toBe(401);
  });

  test("reading needs members:view or a permission to assign roles, changing needs roles:edit, and outsiders get 404", async () => {
    const role = await create([]);
    const viewer = await fixture.member(["members:view"]);
    const other = await fixture.member(["members:remove"]);
    const outsider = await fixture.person();
    expect((await viewer.api.get(roles)).status).toBe(200);
    expect((await viewer.api.get(`${roles}/${role.id}`)).status).toBe(200);
    expect((await other.api.get(roles)).status).toBe(403);
    expect((await other.api.get(`${roles}/${role.id}`)).status).toBe(403);
    for (const [who, status] of [
      [viewer, 403],
      [outsider, 404],
    ] as const) {
      expect((await who.api.post(roles, { name: "X", permissions: [] })).status).toBe(status);
      expect((await who.api.patch(`${roles}/${role.id}`, { name: "X" })).status).toBe(status);
      expect((await who.api.delete(`${roles}/${role.id}`)).status).toBe(status);
    }
  });

  test("nobody can create or change a role with permissions they do not have, including their own", async () => {
    const editor = await fixture.member(["roles:edit", "licenses:view"]);
    const mightier = await create(["licenses:view", "licenses:delete"]);
    const made = await editor.api.post(roles, { name: "Mine", permissions: ["licenses:delete"] });
    expect(made.status).toBe(403);
    expect(made.body).toMatchObject({
      code: "permissions_exceeded",
      params: { permissions: ["licenses:delete"] },
    });
    expect((await editor.api.patch(`${roles}/${mightier.id}`, { name: "Taken" })).status).toBe(403);
    expect((await editor.api.patch(`${roles}/${mightier.id}`, { permissions: [] })).status).toBe(403);
    expect((await editor.api.delete(`${roles}/${mightier.id}`)).status).toBe(403);
    const own = `${roles}/${editor.roleId}`;
    const raised = { permissions: ["roles:edit", "licenses:view", "licenses:delete"] };
    expect((await editor.api.patch(own, raised)).status).toBe(403);
    expect((await editor.api.patch(own, { permissions: ["roles:edit"] })).status).toBe(200);
    expect((await editor.api.patch(own, { permissions: ["roles:edit", "licenses:view"] })).status).toBe(403);
  });

  test("a token cannot grant permissions it does not have, even the owner's", async () => {
    const allowed = { name: "Limited", permissions: ["roles:edit", "licenses:view"] };
    const { body } = await fixture.owner.api.post("/me/access-tokens", allowed);
    const limited = manageClient(fixture.server.url, body.token);
    expect((await limited.post(roles, { name: "A", permissions: ["licenses:view"] })).status).toBe(201);
    expect((await limited.post(roles, { name: "B", permissions: ["licenses:delete"] })).status).toBe(403);
  });

  test("names are unique within an organization", async () => {
    const taken = await create([], "Unique");
    const again = await fixture.owner.api.post(roles, { name: " Unique ", permissions: [] });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ code: "role_name_taken", params: { name: "Unique" } });
    expect(again.body.errors[0].field).toBe("name");
    const other = await create([]);
    expect((await fixture.owner.api.patch(`${roles}/${other.id}`, { name: "Unique" })).status).toBe(409);
    expect((await fixture.owner.api.patch(`${roles}/${taken.id}`, { name: "Unique" })).status).toBe(200);
    const elsewhere = await fixture.owner.api.post("/organizations", { name: "Second" });
    const path = `/organizations/${elsewhere.body.id}/roles`;
    expect((await fixture.owner.api.post(path, { name: "Unique", permissions: [] })).status).toBe(201);
  });

  test("concurrent requests for one name create one role", async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => fixture.owner.api.post(roles, { name: "Wanted", permissions: [] })),
    );
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test("a role with members or invitations cannot be deleted, and the response counts them", async () => {
    const member = await fixture.member([]);
    const path = `${roles}/${member.roleId}`;
    await fixture.owner.api.post(`/organizations/${fixture.organizationId}/invitations`, {
      email: "promised@example.com",
      role_id: member.roleId,
    });
    expect((await fixture.owner.api.get(path)).body).toMatchObject({ member_count: 1, invitation_count: 1 });
    const refused = await fixture.owner.api.delete(path);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "role_in_use", params: { members: 1, invitations: 1 } });
    await fixture.owner.api.delete(`/organizations/${fixture.organizationId}/members/${member.userId}`);
    expect((await fixture.owner.api.delete(path)).body.params).toEqual({ members: 0, invitations: 1 });
    const list = await fixture.owner.api.get(
      `/organizations/${fixture.organizationId}/invitations?state=pending`,
    );
    const invitation = list.body.data.find((one: { email: string }) => one.email === "promised@example.com");
    await fixture.owner.api.delete(`/organizations/${fixture.organizationId}/invitations/${invitation.id}`);
    expect((await fixture.owner.api.delete(path)).status).toBe(204);
  });

  test("a role of another organization is not found", async () => {
    const otherUser = await fixture.person();
    const theirs = await otherUser.api.post("/organizations", { name: "Elsewhere" });
    const role = await create([]);
    const path = `/organizations/${theirs.body.id}/roles/${role.id}`;
    for (const answer of [
      await otherUser.api.get(path),
      await otherUser.api.patch(path, { name: "X" }),
      await otherUser.api.delete(path),
    ]) {
      expect(answer.status).toBe(404);
    }
    expect((await fixture.owner.api.get(`${roles}/${role.id}`)).body.name).toBe(role.name);
  });

  test("validation errors name the fields, and a stale update is refused", async () => {
    const wrong = await fixture.owner.api.post(roles, { name: "", permissions: ["everything"], id: "mine" });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors.map((error: { field: string }) => error.field).sort()).toEqual([
      "id",
      "name",
      "permissions.0",
    ]);
    const role = await create([]);
    const path = `${roles}/${role.id}`;
    const guard = { updated_at: role.updated_at };
    expect((await fixture.owner.api.patch(path, { name: `A ${role.id}`, ...guard })).status).toBe(200);
    expect((await fixture.owner.api.patch(path, { name: `B ${role.id}`, ...guard })).status).toBe(412);
  });

  test("the audit log records every change with the values before and after", async () => {
    const role = await create(["licenses:view"], "Watched");
    await fixture.owner.api.patch(`${roles}/${role.id}`, { permissions: [] });
    await fixture.owner.api.delete(`${roles}/${role.id}`);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["action", "before", "after"])
      .where("subject_id", "=", role.id)
      .orderBy("id")
      .execute();
    expect(rows).toEqual([
      { action: "role.created", before: null, after: '{"name":"Watched","permissions":["licenses:view"]}' },
      { action: "role.updated", before: '{"permissions":["licenses:view"]}', after: '{"permissions":[]}' },
      { action: "role.deleted", before: '{"name":"Watched","permissions":[]}', after: null },
    ]);
  });
});
