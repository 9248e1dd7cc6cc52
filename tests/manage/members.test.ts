import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { databases } from "../support/databases.ts";
import { type ManageFixture, openSharedManageFixture } from "../support/manage-fixture.ts";

describe.each(databases)("members on $kind", ({ make }) => {
  let fixture: ManageFixture;
  let members: string;
  beforeAll(async () => {
    fixture = await openSharedManageFixture(make);
    members = `/organizations/${fixture.organizationId}/members`;
  });
  afterAll(() => fixture.close());

  const roleWith = async (permissions: readonly string[]) => {
    const made = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/roles`, {
      name: `Role ${crypto.randomUUID()}`,
      permissions,
    });
    expect(made.status).toBe(201);
    return made.body.id as string;
  };

  test("the list starts with the owner, then follows the order of joining, in pages", async () => {
    const first = await fixture.member(["members:view"]);
    const second = await fixture.member([]);
    const whole = await first.api.get(members);
    const ids = whole.body.data.map((member: { user_id: string }) => member.user_id);
    expect(ids[0]).toBe(fixture.owner.userId);
    expect(ids.indexOf(first.userId)).toBeLessThan(ids.indexOf(second.userId));
    expect(whole.body.data[0]).toMatchObject({ is_owner: true, role: null, email: fixture.owner.email });
    expect(
      whole.body.data.find((member: { user_id: string }) => member.user_id === first.userId),
    ).toMatchObject({
      is_owner: false,
      name: "Test Person",
      role: { id: first.roleId, permissions: ["members:view"] },
    });
    const paged: string[] = [];
    let path: string | null = `${members}?limit=1`;
    while (path !== null) {
      const { body } = await first.api.get(path);
      paged.push(...body.data.map((member: { user_id: string }) => member.user_id));
      path = body.next_cursor === null ? null : `${members}?limit=1&cursor=${body.next_cursor}`;
    }
    expect(paged).toEqual(ids);
  });

  test("listing needs members:view, and outsiders get 404", async () => {
    const member = await fixture.member(["licenses:view"]);
    const outsider = await fixture.person();
    expect((await member.api.get(members)).status).toBe(403);
    expect((await outsider.api.get(members)).status).toBe(404);
    expect((await fixture.anonymous.get(members)).status).toBe(401);
    const path = `${members}/${member.userId}`;
    expect((await outsider.api.patch(path, { role_id: member.roleId })).status).toBe(404);
    expect((await outsider.api.delete(path)).status).toBe(404);
  });

  test("a changed role applies from the next request", async () => {
    const member = await fixture.member([]);
    expect((await member.api.get(members)).status).toBe(403);
    const role = await roleWith(["members:view"]);
    const changed = await fixture.owner.api.patch(`${members}/${member.userId}`, { role_id: role });
    expect(changed.body).toMatchObject({ user_id: member.userId, role: { id: role } });
    expect((await member.api.get(members)).status).toBe(200);
  });

  test("assigning a role needs roles:edit and every permission of the role", async () => {
    const target = await fixture.member(["licenses:view"]);
    const path = `${members}/${target.userId}`;
    const narrow = await fixture.member(["roles:edit", "licenses:view"]);
    const without = await fixture.member(["members:view", "licenses:view", "licenses:create"]);
    const wide = await roleWith(["licenses:view", "licenses:create"]);
    const empty = await roleWith([]);
    expect((await without.api.patch(path, { role_id: empty })).status).toBe(403);
    const refused = await narrow.api.patch(path, { role_id: wide });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      code: "permissions_exceeded",
      params: { permissions: ["licenses:create"] },
    });
    expect((await narrow.api.patch(path, { role_id: empty })).status).toBe(200);
  });

  test("a member with more permissions cannot be changed or removed, and nobody can raise their own", async () => {
    const mighty = await fixture.member(["licenses:view", "licenses:delete"]);
    const narrow = await fixture.member(["roles:edit", "members:remove"]);
    const empty = await roleWith([]);
    expect((await narrow.api.patch(`${members}/${mighty.userId}`, { role_id: empty })).status).toBe(403);
    expect((await narrow.api.delete(`${members}/${mighty.userId}`)).status).toBe(403);
    expect((await narrow.api.patch(`${members}/${narrow.userId}`, { role_id: mighty.roleId })).status).toBe(
      403,
    );
  });

  test("removing a member needs members:remove and ends their access", async () => {
    const member = await fixture.member(["members:view"]);
    const other = await fixture.member(["members:view"]);
    expect((await other.api.delete(`${members}/${member.userId}`)).status).toBe(403);
    const remover = await fixture.member(["members:view", "members:remove"]);
    expect((await remover.api.delete(`${members}/${member.userId}`)).status).toBe(204);
    expect((await member.api.get(members)).status).toBe(404);
    expect((await member.api.get("/organizations")).body.data).toEqual([]);
    expect((await remover.api.delete(`${members}/${member.userId}`)).status).toBe(404);
  });

  test("every member can leave, whatever their role; a limited token cannot do so for them", async () => {
    const member = await fixture.member([]);
    expect((await member.api.delete(`${members}/${member.userId}`)).status).toBe(204);
    expect((await member.api.get(`/organizations/${fixture.organizationId}`)).status).toBe(404);
    const limited = await fixture.person({ permissions: ["licenses:view"] });
    const role = await roleWith(["licenses:view"]);
    await fixture.store.transaction((db) =>
      db
        .insertInto("members")
        .values({
          organization_id: fixture.organizationId,
          user_id: limited.userId,
          role_id: role,
          created_at: Date.now(),
        })
        .execute(),
    );
    expect((await limited.api.delete(`${members}/${limited.userId}`)).status).toBe(403);
  });

  test("the owner can neither leave nor be removed nor get a role", async () => {
    const remover = await fixture.member(["members:remove", "roles:edit"]);
    const owner = `${members}/${fixture.owner.userId}`;
    expect((await fixture.owner.api.delete(owner)).status).toBe(409);
    expect((await remover.api.delete(owner)).status).toBe(409);
    expect((await remover.api.patch(owner, { role_id: remover.roleId })).status).toBe(409);
    expect((await fixture.owner.api.get(members)).body.data[0].user_id).toBe(fixture.owner.userId);
  });

  test("a role of another organization is refused like an unknown one", async () => {
    const otherUser = await fixture.person();
    const theirs = await otherUser.api.post("/organizations", { name: "Elsewhere" });
    const role = await otherUser.api.post(`/organizations/${theirs.body.id}/roles`, {
      name: "Foreign",
      permissions: [],
    });
    const member = await fixture.member([]);
    const path = `${members}/${member.userId}`;
    const foreign = await fixture.owner.api.patch(path, { role_id: role.body.id });
    const unknown = await fixture.owner.api.patch(path, { role_id: "no-such-role" });
    expect([foreign.status, foreign.body.errors]).toEqual([unknown.status, unknown.body.errors]);
    expect(foreign.body.errors[0]).toMatchObject({ field: "role_id", code: "not_a_role" });
    expect((await fixture.owner.api.patch(`${members}/nobody`, { role_id: member.roleId })).status).toBe(404);
  });

  test("read-only fields are named and refused, and a stale update is refused", async () => {
    const member = await fixture.member([]);
    const path = `${members}/${member.userId}`;
    const wrong = await fixture.owner.api.patch(path, { role_id: member.roleId, is_owner: true });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors[0].field).toBe("is_owner");
    const role = await roleWith([]);
    const changed = await fixture.owner.api.patch(path, { role_id: role });
    const seen = changed.body.updated_at;
    expect((await fixture.owner.api.patch(path, { role_id: member.roleId, updated_at: seen })).status).toBe(
      200,
    );
    expect((await fixture.owner.api.patch(path, { role_id: role, updated_at: seen })).status).toBe(412);
  });

  test("assigning a role while it is deleted leaves nobody without a role", async () => {
    const member = await fixture.member([]);
    for (let round = 0; round < 5; round++) {
      const role = await roleWith([]);
      const [given, deleted] = await Promise.all([
        fixture.owner.api.patch(`${members}/${member.userId}`, { role_id: role }),
        fixture.owner.api.delete(`/organizations/${fixture.organizationId}/roles/${role}`),
      ]);
      expect([given.status, deleted.status].sort()).toEqual(given.status === 200 ? [200, 409] : [204, 422]);
      const row = await fixture.store.reads
        .selectFrom("members")
        .innerJoin("roles", "roles.id", "members.role_id")
        .select("roles.id")
        .where("members.user_id", "=", member.userId)
        .executeTakeFirst();
      expect(row).toBeDefined();
    }
  });

  test("a permission revoked during a request cannot be granted by it", async () => {
    for (let round = 0; round < 5; round++) {
      const editor = await fixture.member(["roles:edit", "licenses:delete"]);
      const target = await fixture.member([]);
      const mighty = await roleWith(["licenses:delete"]);
      const empty = await roleWith([]);
      const [given, taken] = await Promise.all([
        editor.api.patch(`${members}/${target.userId}`, { role_id: mighty }),
        fixture.owner.api.patch(`${members}/${editor.userId}`, { role_id: empty }),
      ]);
      expect(taken.status).toBe(200);
      const rows = await fixture.store.reads
        .selectFrom("audit_log")
        .select(["subject_id", "at"])
        .where("action", "=", "member.updated")
        .where("subject_id", "in", [editor.userId, target.userId])
        .orderBy("id")
        .execute();
      expect(rows).toHaveLength(given.status === 200 ? 2 : 1);
      expect([200, 403]).toContain(given.status);
    }
  });

  test("the audit log records every change with the names of the roles", async () => {
    const member = await fixture.member([]);
    const role = await fixture.owner.api.post(`/organizations/${fixture.organizationId}/roles`, {
      name: "Archivist",
      permissions: [],
    });
    await fixture.owner.api.patch(`${members}/${member.userId}`, { role_id: role.body.id });
    await fixture.owner.api.delete(`${members}/${member.userId}`);
    const rows = await fixture.store.reads
      .selectFrom("audit_log")
      .select(["action", "actor_id", "before", "after"])
      .where("subject_id", "=", member.userId)
      .orderBy("id")
      .execute();
    expect(rows).toEqual([
      {
        action: "member.updated",
        actor_id: fixture.owner.userId,
        before: JSON.stringify({ role: `Role ${member.roleId}` }),
        after: '{"role":"Archivist"}',
      },
      {
        action: "member.removed",
        actor_id: fixture.owner.userId,
        before: JSON.stringify({ email: member.email, role: "Archivist" }),
        after: null,
      },
    ]);
  });
});
